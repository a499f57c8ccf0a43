"""Loaders of data: how they name their workers and loads, and reads that came after a wait."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from itertools import pairwise

from ..evidence import Evidence
from ..evidence.training import TrainingSteps
from ..incident import Incident
from ..runs import Run

LOADS = re.compile(r"\bload|\bread|\bshard|\bcheckpoint|\bfetch|\brestor", re.I)
LONG_S, SLOW_PIECE_S, VARIES = 600.0, 5.0, 10.0
WORKER = re.compile(
    "bus error encountered in (?:DataLoader )?worker"
    r"|DataLoader worker \(pid[^)]{0,40}\) is killed by signal: Bus error",
    re.I,
)
LARGE = 0.33
FEWEST_LATE = 2  # steps


def reads_came_after(incident: Incident, fact: Evidence) -> Sequence[TrainingSteps]:
    """The runs whose steps went on after a fact and waited for data that did come: what they read is served, and
    slowly.
    """
    moment = incident.timeline.at(fact)
    return [run.steps for run in incident.runs if moment and _late_steps(incident, run, moment) >= FEWEST_LATE]


def _late_steps(incident: Incident, run: Run, moment: datetime) -> int:
    """How many steps after a moment waited for their data for a third of their time or more."""
    stamp, columns = run.steps.stamp, run.steps.columns
    if stamp is None or not {"seconds", "data_wait_s"} <= set(columns):
        return 0
    rows = list(zip(columns["seconds"], columns["data_wait_s"], strict=False))
    late = 0
    for (before, _), (at, wait) in pairwise(rows):
        begun = incident.timeline.at(run.steps, stamp._replace(seconds=before)) if before == before else None
        late += bool(begun and begun >= moment and at > before and wait >= LARGE * (at - before))
    return late
