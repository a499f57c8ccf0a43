"""The same work fails in a container as it comes and goes through with more shared memory.

From a table of trials: a size of /dev/shm, or the host's own (--ipc=host), in the condition of a trial that went well
and in that of none that failed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Subject
from ..incident import Incident
from ._cures import cures, settings
from ._symptom import Finding, Symptom

SIZE = re.compile(r"--?shm[-_]size[= ]\S{1,12}|--ipc[= ]host|/dev/shm[ =](?:of )?\d{1,6} ?[MGT]i?B?\b", re.I)


def rule(incident: Incident) -> Iterator[Finding]:
    for well, failed, size in cures(incident, settings(SIZE), bad=("fail", "hang")):
        yield Finding(Subject(), (well, *failed[:3]), f"it goes through with {size} and fails without")


SYMPTOM = Symptom(
    title="more shared memory makes it work",
    rule=rule,
    leak=0.001,
    because="nothing but shared memory differs between the trials",
    command="docker run --shm-size=16g ... and the same job again",
    cost_minutes=10,
)
