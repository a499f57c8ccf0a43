"""Which CPUs a process may run on: `taskset -cp PID`, `/proc/PID/status`, `numactl --show`, Python, Slurm's variables.

    pid 4242's current affinity list: 3
    pid 4242's current affinity mask: ff
    Cpus_allowed_list:	0-47
    physcpubind: 0 1 2 3
    len(os.sched_getaffinity(0)) : 1
    SLURM_CPUS_ON_NODE=1
    worker 3 pid 4243 cpu_affinity: [0]
    pid 4243 {0}

What Slurm granted is what its cgroups allow. The value is the number of CPUs. A set as Python prints it, beside a pid
and no word of what it is of, counts as CPUs where three processes or more were given the same one and a wider set
that holds it was printed there too; sets that differ may be anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Source, Subject
from ..evidence.job import SettingSeen
from ..footprint import footprint_of
from ..text import Line, Text
from . import Parser

LIST = re.compile(
    r"^(?:pid (\d{1,9})'s (?:current|new) affinity list: |Cpus_allowed_list:\s{1,4}|physcpubind: )"
    r"([\d, -]{1,2000}?)\s*$"
)
MASK = re.compile(r"^pid (\d{1,9})'s (?:current|new) affinity mask: ([0-9a-f]{1,400})\s*$")
COUNT = re.compile(
    r"^\s{0,8}(?:len\(os\.sched_getaffinity\((?:0|os\.getpid\(\))?\)\)|\$?SLURM_(?:CPUS_ON_NODE|JOB_CPUS_PER_NODE))"
    r" {0,40}(?:[:=]|->) {0,4}(\d{1,5})\s*$"
)
_SET = r"[{\[](?P<set>\d{1,4}(?:, ?\d{1,4}){0,1023})[}\]]"
# worker 3 pid 4243 cpu_affinity: [0]      os.sched_getaffinity(0) -> {0, 1, 2, 3}
NAMED = re.compile(
    rf"(?i)^(?P<before>.{{0,160}}?)\b(?:(?:os\.)?sched_getaffinity\([^()]{{0,40}}(?:\(\))?\)"
    rf"|(?:cpu[ _]?)?affinity(?:\(\))?)[ \t]{{0,20}}(?:[:=]|->|is)?[ \t]{{0,20}}{_SET}[ \t]{{0,4}}$"
)
# Child pid is 4243 {0}      [pid 4243] {0, 1}
BARE = re.compile(r"^.{0,60}\bpid(?: is|:|=)? ?(?P<pid>\d{1,9})[\]:,]? \{(?P<set>\d{1,4}(?:, \d{1,4}){0,1023})\}\s*$")
WIDE = re.compile(r"^(?:.{0,60} )?\{(?P<set>\d{1,4}(?:, \d{1,4}){1,1023})\}\s*$")
PID = re.compile(r"(?i)\bpid(?: is|:|=)? ?(\d{1,9})\b")
OTHER = re.compile(r"(?i)gpu|device|cuda|rank|shard|expert|layer|port\b")
ALIKE = 3
PART = re.compile(r"(\d{1,5})(?:-(\d{1,5}))?")


def read(text: Text) -> Iterator[SettingSeen]:
    for line in text.lines():
        if found := LIST.match(line.text[:2100]):
            parts = PART.findall(found[2])
            count = sum(int(last or first) - int(first) + 1 for first, last in parts)
            yield told(text, line, found[1], count)
        elif found := COUNT.match(line.text[:200]):
            yield told(text, line, None, int(found[1]))
        elif found := MASK.match(line.text[:500]):
            yield told(text, line, found[1], int(found[2], 16).bit_count())
        elif found := NAMED.match(line.text[:5000]):
            pid = PID.search(found["before"])
            if not re.search(r"(?i)gpu|numa", found["before"]):
                yield told(text, line, pid[1] if pid else None, len(_members(found)))
    yield from sets(text)


def sets(text: Text) -> Iterator[SettingSeen]:
    """The bare sets beside pids, where several processes have one and the same."""
    rows = [(line, found) for line in text.matching(BARE) if (found := BARE.match(line.text[:5000]))]
    given = {found["pid"]: _members(found) for _, found in rows}
    if len(given) < ALIKE or len(set(given.values())) > 1 or any(OTHER.search(line.text[:5000]) for line, _ in rows):
        return
    wide = (found for line in text.matching(WIDE) if (found := WIDE.match(line.text[:5000])))
    if any(_members(found) > _members(rows[0][1]) for found in wide):
        for line, found in rows:
            yield told(text, line, found["pid"], len(_members(found)))


def _members(found: re.Match[str]) -> frozenset[str]:
    return frozenset(found["set"].replace(" ", "").split(","))


def told(text: Text, line: Line, pid: str | None, count: int) -> SettingSeen:
    return SettingSeen(
        source=Source(text.name, line.number, line.quote),
        subject=Subject(pid=int(pid)) if pid else Subject(),
        name="cpus allowed",
        value=str(count),
    )


PARSER = Parser(
    tool="taskset",
    medium="cpu-count",
    footprint=footprint_of(LIST, MASK, COUNT, NAMED, BARE),
    read=read,
)
