"""What a training log says between its steps: runs begin and end, phases, checkpoints.

    2026-11-29 12:41:06 + python -u /workspace/train/trainer.py --data /workspace/local/shards --seed 10
    2026-11-29 12:41:08,050 INFO train: torch 2.13.0+cpu | python 3.11.7 | pid 3399 | params 2.51M | world 1
    2026-11-29 12:53:10,753 INFO train: step 18: running evaluation on 400 batches
    2026-11-29 12:41:15,485 INFO train: saved /workspace/local/ckpt/step_000005.pt (47.0 MB) in 0.0 s

A line about a checkpoint is also a phase ("save", "load"): a rule about time asks for phases, one about files for
checkpoints.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ..durations import seconds
from ..evidence import Evidence
from ..evidence.training import CheckpointEvent, Phase, RunFinished, RunStarted
from ..text import Text
from . import Parser, _phases
from ._job_lines import Message, Words, footprint_of_messages, messages
from ._phases import CHECKPOINTS, FINISHED, PHASES, SIZES

# + python -u /workspace/train/trainer.py --data /workspace/shards
COMMAND = re.compile(
    r"^\+{1,3} ((?:\S{1,200}/)?(?:python[\d.]*|torchrun|accelerate|deepspeed|srun|mpirun|mpiexec|bash|sh|exec"
    r"|timeout|nohup|env|[A-Z_]{1,60}=\S{0,200})\b.*)$"
)
# train: torch 2.13.0+cpu | python 3.11.7 | pid 3399 | params 2.51M | world 1 | data /workspace/shards (8 shards)
BANNER = re.compile(r"\btorch \d+\.\d+\S* \| python ")
STARTED = re.compile(
    r"\*{3,} Running training \*{3,}|^\s*Starting training\b|^training \.\.\.|^Training started\b"
    "|^Start(?:ing)? running, host:"
)
OF_RANK = re.compile(r"(?i)\b(?:on )?rank[ :=]{0,2}(\d{1,6})\b")
FIELD = re.compile(r"\b(pid|world|world_size)[ =:]{1,2}(\d{1,9})\b")
PATH = re.compile(r"(?:(?<=[\s=:'\"])|^)(/[\w.@+%=-]{1,200}(?:/[\w.@+%=-]{1,200}){0,30}/?)(?=[\s,;:'\")\]]|$)")
STEP = re.compile(
    r"(?i)\b(?:step|iteration|epochs?|at)[ :=_]{1,3}(\d{1,12})\b(?!\.\d)|\b(\d{1,9}) epochs\b"
    r"|(?:step|iter|checkpoint|epoch)[_-](\d{1,12})\b"
)
TOOK = re.compile(r"(?:\b(?:in|took|elapsed)|B,) (\d{1,9}(?:\.\d{1,9})? ?(?:s|ms|sec|seconds|min|minutes))\b")
SIZE = re.compile(r"(?:\(|, )(\d{1,9}(?:\.\d{1,6})?) ?([kKMGT]i?)?B(?:\)|,|$)")
# step 5000/5000 finished, results written      iteration 800 of 800 done
LAST_STEP = re.compile(
    r"(?i)^(?:train(?:ing)?:? )?(?:step|iteration|iter) (\d{1,9}) ?(?:/|of) ?(\d{1,9}),? (?:is )?"
    r"(?:done|finished|completed?)\b"
)
# ValueError: Loss is not finite and patience is exhausted.      (no good end, whatever its words)
RAISED = re.compile(r"(?:[a-z_]\w{0,40}\.){0,8}[A-Z]\w{0,60}(?:Error|Exception): ")
STILL_SAVES = re.compile(
    r"(?i)[,;:.-] {0,2}(?:now )?(?:saving|writing|exporting) (?!.{0,200}\b(?:done|finished|saved)\b)"
)
PATTERNS = (BANNER, STARTED, LAST_STEP, *_phases.PATTERNS)
INTERESTING = Words.of(PATTERNS, start=r"\+{1,3} ")


def read(text: Text) -> Iterator[Evidence]:
    for message in messages(text, INTERESTING):
        yield from _read(text, message)


def _read(text: Text, message: Message) -> Iterator[Evidence]:
    said = message.text.strip()
    if COMMAND.match(said) or BANNER.search(said) or STARTED.search(said):
        yield _started(text, message, said)
    elif (FINISHED.search(said) and not RAISED.match(said)) or _is_last_step(said):
        yield RunFinished(**message.facts(text), text=said, step=_step(said))
        if STILL_SAVES.search(said):  # training done, saving the final checkpoint
            yield Phase(**message.facts(text), phase="save", edge="begin", text=said)
    else:
        for pattern, event in CHECKPOINTS:
            if found := pattern.search(said):
                yield _checkpoint(text, message, found, event)
                break
        for pattern, phase, edge in PHASES:
            if pattern.search(said):
                yield Phase(**_about(message, text, said, phase), phase=phase, edge=edge, text=said)
                break


def _is_last_step(said: str) -> bool:
    """True where a step is done that is the last of as many."""
    found = LAST_STEP.match(said)
    return found is not None and int(found[1]) == int(found[2]) > 1


def _about(message: Message, text: Text, said: str, phase: str) -> dict[str, Any]:
    """The fact's fields; where data end, the rank may stand in the sentence."""
    rank = OF_RANK.search(said) if phase == "data-end" and message.rank is None else None
    return message.facts(text, rank=int(rank[1])) if rank else message.facts(text)


def _started(text: Text, message: Message, said: str) -> RunStarted:
    fields = {name: int(value) for name, value in FIELD.findall(said)}
    command = COMMAND.match(said)
    subject = {"pid": fields["pid"]} if "pid" in fields else {}
    return RunStarted(
        **message.facts(text, **subject),
        command=command[1] if command else "",
        paths=tuple(dict.fromkeys(PATH.findall(said))),
        world_size=fields.get("world", fields.get("world_size")),
    )


def _checkpoint(text: Text, message: Message, found: re.Match[str], event: str) -> CheckpointEvent:
    said = found.string
    path = found.groupdict().get("to") or found.groupdict().get("path")
    size, took = SIZE.search(said), TOOK.search(said)
    took_s = seconds(took[1]) if took else None
    if (milliseconds := found.groupdict().get("ms")) is not None:
        took_s = float(milliseconds) / 1000
    return CheckpointEvent(
        **message.facts(text, path=path.rstrip(".,:;]") if path else None),
        event=event,
        step=_step(said),
        size=round(float(size[1]) * SIZES[size[2] or ""]) if size else None,
        took_s=took_s,
    )


def _step(text: str) -> int | None:
    found = STEP.search(text)
    return int(found[1] or found[2] or found[3]) if found else None


PARSER = Parser(
    tool="training log",
    medium="job-log",
    footprint=footprint_of_messages((COMMAND, *PATTERNS)),
    read=read,
)
