"""The same work hangs with compilers side by side and goes through with one.

From a table of trials: one compile thread or worker, or one program at a time, in the condition of one that went well,
and a trial that names compilation too and hung. What is compiled beforehand cures a slow compilation as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.people import Trial
from ..incident import Incident
from ._symptom import Finding, Symptom

COMPILES = re.compile(r"compil|autotun", re.I)
# TORCHINDUCTOR_COMPILE_THREADS=1     compile one program at a time
ONE = re.compile(
    r"COMPILE_(?:THREADS|WORKERS|JOBS|PARALLELISM)[= ]1\b|\b(?:one|1) compil\w{1,8}[- ](?:thread|worker|job)\b"
    r"|\bcompil\w{1,8}\b.{0,40}\b(?:at a time|one by one|serial(?:ly|ized)?|sequential(?:ly)?)\b"
    r"|\b(?:serial|sequential)(?:ly)? compil",
    re.I,
)


def rule(incident: Incident) -> Iterator[Finding]:
    trials = [each for each in incident.of(Trial) if COMPILES.search(each.condition)]
    one = [trial for trial in trials if ONE.search(trial.condition)]
    hung = [trial for trial in trials if trial.outcome == "hang" and trial not in one]
    if one and hung and all(trial.outcome in ("ok", "slow") for trial in one):
        yield Finding(Subject(), (one[0], *hung[:3]), "it goes through where compilers do not meet each other")


SYMPTOM = Symptom(
    title="one compiler at a time does not hang",
    rule=rule,
    leak=0.0001,
    because="a program that is compiled alone is the same program; only the others' locks and devices are free",
    command="TORCHINDUCTOR_COMPILE_THREADS=1 and the same job again",
    cost_minutes=15,
)
