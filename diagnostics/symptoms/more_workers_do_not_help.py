"""The GPUs idle, and with more loader workers the same work is no faster.

From trials that differ in numbers alone, among them that of the workers: twice as many or more, and a tenth faster at
most. Where they are far slower, they want CPUs, and that is another matter. Every GPU that was looked at shows a tenth
of its utilisation or less: of a job that is bound by its GPUs the same would be true.

Never ABSENT: more workers help a little on a volume of any speed.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from ..durations import seconds
from ..evidence import Subject
from ..evidence.gpu import GpuStatus
from ..evidence.people import Trial
from ..incident import Incident
from ..rates import RATE, speed
from ._symptom import Finding, Symptom

# num_workers=8      workers 16      --num-workers 4      8 loader workers
WORKERS = re.compile(
    r"\b(?:num_?|n_?|data_?loader_?|loader[ _])?workers?[ =:]{1,2}(\d{1,4})\b|-workers[ =](\d{1,4})\b"
    r"|\b(\d{1,4}) (?:data ?loader |loader )?workers\b",
    re.I,
)
NUMBER = re.compile(r"\d{1,9}(?:\.\d{1,6})?")
# epoch 2h31m      41 s
TIME = re.compile(r"~?(\d{1,6}(?:\.\d{1,4})?[^\W\d].{0,20})$")
MORE, FASTER, SLOWER = 2.0, 1.1, 0.7
IDLE_PERCENT = 10.0


def rule(incident: Incident) -> Iterator[Finding]:
    used = [status for status in incident.of(GpuStatus) if status.utilisation_percent is not None]
    if not used or any((status.utilisation_percent or 0.0) > IDLE_PERCENT for status in used):
        return
    for trials in _alike(incident):
        (few, first, slowest), (many, last, reached) = trials[0], trials[-1]
        paces = [pace for *_, pace in trials]
        if many >= MORE * few and max(paces) <= FASTER * slowest and reached >= SLOWER * slowest:
            note = f"{first.condition}: {first.text}; {last.condition}: {last.text}; and the GPUs idle"
            yield Finding(Subject(), (first, last, *used[:4]), note[:200])


def _alike(incident: Incident) -> Iterator[list[tuple[int, Trial, float]]]:
    """Trials that differ in numbers alone: how many workers, the trial and its pace, by the number of workers."""
    groups: dict[str, list[tuple[int, Trial, float]]] = defaultdict(list)
    for trial in incident.of(Trial):
        found, reached = WORKERS.search(trial.condition), _pace(trial)
        number = int(found[1] or found[2] or found[3]) if found else 0  # without one the job reads by itself
        if number and reached:
            groups[NUMBER.sub("#", trial.condition).lower()].append((number, trial, reached))
    for trials in groups.values():
        if len(trials) > 1:
            yield sorted(trials, key=lambda each: each[0])


def _pace(trial: Trial) -> float | None:
    """What is the larger, the faster: a rate, or one over a time."""
    if rate := RATE.search(trial.text):
        return speed(float(rate["value"]), rate["unit"])
    took = TIME.search(trial.text)
    lasted = seconds(took[1]) if took else None
    return 1 / lasted if lasted else None


SYMPTOM = Symptom(
    title="GPUs idle, and more loader workers do not help",
    rule=rule,
    leak=0.003,
    because="a part of the loading that one process does alone is no faster with more workers either",
    command="the same epoch with num_workers=4 and 16; nvidia-smi dmon -s u -c 20",
    cost_minutes=30,
)
