"""A power supply or a regulator behind it failed, lost its input or was removed, as the management controller or the
kernel reports it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence.kernel import ThermalOrPowerMessage
from ..incident import Incident
from ._reports import findings
from ._symptom import Finding, Symptom

WORDS = re.compile(
    "AC lost|Power Supply.{0,80}(?:fail|lost|removed|absent|out[- ]of[- ]range|predictive)"
    "|PSU.{0,60}(?:fail|lost|removed)"
    "|Power Unit.{0,60}(?:failure|power off|power down|Redundancy lost|Non-redundant)|input (?:is )?lost"
    r"|Input Power Loss|Critical Fault .{0,80}\bRegulator\b|on (?:UPS )?batter(?:y|ies)\b",
    re.I,
)


def rule(incident: Incident) -> Iterator[Finding]:
    yield from findings(
        incident, [(fact, fact.text) for fact in incident.of(ThermalOrPowerMessage) if WORDS.search(fact.text)]
    )


SYMPTOM = Symptom(
    title="a power supply failed or lost its input",
    rule=rule,
    leak=0.003,
    because="a supply that is changed while another carries the load",
    tells_apart=("host",),
    command="sudo ipmitool sel elist | grep -i power; sudo ipmitool sdr type 'Power Supply'",
)
