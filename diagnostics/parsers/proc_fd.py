"""`ls -l /proc/PID/fd`, and counts of open files.

    == pid 31802
    lr-x------ 1 root root 64 Nov 29 13:00 12 -> /workspace/mfs/mnt/shards/shard_0017.bin
    pid 31803 l-wx------ 1 root root 64 Nov 29 13:00 7 -> /workspace/run/last.ckpt
    l-wx------ 1 root root 64 Nov 29 13:00 /proc/31804/fd/7 -> /workspace/run/last.ckpt
    pid 19273 open files: 63
    ls /proc/19273/fd | wc -l    63
    1022 fds in raylet

    epoch   open fds of main
    1       212
    490     1019

Of a table over the progress of a job the largest count is the fact: descriptors that are not closed add up. The owner
is on a heading (`== pid N`, `pid N:`, `/proc/N/fd:`, `$ ls -l /proc/N/fd`), in the row, or unknown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Evidence, Stamp, Subject
from ..evidence.process import OpenFile, OpenFileCount
from ..footprint import footprint_of
from ..text import Line, Text, whole_number
from . import Parser
from ._snapshot import source, stamp_of

# lr-x------ 1 root root 64 Nov 29 13:00 12 -> /workspace/mfs/mnt/shards/shard_0017.bin
# pid 31803 l-wx------ 1 root root 64 Nov 29 13:00 7 -> /workspace/run/last.ckpt      31803: l-wx------ ...
# l-wx------ 1 root root 64 Nov 29 13:00 /proc/31804/fd/7 -> /workspace/run/last.ckpt
ROW = re.compile(
    r"^(?:(?:pid[ =:]{1,2})?(?P<before>\d{1,10}):? {1,8})?l[r-](?P<writes>[w-])[x-]-{6}[.+@]? +\d+ +\S+ +\S+ +\d+ +"
    r".{3,40}? (?:/proc/(?P<inside>\d{1,10})/(?:task/\d{1,10}/)?fd/)?(?P<descriptor>\d{1,9}) -> (?P<target>\S.*)$"
)
# == pid 31802      pid 31802:      /proc/31802/fd:      $ ls -l /proc/31802/fd
OWNER = re.compile(r"^(?:=+ pid (\d{1,10})\b|pid[ =:]{1,2}(\d{1,10}):?\s*$)|/proc/(\d{1,10})/(?:task/\d{1,10}/)?fd\b")
# pid 19273 open files: 63
COUNT = re.compile(r"\bpid[ =](\d{1,10}):? open (?:files|descriptors|fds): *(\d{1,9})\b")
# $ ls /proc/19273/fd | wc -l        ls -1 /proc/19273/fd | wc -l    1023         lsof -p 19273 | wc -l = 1031
COUNTED = re.compile(
    r"(?:\b(?:ls|cat) (?:-\w{1,6} )?/proc/(\d{1,10}|self|PID|\$\w{1,20}|\$\([^()\n]{1,60}\))/fd/?"
    r"|\blsof (?:-\w{1,4} ){0,2}-p (\d{1,10})) *\| *wc -l[ \t:=#>-]{0,40}"
    r"(\d{1,9})?(?: {1,8}\([^()\n]{1,40}\))?$"
)
# 1022 fds in raylet      fds of python 1021      /proc/1/fd has 1024 entries
SAID = re.compile(
    r"(?:^|[ ,;:(])(?P<before>\d{2,9}) (?:open )?(?:fds|descriptors) (?:in|of|by|open in) [A-Za-z]"
    r"|\b(?:fds|descriptors|open files) of \w[\w.-]{0,40}[ :=]{1,3}(?P<after>\d{2,9})(?![\w.])"
    r"|/proc/\d{1,10}/fd has (?P<entries>\d{2,9}) entries"
)
# epoch   open fds of main      epoch   ls /proc/PID/fd | wc -l   kind of most      s    fds of the client process
_COLUMN = r"(?:(?:open )?(?:fds?|descriptors)(?: of [\w ]{1,30})?|ls (?:-\w )?/proc/\S{1,30}/fd/? \| wc -l|open files)"
HEADING = re.compile(rf"^[ \t]{{0,8}}[A-Za-z][\w ()]{{0,20}}?(?:[ ]{{2,20}}|,){_COLUMN}(?= {{2}}|,|\s*$)", re.I)
COLUMN = re.compile(rf"^{_COLUMN}$", re.I)
ALONE = re.compile(r"^ *(\d{1,9}) *$")
FEWEST = 3


def read(text: Text) -> Iterator[Evidence]:
    pid: int | None = None
    stamp: Stamp | None = None
    yield from largest_of_table(text)
    for line in text.lines():
        row = line.text[:6000]
        if found := ROW.match(row):
            target = found["target"].removesuffix(" (deleted)")
            owner = whole_number(found["before"] or found["inside"] or "")
            yield OpenFile(
                source=source(text, line),
                subject=Subject(pid=pid if owner is None else owner, path=target if target.startswith("/") else None),
                stamp=stamp,
                descriptor=int(found["descriptor"]),
                target=target,
                deleted=found["target"].endswith(" (deleted)"),
                writable=found["writes"] == "w",
            )
        elif found := COUNT.search(row):
            yield OpenFileCount(source=source(text, line), subject=Subject(pid=int(found[1])), count=int(found[2]))
        elif found := COUNTED.search(row.rstrip()):
            yield from counted(text, line, found)
        elif found := SAID.search(row):
            number = next(group for group in found.groups() if group)
            yield OpenFileCount(source=source(text, line), count=int(number))
        elif found := OWNER.search(row):
            pid, stamp = int(found[1] or found[2] or found[3]), stamp_of(row)


def counted(text: Text, line: Line, found: re.Match[str]) -> Iterator[Evidence]:
    """The number that a count printed, behind the command or on the next line."""
    after = next(iter(text.after(line, 1)), line)
    where, number = (line, found) if found[3] else (after, ALONE.match(after.text[:80]))
    if number:
        pid = whole_number(found[1] or found[2])
        yield OpenFileCount(
            source=source(text, where), subject=Subject(pid=pid), count=int(number[number.lastindex or 1])
        )


def largest_of_table(text: Text) -> Iterator[OpenFileCount]:
    """The largest count of a table, whose heading says that a column counts descriptors."""
    place, counts = None, dict[int, Line]()
    for line in text.lines():
        cells = re.split(r" {2,40}|,|\t", line.text[:300].strip())
        if HEADING.match(line.text[:300]):
            place = next((at for at, cell in enumerate(cells) if COLUMN.match(cell)), None)
        elif place is not None and place < len(cells) and (number := whole_number(cells[place])) is not None:
            counts[number] = line
    if len(counts) >= FEWEST:
        yield OpenFileCount(source=source(text, counts[max(counts)]), count=max(counts))


PARSER = Parser(
    tool="/proc/PID/fd",
    medium="open-files",
    footprint=footprint_of(ROW, COUNT, COUNTED, SAID, HEADING),
    read=read,
)
