"""`ls -l /proc/PID/fd`, and counts of open files.

    == pid 31802
    lr-x------ 1 root root 64 Nov 29 13:00 12 -> /workspace/mfs/mnt/shards/shard_0017.bin
    pid 19273 open files: 63
    $ ls /proc/19273/fd | wc -l
    63

The owner is on a heading (`== pid N`, `/proc/N/fd:`, `$ ls -l /proc/N/fd`) or unknown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Evidence, Stamp, Subject
from ..evidence.process import OpenFile, OpenFileCount
from ..text import Text
from . import Parser
from ._snapshot import source, stamp_of

# lr-x------ 1 root root 64 Nov 29 13:00 12 -> /workspace/mfs/mnt/shards/shard_0017.bin
ROW = re.compile(r"^l([r-])([w-])[x-]-{6}[.+@]? +\d+ +\S+ +\S+ +\d+ +.{3,40}? (\d{1,9}) -> (\S.*)$")
# == pid 31802      /proc/31802/fd:      $ ls -l /proc/31802/fd
OWNER = re.compile(r"^=+ pid (\d{1,10})\b|/proc/(\d{1,10})/(?:task/\d{1,10}/)?fd\b")
# pid 19273 open files: 63
COUNT = re.compile(r"\bpid[ =](\d{1,10}):? open (?:files|descriptors|fds): *(\d{1,9})\b")
# $ ls /proc/19273/fd | wc -l      $ lsof -p 19273 | wc -l
COUNTED = re.compile(
    r"(?:^|[$#] ?)(?:sudo )?(?:ls (?:-\w{1,4} )?/proc/(\d{1,10})/fd/?|lsof -p (\d{1,10}))\s{0,3}\| ?wc -l\s*$"
)
NUMBER = re.compile(r"^\s{0,8}(\d{1,8})\s*$")


def read(text: Text) -> Iterator[Evidence]:
    pid: int | None = None
    stamp: Stamp | None = None
    counted: int | None = None
    for line in text.lines():
        row = line.text[:6000]
        if counted is not None and (found := NUMBER.match(row)):
            yield OpenFileCount(source=source(text, line), subject=Subject(pid=counted), count=int(found[1]))
        asked = COUNTED.search(row[:300])
        counted = int(asked[1] or asked[2]) if asked else None
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
        elif found := OWNER.search(row):
            pid, stamp = int(found[1] or found[2]), stamp_of(row)


PARSER = Parser(
    tool="/proc/PID/fd",
    medium="open-files",
    footprint=(
        r"^l[r-][w-][x-]-{6}[.+@]? +\d+ \S+ +\S+ +\d+ .{3,40} \d+ -> |\bpid[ =]\d+:? open (files|descriptors|fds):"
        r"|(/proc/\d+/fd/?|lsof -p \d+)\s{0,3}\| ?wc -l"
    ),
    read=read,
)
