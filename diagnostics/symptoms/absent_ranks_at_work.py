"""A rank gave up waiting for the others to join the group, while they were on their CPUs.

Nobody spins before the group exists: a rank that is on a CPU then prepares, loads or compiles, and is late. By the
process table, where the one that waited is asleep beside it, or by the stack of a main thread that runs and is in no
collective.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.process import ProcessState
from ..incident import Incident
from ._reports import said
from ._symptom import Finding, Symptom
from ._waits import in_collective, main_stacks

GAVE_UP = re.compile(
    r"store based barrier on rank|store->get\('[^']{1,60}'\) got error: "
    r"(?:Socket Timeout|[Tt]imeout|[Ww]ait timeout)|waiting for clients\. \d{1,6}/\d{1,6} clients joined"
    r"|[Rr]endezvous.{0,80}timed? ?out|RendezvousTimeoutError|failed to pass monitoredBarrier"
    r"|initializing process group.{0,80}timed? ?out|[Tt]imed out initializing process group",
)
BUSY_PERCENT, IDLE_PERCENT = 80.0, 10.0


def rule(incident: Incident) -> Iterator[Finding]:
    """The ranks at work, with the word of the one that waited."""
    gave_up = list(said(incident, GAVE_UP))
    if not gave_up:
        return
    programs: dict[tuple[str, str], list[ProcessState]] = defaultdict(list)
    for row in incident.of(ProcessState):
        words = row.command.split()
        if len(words) > 1 and row.cpu_percent is not None:
            programs[row.source.file, " ".join(words[:2])].append(row)
    for rows in programs.values():
        busy = [row for row in rows if row.state == "R" and (row.cpu_percent or 0.0) >= BUSY_PERCENT]
        idle = [row for row in rows if row.state == "S" and (row.cpu_percent or 0.0) <= IDLE_PERCENT]
        if busy and idle:
            note = f"{len(busy)} processes of the program were at work while {idle[0].subject.pid} waited for them"
            yield Finding(Subject(), (gave_up[0], *busy[:4], idle[0]), note)
    for stack in main_stacks(incident):
        if stack.active and stack.frames and not in_collective(stack):
            note = f"process {stack.subject.pid} was in {stack.frames[0].function} when the others gave up waiting"
            yield Finding(Subject(), (gave_up[0], stack), note)


SYMPTOM = Symptom(
    title="the ranks that were waited for are at work",
    rule=rule,
    leak=0.001,
    because="ranks that are alive join their group at once, unless they have work to do before",
    command="ps -eo pid,stat,pcpu,time,args | grep train; tail -n 3 logs/rank*.log",
)
