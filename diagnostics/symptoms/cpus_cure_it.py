"""The same work is fast with other threads or more CPUs and slow without: a number of threads, a quota, a binding.

From a table of trials; a hang that a binding cures is none. The setting of the good trial is in no bad one, and
what else it says is part of what the bad one says; where it says nothing else, neither does the bad one. More readers
of a volume are no CPUs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.people import Trial
from ..incident import Incident
from ._cures import UNCHANGED
from ._symptom import Finding, Symptom

# threads/rank 4     threads per process = default (32)
# OMP_NUM_THREADS=16     --num-threads 4     --cpus 8     16 cores     --cpu-bind=none     taskset -c 0-31
SETTING = re.compile(
    r"\bthreads?[ _/-](?:per[ _-])?(?:rank|process|proc|worker|gpu|task)s?(?: ?[:=] ?| )"
    r"(?:\d{1,4}|default|unset|all)\b(?: \(\d{1,4}\))?"
    r"|\b(?:OMP|MKL|OPENBLAS|NUMEXPR)_NUM_THREADS[ =]\d{1,4}|--?cpus?(?:-per-task|-quota|-shares)?[ =]\d{1,7}"
    r"|\bcpus?[ =:]{1,2}\d{1,4}\b"
    r"|\b\d{1,4} (?:cpus?|cores|vcpus?|threads)\b|set_num_threads\(\d{1,4}\)"
    r"|(?:--?|\b)(?:(?:num|intra_op_num)[-_])?n?threads?[ =]\d{1,4}\b"
    r"|--(?:cpu-bind|hint|bind-to)[ =]\w{1,20}|\btaskset\b.{0,30}|\bnumactl\b.{0,40}",
    re.I,
)
WORD = re.compile(r"\w+")
OF_A_VOLUME = re.compile(r"\b(?:nfs|read\w{0,4}|disk|volume|fio|io|i/o|s3|lustre)\b", re.I)
SAME = frozenset({"with", "same", "and", "but", "plus", "job", "run", "as", "above", "again", "without"})


def rule(incident: Incident) -> Iterator[Finding]:
    trials = incident.of(Trial)
    bad = [trial for trial in trials if trial.outcome == "slow"]
    for well in trials:
        settings = {found[0].lower() for found in SETTING.finditer(well.condition)}
        if well.outcome != "ok" or not settings:
            continue
        if any(OF_A_VOLUME.search(each.condition) for each in (well, *bad)):
            continue
        work = _work(well)
        before = [each for each in bad if _is_same(work, each) and not settings & _settings(each)]
        if before and not any(settings & _settings(each) for each in bad):
            note = f"{before[0].condition}: {before[0].text}; {well.condition}: {well.text}"
            yield Finding(Subject(), (well, *before[:3]), note[:200])


def _is_same(work: set[str], other: Trial) -> bool:
    return work <= _words(other) if work else not _work(other) or UNCHANGED.match(other.condition) is not None


def _settings(trial: Trial) -> set[str]:
    return {found[0].lower() for found in SETTING.finditer(trial.condition)}


def _words(trial: Trial) -> set[str]:
    return set(WORD.findall(trial.condition.lower()))


def _work(trial: Trial) -> set[str]:
    """What a condition says beside its setting."""
    return set(WORD.findall(SETTING.sub(" ", trial.condition).lower())) - SAME


SYMPTOM = Symptom(
    title="other threads or more CPUs cure it",
    rule=rule,
    leak=0.0008,
    because="what does not wait for CPUs is no faster with more of them",
    tells_apart=("host",),
    command="OMP_NUM_THREADS=8 and the same job; nproc; taskset -cp JOB_PID",
    cost_minutes=10,
)
