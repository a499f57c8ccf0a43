"""Helpers of a job ended and stay zombies that nobody collects, while others of their like and the job itself live on.

Or a program goes on to use a pool whose process is gone, as the pool itself says then. The others are told from two
process tables: at work in an earlier one, a zombie in a later one, with at least two others of the same command alive
in it. What a kill of the whole job leaves behind looks the same and does not count, and those that cannot die (state D)
are no others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.process import ProcessState
from ..evidence.supervisor import WatchdogFired
from ..incident import Incident
from ..runs import job_ends
from ._errors import matching
from ._symptom import Finding, Symptom

GONE = ("Z", "X")
HELD = "D"  # what cannot die either, after a kill of the whole job
# Attempting to use a closed pool (inductor's, whose process had exited)
USED = re.compile(r"SubprocPool unclean exit|Attempting to use a closed pool")


def rule(incident: Incident) -> Iterator[Finding]:
    for said in matching(incident, USED):
        yield Finding(Subject(pid=said.fact.subject.pid), (said.fact,), said.text.splitlines()[0][:160])
    killers = incident.of(WatchdogFired)
    if killers or job_ends(incident):
        return
    dead: list[ProcessState] = []
    commands: set[str] = set()
    for process in incident.links.processes.values():
        before = [row for row in process.states if row.state not in GONE]
        after = [row for row in process.states if row.state in GONE]
        if before and after:
            dead.append(after[-1])
            commands.add(before[0].command)
    tables = {row.source.file for row in dead}
    alive = [
        row
        for row in incident.of(ProcessState)
        if row.source.file in tables and row.command in commands and row.state not in (*GONE, HELD)
    ]
    if dead and len(alive) > 1:
        note = f"{len(dead)} helpers are zombies, {len(alive)} processes of their command live on"
        yield Finding(Subject(), (*dead[:4], *alive[:2]), note)


SYMPTOM = Symptom(
    title="dead workers that nobody collects",
    rule=rule,
    leak=0.001,
    because="a parent that looks after its workers collects a dead one within seconds",
    command="ps -eo pid,ppid,stat,etime,args --forest; sleep 60; ps -eo pid,ppid,stat,etime,args --forest",
    cost_minutes=2,
)
