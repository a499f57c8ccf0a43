"""The last signs of life of a process, and whether it went on since."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from datetime import datetime

from ..evidence.process import ProcessState
from ..evidence.supervisor import WatchdogFired, WatchdogObservation
from ..evidence.training import TrainingSteps
from ..incident import Incident
from ..links import Process

SHARE = 0.4


def last_signs(incident: Incident) -> list[tuple[TrainingSteps, datetime]]:
    """Each run's steps with the moment of its last one, and with that of its own good end."""
    found = []
    for run in incident.runs:
        good_end = run.ended if run.ended_in_order else run.finished if not run.failed else None
        moments = (
            incident.timeline.at(run.steps, run.steps.last_stamp),
            incident.timeline.at(good_end) if good_end else None,
        )
        found += [(run.steps, moment) for moment in moments if moment]
    return found


def has_passed(
    incident: Incident,
    silence: WatchdogFired | WatchdogObservation,
    signs: Sequence[tuple[TrainingSteps, datetime]],
) -> bool:
    """True where one of the last signs of life came after a watchdog said that there were none."""
    moment = incident.timeline.at(silence)
    return moment is not None and any(
        sign > moment and incident.links.may_be_beside(steps, silence) for steps, sign in signs
    )


def growing(process: Process) -> list[ProcessState]:
    """Two rows between which the process used a large part of a CPU."""
    rows = [row for row in process.states if row.cpu_s is not None and row.elapsed_s is not None]
    for first, second in itertools.pairwise(rows):
        passed = (second.elapsed_s or 0) - (first.elapsed_s or 0)
        if passed > 1 and (second.cpu_s or 0) - (first.cpu_s or 0) >= SHARE * passed:
            return [first, second]
    return []
