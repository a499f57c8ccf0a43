"""`ls -l /proc/PID/fd`, and counts of open files.

    == pid 31802
    lr-x------ 1 root root 64 Nov 29 13:00 12 -> /workspace/mfs/mnt/shards/shard_0017.bin
    pid 19273 open files: 63
    ls /proc/19273/fd | wc -l    63

The owner is on a heading (`== pid N`, `/proc/N/fd:`, `$ ls -l /proc/N/fd`) or unknown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Evidence, Stamp, Subject
from ..evidence.process import OpenFile, OpenFileCount
from ..footprint import footprint_of
from ..text import Line, Text
from . import Parser
from ._snapshot import source, stamp_of

# lr-x------ 1 root root 64 Nov 29 13:00 12 -> /workspace/mfs/mnt/shards/shard_0017.bin
ROW = re.compile(r"^l([r-])([w-])[x-]-{6}[.+@]? +\d+ +\S+ +\S+ +\d+ +.{3,40}? (\d{1,9}) -> (\S.*)$")
# == pid 31802      /proc/31802/fd:      $ ls -l /proc/31802/fd
OWNER = re.compile(r"^=+ pid (\d{1,10})\b|/proc/(\d{1,10})/(?:task/\d{1,10}/)?fd\b")
# pid 19273 open files: 63
COUNT = re.compile(r"\bpid[ =](\d{1,10}):? open (?:files|descriptors|fds): *(\d{1,9})\b")
# $ ls /proc/19273/fd | wc -l        ls -1 /proc/19273/fd | wc -l    1023         lsof -p 19273 | wc -l = 1031
COUNTED = re.compile(
    r"(?:\bls (?:-\w{1,6} )?/proc/(\d{1,10})/fd/?|\blsof (?:-\w{1,4} ){0,2}-p (\d{1,10})) *\| *wc -l[ \t:=#>-]{0,40}"
    r"(\d{1,9})?$"
)
ALONE = re.compile(r"^ *(\d{1,9}) *$")


def read(text: Text) -> Iterator[Evidence]:
    pid: int | None = None
    stamp: Stamp | None = None
    for line in text.lines():
        row = line.text[:6000]
        if found := ROW.match(row):
            target = found[4].removesuffix(" (deleted)")
            yield OpenFile(
                source=source(text, line),
                subject=Subject(pid=pid, path=target if target.startswith("/") else None),
                stamp=stamp,
                descriptor=int(found[3]),
                target=target,
                deleted=found[4].endswith(" (deleted)"),
                writable=found[2] == "w",
            )
        elif found := COUNT.search(row):
            yield OpenFileCount(source=source(text, line), subject=Subject(pid=int(found[1])), count=int(found[2]))
        elif found := COUNTED.search(row.rstrip()):
            yield from counted(text, line, found)
        elif found := OWNER.search(row):
            pid, stamp = int(found[1] or found[2]), stamp_of(row)


def counted(text: Text, line: Line, found: re.Match[str]) -> Iterator[Evidence]:
    """The number that a count printed, behind the command or on the next line."""
    after = next(iter(text.after(line, 1)), line)
    where, number = (line, found) if found[3] else (after, ALONE.match(after.text[:80]))
    if number:
        pid = int(found[1] or found[2])
        yield OpenFileCount(
            source=source(text, where), subject=Subject(pid=pid), count=int(number[number.lastindex or 1])
        )


PARSER = Parser(
    tool="/proc/PID/fd",
    medium="open-files",
    footprint=footprint_of(ROW, COUNT, COUNTED),
    read=read,
)
