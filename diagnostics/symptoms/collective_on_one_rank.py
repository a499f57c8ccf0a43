"""One rank waits in a collective below a call that the script makes on that rank alone.

The script shows a call below a test of the rank, and the stack of one rank passes through that call into a collective,
while no other rank's does. Where nobody took stacks: a collective timed out, and the call is one whose library says
that all ranks have to make it. One that saves is harmless in some setups; it counts where the run stands at its first
save. A barrier does not count: scripts put one on either side of what one rank does first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ..evidence import Subject
from ..evidence.collective import CollectiveTimeout
from ..evidence.job import SettingSeen
from ..evidence.process import PythonStack
from ..incident import Incident
from ._limits import last_phase
from ._ranks import positions
from ._runs import column
from ._symptom import Finding, Symptom

# accelerator.gather_for_metrics(preds)     dist.all_reduce(loss)     self.log("val/ap", ap, sync_dist=True)
OF_ALL_RANKS = re.compile(
    r"\baccelerator\.(?:gather|gather_for_metrics|reduce|pad_across_processes)\("
    r"|\b(?:dist|distributed|hvd|comm)\.(?:all_?reduce|all_?gather\w{0,20}|reduce_?scatter\w{0,20}|broadcast\w{0,20}"
    r"|reduce|gather\w{0,10})\((?![^\n]{0,300}\bgroup=)"
    r"|\.log(?:_dict)?\((?=[^\n]{0,300}\bsync_dist ?= ?True)(?![^\n]{0,300}\brank_zero_only ?= ?True)"
)
# accelerator.save_state(path)     engine.save_checkpoint(out, tag=step)     dcp.save(state, checkpoint_id=path)
SAVES = re.compile(
    r"\baccelerator\.(?:save_state|get_state_dict)\(|engine\.save_(?:checkpoint|16bit_model|fp16_model)\("
    r"|\b(?:dcp|dist_cp|distributed_checkpoint)\.(?:async_)?save(?:_state_dict)?\(|\.consolidate_state_dict\("
    r"|\b(?:FSDP|FullyShardedDataParallel)\.(?:full_)?optim_state_dict\("
)
# save_steps=500     checkpoint_every=2000     what the test itself says
INTERVAL = re.compile(
    r"(?i)^called on one rank every$|^(?=\w{0,40}(?:save|checkpoint|ckpt))\w{0,40}"
    r"(?:steps?|freq(?:uency)?|every|interval)\w{0,10}$"
)


def rule(incident: Incident) -> Iterator[Finding]:
    guarded = [each for each in incident.of(SettingSeen) if each.name == "called on one rank"]
    seen = (
        [(position, position.fact) for position in positions(incident) if isinstance(position.fact, PythonStack)]
        if guarded
        else []
    )
    for call in guarded if len(seen) > 1 else ():
        inside = [position for position, stack in seen if call.value in _names(stack)]
        if len(inside) == 1 and inside[0].waits_for_ranks:
            note = f"{inside[0].subject} waits in {inside[0].where} below {call.value}, which no other rank calls"
            yield Finding(inside[0].subject, (inside[0].fact, call), note)
    timeouts = incident.of(CollectiveTimeout) if len(seen) < 2 else []
    for call in guarded if timeouts else ():
        if _is(OF_ALL_RANKS, call) or (_is(SAVES, call) and _stands_at_its_first_save(incident)):
            note = f"{call.value} is for all ranks to call, and one rank alone does"
            yield Finding(Subject(), (call, timeouts[0]), note)


def _is(pattern: re.Pattern[str], call: SettingSeen) -> bool:
    """True where the line makes the call itself in such a way, and not another one beside it."""
    return any(f"{call.value}(" in found[0] for found in pattern.finditer(call.source.quote))


def _stands_at_its_first_save(incident: Incident) -> bool:
    """True where the last step is the first one that the configuration says to save, or a save that was begun is the
    last word.
    """
    known = [run for run in incident.runs if run.is_last and run.steps.last_step is not None]
    values = [each.value for each in incident.of(SettingSeen) if INTERVAL.match(each.name)]
    intervals = [int(value) for value in values if value.isdecimal() and int(value)]
    if known and intervals:
        return all(_is_near(run.steps.last_step or 0, intervals, column(run.steps, "step")) for run in known)
    last = last_phase(incident)
    return last is not None and last.phase == "save" and last.edge != "end"


def _is_near(step: int, intervals: Sequence[int], steps: Sequence[float]) -> bool:
    apart = steps[-1] - steps[-2] if len(steps) > 1 else 0
    return any(abs(step - interval) <= apart for interval in intervals)


def _names(stack: PythonStack) -> set[str]:
    return {frame.function.rpartition(".")[2] for frame in stack.frames}


SYMPTOM = Symptom(
    title="a collective below a call that one rank alone makes",
    rule=rule,
    leak=0.0003,
    because="what all ranks have to call cannot stand below a test of the rank",
    command="py-spy dump --nonblocking --pid JOB_PID on every rank; grep -n -A 5 -E 'rank *== *0|is_main' train.py",
)
