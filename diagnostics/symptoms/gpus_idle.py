"""The GPUs idle while the run makes steps: something before them is too slow to feed them.

All GPUs that were looked at show a tenth of their utilisation or less, and the run's log has steps and no end. ABSENT
where one of them is at four fifths or more.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.gpu import GpuStatus
from ..incident import Incident
from ._registry import findings_of
from ._symptom import Finding, Symptom

IDLE_PERCENT = 10.0
BUSY_PERCENT = 80.0


def rule(incident: Incident) -> Iterator[Finding]:
    at_work = [run for run in incident.runs if run.is_last and not run.ended and not run.failed and not run.finished]
    shown = [status for status in incident.of(GpuStatus) if status.utilisation_percent is not None]
    if not at_work or not shown or any(finding.present for finding in findings_of(incident, "progress-stopped")):
        return
    most = max(status.utilisation_percent or 0.0 for status in shown)
    if most <= IDLE_PERCENT:
        note = f"{len(shown)} GPUs at {most:.0f} % and less while the run makes steps"
        yield Finding(Subject(), (*shown[:8], at_work[0].steps), note)
    elif most >= BUSY_PERCENT:
        yield Finding(Subject(), tuple(shown[:8]), "the GPUs are busy", present=False)


SYMPTOM = Symptom(
    title="the GPUs idle while the run makes steps",
    rule=rule,
    leak=0.03,
    because="a look at the wrong moment (between steps, in a save) shows idle GPUs too",
    command="nvidia-smi --query-gpu=index,utilization.gpu --format=csv -l 5",
)
