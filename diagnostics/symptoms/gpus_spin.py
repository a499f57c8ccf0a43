"""All GPUs show full utilisation although the job hardly advances: they spin in a collective.

At least two GPUs are shown, all of them at 95 % and more, and the work is slow or stands still by its log or by
trials. ABSENT where some GPU of a slow job idles.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence import Evidence, Subject
from ..evidence.collective import CollectiveTimeout
from ..evidence.gpu import GpuStatus
from ..incident import Incident
from ._symptom import Finding, Symptom
from ._trials import across_nodes

BUSY_PERCENT = 95.0


def rule(incident: Incident) -> Iterator[Finding]:
    shown = [status for status in incident.of(GpuStatus) if status.utilisation_percent is not None]
    _, together = across_nodes(incident)
    slow: list[Evidence] = [*incident.of(CollectiveTimeout), *(trial for trial in together if trial.outcome != "ok")]
    if len(shown) < 2 or not slow:
        return
    busy = all((status.utilisation_percent or 0.0) >= BUSY_PERCENT for status in shown)
    note = f"{len(shown)} GPUs, " + ("all at full utilisation" if busy else "not all of them busy")
    yield Finding(Subject(), (*shown[:8], slow[0]), note, present=busy)


SYMPTOM = Symptom(
    title="GPUs show full utilisation without progress",
    rule=rule,
    leak=0.1,
    because="a GPU that waits in NCCL's kernel counts as busy, whatever it waits for",
    command="nvidia-smi --query-gpu=index,utilization.gpu,power.draw --format=csv -l 5",
)
