"""Whether forked workers hang is decided by what their parent did before it forked them.

From a table of trials: one hung and one went well, and they differ in what was called, read, built or imported in the
parent or before the fork; or the work goes through as soon as a library keeps no threads in the parent
(TOKENIZERS_PARALLELISM=false, one OpenMP thread). Only where workers are named: a call that hangs by itself has no
parent, and where nodes or collectives differ, those may be what decides.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.people import Trial
from ..incident import Incident
from ._cures import cures, settings
from ._symptom import Finding, Symptom

PARENT = re.compile(
    r"\b(?:in|by) (?:the )?(?:parent|main process)\b|\((?:the )?(?:parent|main process)\)"
    r"|\b(?:before|after) (?:the )?(?:fork\w{0,4}|loader|data ?loader|workers?|pool)\b"
    r"|\bfirst, then (?:the )?(?:data ?loader|fork|workers?|pool)"
    r"|\b(?:parent|main process) (?:(?:does not|doesn't|never|also|first|only|has) )?"
    r"(?:call|import|use|touch|load|build|run|open|create|start|read|encode|hold)(?:s|es|ed)?\b"
    r"|\bonly in (?:the )?(?:child(?:ren)?|workers?)\b"
    r"|\b(?:fork|workers|pool)(?: (?:is|are))? (?:forked |started |made )?first\b",
    re.I,
)
UNFORKED = re.compile(r"\b(?:num_)?(?:workers|proc)[ =:]{1,3}0\b|\b(?:0|no|without) workers\b", re.I)
NOT = re.compile(r"\b(?:not|no|never|without|nothing)\b|n't\b", re.I)
NO_THREADS = re.compile(
    r"\bTOKENIZERS_PARALLELISM[= ](?:false|0)\b|\b(?:OMP|MKL|OPENBLAS|RAYON|POLARS_MAX|NUMEXPR)_(?:NUM_)?THREADS[= ]1\b"
    r"|\bset_?num_?threads\([01]\)"
    r"|\bset_(?:cpu|io_thread)_count\(1\)|\bKMP_INIT_AT_FORK[= ](?:false|0)\b"
    r"|\bGRPC_ENABLE_FORK_SUPPORT[= ](?:false|true|0|1)\b"
    r"|\b(?:intra|inter)_op_parallelism_threads[= ]1\b",
    re.I,
)
# a worker may be named in the condition, or in what happened to it
WORKERS = re.compile(r"worker|fork|\bpool\b|\bchild|num_proc|\bmap\b|data ?loader|\bloader\b", re.I)


OTHERWISE = re.compile(r"\bnodes?\b|barrier|nccl|all_?(?:reduce|gather)|\bdist\b|\bprecompiled?\b|iommu|p2p", re.I)


def rule(incident: Incident) -> Iterator[Finding]:
    trials = incident.of(Trial)
    if any(OTHERWISE.search(trial.condition) for trial in trials) or not any(
        WORKERS.search(f"{trial.condition} {trial.text}") for trial in trials
    ):
        return
    hung = [trial for trial in trials if trial.outcome == "hang"]
    said = {_of_the_parent(trial) for trial in hung}
    for well in (trial for trial in trials if trial.outcome == "ok" and hung and not UNFORKED.search(trial.condition)):
        if _of_the_parent(well) not in said:
            yield Finding(Subject(), (well, *hung[:3]), f"it hangs or not by what the parent did: {well.condition}")
            return
    for well, others, setting in cures(incident, settings(NO_THREADS), bad=("hang",)):
        yield Finding(Subject(), (well, *others[:3]), f"it goes through with {setting} and hangs without")


def _of_the_parent(trial: Trial) -> tuple[str, bool] | None:
    """What a condition says of the parent or of the time before the fork, and whether it denies it."""
    found = PARENT.search(trial.condition)
    return (found[0].lower(), NOT.search(trial.condition) is not None) if found else None


SYMPTOM = Symptom(
    title="what the parent did before it forked decides whether the workers hang",
    rule=rule,
    leak=0.0004,
    because="a child gets of its parent's threads nothing but the locks they hold at the fork",
    command="DataLoader(..., multiprocessing_context='spawn') and the same job again",
    cost_minutes=15,
)
