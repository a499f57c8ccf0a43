"""The same work fails on one device and runs on others.

From a table of trials in which one named GPU fails and at least one other does not, under a condition that names no
power, cable or load of the whole host.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence.job import Trial
from ..incident import Incident
from . import Finding, Symptom


def rule(incident: Incident) -> Iterator[Finding]:
    trials = [trial for trial in incident.of(Trial) if trial.subject.gpu is not None]
    well = [trial for trial in trials if trial.outcome == "ok"]
    bad = [trial for trial in trials if trial.outcome in ("fail", "hang")]
    if well and len({trial.subject.gpu for trial in bad}) == 1:
        yield Finding(bad[0].subject, (*bad, well[0]), f"it fails on GPU {bad[0].subject.gpu} and runs elsewhere")


SYMPTOM = Symptom(
    title="the failure stays with one device",
    rule=rule,
    leak=0.005,
    because="bad code fails on every device alike",
    tells_apart=("gpu",),
    command="CUDA_VISIBLE_DEVICES=OTHER python train.py",
    cost_minutes=15,
)
