"""A GPU waits for its NVLink fabric, and CUDA does not start before it is there.

CUDA's "system not yet initialized" (802), or a GPU whose fabric is "In Progress" or "Not Started" while the fabric
manager does not run. Alone, a fabric in progress is how each GPU of such a machine starts; and a manager that does not
run says nothing where there is no NVSwitch. A fabric that refused a GPU is a report of NVLink.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Evidence
from ..evidence.gpu import GpuToolError
from ..evidence.process import ServiceState
from ..incident import Incident
from ._reports import findings, gpu_subject, said, words_of
from ._symptom import Finding, Symptom

WORDS = re.compile(r"system not yet initialized|CUDA_ERROR_SYSTEM_NOT_READY|cudaErrorSystemNotReady", re.I)
STAGE = re.compile(r"Fabric State: ")
MANAGER = re.compile(r"^nvidia-fabricmanager$")


def rule(incident: Incident) -> Iterator[Finding]:
    errors = [error for error in incident.of(GpuToolError) if error.about == "not-ready"]
    stages = [error for error in errors if STAGE.match(error.text)]
    refused: list[Evidence] = [error for error in errors if not STAGE.match(error.text)]
    refused += [fact for fact in said(incident, WORDS) if not isinstance(fact, GpuToolError)]
    services = (each for each in incident.of(ServiceState) if MANAGER.match(each.subject.job or ""))
    managers = [(each, f"the fabric manager is {each.state}") for each in services if each.state != "active"]
    if refused or (stages and managers):
        facts = [*((fact, words_of(fact)) for fact in (*refused, *stages)), *managers]
        yield from findings(incident, facts, lambda fact: gpu_subject(incident, fact.subject))


SYMPTOM = Symptom(
    title="CUDA waits for the GPUs' fabric",
    rule=rule,
    leak=0.0002,
    because="where the links are trained and their manager runs, a GPU joins its fabric within seconds of a start",
    command="systemctl status nvidia-fabricmanager; nvidia-smi -q | grep -A 3 Fabric; nvidia-smi nvlink -s",
)
