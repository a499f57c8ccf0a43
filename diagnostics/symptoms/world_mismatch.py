"""A job's start that does not fit its world: the launcher and the job were told different numbers.

By the store's own count at its barrier, which can never be passed, since the numbers have to be equal. Or a process is
told to be a rank that a world of this size has not: it waits for a store that nobody opens.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.job import WorldMismatch
from ..incident import Incident
from . import Finding, Symptom


def rule(incident: Incident) -> Iterator[Finding]:
    for start in incident.of(WorldMismatch):
        if start.workers is not None:
            note = f"{start.workers} workers came to a world of {start.world_size}"
        else:
            note = f"rank {start.rank} in a world of {start.world_size}, whose ranks count from 0"
        yield Finding(Subject(), (start,), note)


SYMPTOM = Symptom(
    title="more workers came than the world has, or a rank that it has not",
    rule=rule,
    leak=0.00003,
    because="each rank counts once; a store that an earlier start has used is the one other way to it",
    command="echo $WORLD_SIZE $NNODES $SLURM_NTASKS; grep -n -i world_size train.log",
)
