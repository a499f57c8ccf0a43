"""A machine is without power: its management controller, which has a supply of its own, says that it is off.

ABSENT where a controller says that its machine is on.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence.kernel import PowerState
from ..incident import Incident
from ._symptom import Finding, Symptom


def rule(incident: Incident) -> Iterator[Finding]:
    states = incident.of(PowerState)
    off = [state for state in states if not state.on]
    for state in off:
        yield Finding(state.subject, (state,), f"{state.subject.host or 'the machine'} is switched off")
    if states and not off:
        yield Finding(states[0].subject, (states[0],), "the machine is switched on", present=False)


SYMPTOM = Symptom(
    title="a machine is switched off",
    rule=rule,
    leak=0.002,
    because="somebody switched it off, and knows it",
    tells_apart=("host",),
    command="ipmitool -I lanplus -H BMC -U USER power status; ipmitool -H BMC sel elist | tail",
)
