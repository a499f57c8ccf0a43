"""A GPU's clocks are held down by heat or power, as its driver says.

An active hardware slowdown, thermal slowdown or power brake, from the driver, a health test or a monitor. A software power cap is how every loaded GPU of a capped
fleet looks and is no part of this.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence.gpu import GpuDiagnostic, GpuThrottle
from ..incident import Incident
from . import Finding, Symptom
from ._reports import gpu_subject, said, words_of

WORDS = re.compile(
    r"clocks? (?:are being throttled|throttling)|HW Slowdown is engaged|HW_SLOWDOWN_VIOLATION|hw slowdown events", re.I
)
REASONS = ("hw slowdown", "thermal slowdown", "power brake")


def rule(incident: Incident) -> Iterator[Finding]:
    for fact in incident.of(GpuThrottle):
        if any(reason in fact.reason.lower() for reason in REASONS):
            yield Finding(gpu_subject(incident, fact.subject), (fact,), f"{fact.reason} is active")
    tests = [test for test in incident.of(GpuDiagnostic) if WORDS.search(test.text)]
    for report in (*tests, *said(incident, WORDS)):
        yield Finding(gpu_subject(incident, report.subject), (report,), words_of(report)[:200])


SYMPTOM = Symptom(
    title="heat or power holds clocks down",
    rule=rule,
    leak=0.001,
    because="a hardware slowdown is no part of normal work",
    tells_apart=("host", "pci"),
    command="nvidia-smi -q -d PERFORMANCE,TEMPERATURE,POWER",
)
