"""A health test of a GPU's memory fails (dcgmi diag: memory, memtest, pending repairs). ABSENT where it passes.

A test that got no hold of the device has not failed.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence.gpu import GpuDiagnostic
from ..incident import Incident
from ._gpus import MEMORY, could_not_run
from ._reports import gpu_subject
from ._symptom import Finding, Symptom


def rule(incident: Incident) -> Iterator[Finding]:
    results = incident.of(GpuDiagnostic)
    not_run = {each.subject.gpu for each in results if could_not_run(each)}
    for each in results:
        if each.outcome == "fail" and each.subject.gpu in not_run:
            continue
        if MEMORY.search(f"{each.test} {each.text}") and each.outcome in ("fail", "pass"):
            note = f"{each.test}: {each.text or each.outcome}"
            yield Finding(gpu_subject(incident, each.subject), (each,), note[:200], present=each.outcome == "fail")


SYMPTOM = Symptom(
    title="a GPU memory test fails",
    rule=rule,
    leak=0.001,
    because="the test writes patterns and reads them back",
    tells_apart=("host", "gpu"),
    command="dcgmi diag -r 3",
    cost_minutes=20,
)
