"""CUDA did not find its device, and finds it once the driver's module has been taken out and loaded again.

The reload and CUDA's answer stand in one session; that CUDA refused before stands there or in any log of the incident.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.job import SettingSeen
from ..incident import Incident
from ._registry import findings_of
from ._reports import said
from ._symptom import Finding, Symptom

# CUDA's word for a context that it could not make
UNKNOWN = re.compile(r"CUDA_ERROR_UNKNOWN|cuda runtime error \(999\)|CUDA error: unknown error|error=999", re.I)


def rule(incident: Incident) -> Iterator[Finding]:
    answers = [fact for fact in incident.of(SettingSeen) if fact.name == "CUDA available"]
    findings = findings_of(incident, "driver-refuses", "driver-init-failed")
    refused = [fact for finding in findings if finding.present for fact in finding.evidence]
    refused += said(incident, UNKNOWN)
    for reload in incident.of(SettingSeen):
        if reload.name != "driver reloaded":
            continue
        here = [fact for fact in answers if fact.source.file == reload.source.file]
        after = [fact for fact in here if fact.source.line >= reload.source.line]
        before = [fact for fact in here if fact.source.line < reload.source.line and fact.value == "False"]
        ill = [*before[-1:], *refused[:1]]
        if ill and after and after[0].value == "True":
            yield Finding(Subject(), (*ill, reload, after[0]), f"CUDA works again since {reload.value} was reloaded")


SYMPTOM = Symptom(
    title="loading the driver again makes CUDA work",
    rule=rule,
    leak=0.0003,
    because="what is broken, missing or of another version stays so when a module is loaded again",
    tells_apart=("host",),
    command="sudo rmmod nvidia_uvm && sudo modprobe nvidia_uvm; python -c 'import torch; "
    "print(torch.cuda.is_available())'",
    cost_minutes=2,
)
