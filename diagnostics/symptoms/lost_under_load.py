"""A GPU is gone in one trial and well in another: loaded and idle, behind a riser and in the slot.

From a table of trials.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence.people import Trial
from ..incident import Incident
from ._symptom import Finding, Symptom
from ._trials import takes_a_card


def rule(incident: Incident) -> Iterator[Finding]:
    trials = incident.of(Trial)
    gone = [trial for trial in trials if takes_a_card(trial)]
    well = [trial for trial in trials if trial.outcome == "ok"]
    if gone and well:
        yield Finding(gone[0].subject, (*gone, *well), f"{gone[0].condition}: {gone[0].text}")


SYMPTOM = Symptom(
    title="a GPU is lost when it is loaded or connected otherwise",
    rule=rule,
    leak=0.002,
    because="load stresses power and link; code hardly ever takes a device away",
    tells_apart=("host", "gpu"),
    command="nvidia-smi -pl LOWER; setpci or BIOS: a lower PCIe speed; try another slot",
    cost_minutes=20,
)
