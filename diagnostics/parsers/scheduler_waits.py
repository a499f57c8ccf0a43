"""How long the kernel let a process wait for a CPU: `/proc/PID/schedstat`, `/proc/PID/sched`, and pidstat's %wait.

    $ cat /proc/4242/schedstat
    23316138869 36515109862 8661
    python (4242, #threads: 5)
    se.sum_exec_runtime                          :         23316.138869
    wait_sum                                     :         36515.109862
    10:01:02      UID       PID    %usr %system  %guest   %wait    %CPU   CPU  Command
    10:01:12        0      4242   40.00    1.00    0.00   58.00   41.00     1  python

A process waits in this sense only while it could run: not for a disk, a lock or a sleep. schedstat counts in
nanoseconds, sched in milliseconds. A schedstat whose process nobody names is skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.storage import IoStatistics
from ..footprint import footprint_of
from ..text import Line, Text, whole_number
from . import Parser
from ._snapshot import source, stamp_of

# $ cat /proc/4242/schedstat      ==> /proc/4242/task/4250/schedstat <==      /proc/4242/schedstat:233161 365151 86
FILE = re.compile(
    r"/proc/(?P<pid>\d{1,10})(?:/task/(?P<tid>\d{1,10}))?/schedstat\b(?P<rest>:? ?\d{1,20} \d{1,20} \d{1,12})?"
    r"(?: <==)?\s*$"
)
# 23316138869 36515109862 8661
COUNTS = re.compile(r"^:? ?(?P<ran>\d{1,20}) (?P<waited>\d{1,20}) (?P<turns>\d{1,12})\s*$")
# python (4242, #threads: 5)
OWNER = re.compile(r"^\S.{0,60} \((?P<pid>\d{1,10}), #threads: \d{1,6}\)")
# se.sum_exec_runtime                          :         23316.138869
FIELD = re.compile(
    r"^(?:se\.)?(?:statistics\.)?(?P<name>sum_exec_runtime|wait_sum) {1,60}: {1,40}(?P<ms>\d{1,16}\.\d{1,9})\s*$"
)
# 10:01:02      UID       PID    %usr %system  %guest   %wait    %CPU   CPU  Command
HEADER = re.compile(r"^.{0,24}\bPID\b.{0,80}%usr\b.{0,60}%wait\b.{0,40}\bCommand\b")


def read(text: Text) -> Iterator[IoStatistics]:
    yield from schedstats(text)
    yield from scheds(text)
    yield from shares(text)


def schedstats(text: Text) -> Iterator[IoStatistics]:
    """Each schedstat below, or behind, the path that it was read from."""
    owner: re.Match[str] | None = None
    for line in text.lines():
        row = line.text[:300]
        if found := FILE.search(row):
            owner = found
            row = found["rest"] or ""
        if owner and (found := COUNTS.match(row)):
            ran, waited = int(found["ran"]) / 1e9, int(found["waited"]) / 1e9
            yield told(text, line, owner["pid"], {"cpu_ran_s": ran, "cpu_waited_s": waited}, owner["tid"])
            owner = None
        elif row.strip() and not FILE.search(line.text[:300]):
            owner = None


def scheds(text: Text) -> Iterator[IoStatistics]:
    """Each /proc/PID/sched that holds both sums: kernels that keep no statistics have no wait_sum."""
    pid: str | None = None
    ran: float | None = None
    for line in text.lines():
        row = line.text[:200]
        if found := OWNER.match(row):
            pid, ran = found["pid"], None
        elif pid and (found := FIELD.match(row)):
            seconds = float(found["ms"]) / 1000
            if found["name"] == "sum_exec_runtime":
                ran = seconds
            elif ran is not None:
                yield told(text, line, pid, {"cpu_ran_s": ran, "cpu_waited_s": seconds})
                pid = None


def shares(text: Text) -> Iterator[IoStatistics]:
    """Each row of pidstat's table of CPUs."""
    columns: list[str] = []
    for line in text.lines():
        row = line.text[:400]
        if HEADER.match(row):
            columns = row.split()[::-1]
            continue
        cells = row.split()[::-1]
        if not columns or len(cells) < 8:
            columns = columns if cells else []
            continue
        # from the right, since the time on the left has one word or two
        by_name = dict(zip(columns, cells, strict=False))
        pid, wait, cpu = (by_name.get(name, "") for name in ("PID", "%wait", "%CPU"))
        if whole_number(pid) is not None and all(re.fullmatch(r"\d{1,5}\.\d{1,3}", each) for each in (wait, cpu)):
            yield told(text, line, pid, {"cpu_wait_percent": float(wait), "cpu_percent": float(cpu)})


def told(text: Text, line: Line, pid: str, values: dict[str, float], tid: str | None = None) -> IoStatistics:
    return IoStatistics(
        source=source(text, line),
        subject=Subject(pid=int(pid), tid=int(tid) if tid else None),
        stamp=stamp_of(line.text),
        values=values,
    )


PARSER = Parser(
    tool="schedstat, pidstat",
    medium="pressure",
    footprint=footprint_of(FILE, FIELD, HEADER),
    read=read,
)
