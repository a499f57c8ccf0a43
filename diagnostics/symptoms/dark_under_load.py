"""A machine goes dark when a GPU is loaded, and stays up when it is idle or another one is.

From a table of trials. A card that is lost while the machine stays is no such thing.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence.people import Trial
from ..incident import Incident
from ._symptom import Finding, Symptom
from ._trials import takes_a_card


def rule(incident: Incident) -> Iterator[Finding]:
    trials = incident.of(Trial)
    dark = [trial for trial in trials if trial.outcome == "off" and not takes_a_card(trial)]
    well = [trial for trial in trials if trial.outcome == "ok"]
    if dark and well:
        yield Finding(dark[0].subject, (*dark, *well), f"{dark[0].condition}: {dark[0].text}")


SYMPTOM = Symptom(
    title="the machine goes dark under a GPU's load",
    rule=rule,
    leak=0.001,
    because="software can crash a machine; it rarely does so with the load of one device and leaves no word",
    tells_apart=("host",),
    command="sudo ipmitool sel elist | tail; nvidia-smi -pl LOWER and try again",
    cost_minutes=10,
)
