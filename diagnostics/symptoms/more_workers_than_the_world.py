"""More processes came to the start of a job than its world has: the launcher and the job were told different numbers.

By the store's own count at its barrier. It can never be passed, since the numbers have to be equal.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.job import SettingSeen
from ..incident import Incident
from . import Finding, Symptom


def rule(incident: Incident) -> Iterator[Finding]:
    for setting in incident.of(SettingSeen):
        if setting.name == "workers at the store's barrier":
            yield Finding(Subject(), (setting,), f"workers that came, of those that the world has: {setting.value}")


SYMPTOM = Symptom(
    title="more workers came than the world has",
    rule=rule,
    leak=0.0001,
    because="each rank counts once; a store that an earlier start has used is the one other way to it",
    command="echo $WORLD_SIZE $NNODES $SLURM_NTASKS; grep -n -i world_size train.log",
)
