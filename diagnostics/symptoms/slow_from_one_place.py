"""The work is slow with its data in one place and fast with them in another, or without any.

From a table of trials. The place is the mount of a path in the condition where mounts are known, else what the
condition calls it (nfs, lustre, s3, local, ssd, ramdisk, synthetic). All slow trials have one place, no trial that went
well has it, unless on fewer nodes, which ask less of it, and two of them differ in nothing else. ABSENT where trials in
two places or more went equally well.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.people import Trial
from ..incident import Incident
from ._places import place
from ._symptom import Finding, Symptom
from ._trials import apart_from_its_place, data_path, data_place


def rule(incident: Incident) -> Iterator[Finding]:
    placed = [(where, trial) for trial in incident.of(Trial) if (where := data_place(incident, trial))]
    slow = [(where, trial) for where, trial in placed if trial.outcome == "slow"]
    well = [(where, trial) for where, trial in placed if trial.outcome == "ok"]
    places = {where for where, _ in slow}
    alike = {apart_from_its_place(trial) for _, trial in slow} & {apart_from_its_place(trial) for _, trial in well}
    fewest = min((trial.nodes or 0 for _, trial in slow), default=0)
    as_many = {where for where, trial in well if trial.nodes is None or trial.nodes >= fewest}
    if len(places) == 1 and alike and not places & as_many:
        trials = [trial for _, trial in (*slow, *well)]
        elsewhere = next(trial for where, trial in well if where not in places)
        note = "; ".join(f"{trial.condition}: {trial.text}" for trial in (slow[0][1], elsewhere))
        yield Finding(place(incident, data_path(slow[0][1]), slow[0][1]), tuple(trials), note)
    elif not slow and len({where for where, _ in well}) > 1:
        yield Finding(Subject(), tuple(trial for _, trial in well), "it is as fast in every place", present=False)


SYMPTOM = Symptom(
    title="it is slow with the data in one place and fast in another",
    rule=rule,
    leak=0.0005,
    because="nothing but the way to the data differs between the two",
    tells_apart=("mount",),
    command="run the same job on a copy of the data on a local disk, and on synthetic data",
    cost_minutes=20,
)
