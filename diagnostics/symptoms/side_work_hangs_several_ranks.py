"""Work beside the training steps hangs where several ranks do it: it goes through on one rank, and several go through
without it.

From a table of trials in which both the number of ranks and a switch vary: a profiler, an evaluation, samples, a log, a
metric. Saving is none, since it also waits for a volume, nor is a switch of the transport.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.people import Trial
from ..incident import Incident
from ._symptom import Finding, Symptom

# processes 4      4 GPUs      world_size=8      nproc_per_node 2
RANKS = re.compile(
    r"\b(?:num[ _])?(?:processes|procs?|ranks?|gpus?|devices|world[ _]size|nproc\w{0,10}|np|nodes|hosts)[ =:]{1,3}"
    r"(\d{1,6})\b"
    r"|\b(\d{1,6}) ?x? ?(?:processes|process|procs?|ranks?|gpus?|devices?|nodes?|hosts?)\b",
    re.I,
)
SIDE = re.compile(
    r"(?P<without>\b(?:no|without|w/o|skip(?:ping)?|disable)[ _-])?"
    r"(?<![a-z])(?:\w{1,20}[_-])?(?P<work>profil|eval|valid|sampl(?:es?|ing)(?![a-z])|generat|callback|metric"
    r"|log(?:g(?:er|ing)|_)|wandb|tensorboard|visuali[sz]|plot|preview|histogram)\w{0,30}"
    r"(?:[ =:]{1,3}(?P<state>true|false|on|off|yes|no|enabled|disabled|none|never|0|1)\b)?",
    re.I,
)
OFF = ("false", "off", "no", "disabled", "none", "never", "0")


def rule(incident: Incident) -> Iterator[Finding]:
    trials = [(trial, ranks, _side_work(trial)) for trial in incident.of(Trial) if (ranks := _ranks(trial))]
    for hung, several, work in trials:
        if hung.outcome != "hang" or several < 2:
            continue
        alone = [trial for trial, ranks, same in trials if ranks == 1 and work & same]
        without = [trial for trial, ranks, same in trials if ranks > 1 and not work & same]
        if alone and without and all(trial.outcome == "ok" for trial in (*alone, *without)):
            note = "; ".join(f"{trial.condition}: {trial.text}" for trial in (hung, alone[0], without[0]))
            yield Finding(Subject(), (hung, alone[0], without[0]), note[:200])


def _ranks(trial: Trial) -> int | None:
    found = RANKS.search(trial.condition)
    return int(found[1] or found[2]) if found else None


def _side_work(trial: Trial) -> set[str]:
    """What a trial did beside its steps."""
    told = SIDE.finditer(trial.condition)
    return {
        found["work"].lower() for found in told if not found["without"] and (found["state"] or "").lower() not in OFF
    }


SYMPTOM = Symptom(
    title="side work hangs with several ranks",
    rule=rule,
    leak=0.001,
    because="a fault of the network or of a device does not ask whether the job samples, evaluates or profiles",
    command="the same job with one process, and once more with several and without the side work",
    cost_minutes=20,
)
