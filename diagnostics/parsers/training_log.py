"""Training logs: a line a step with its loss, rate and time, of any trainer.

    2026-11-29 12:41:09,641 INFO train: step 1 | loss 8.5056 | grad_norm 1.673 | lr 1.00e-03 | 5,150 tok/s
     iteration    42782/  115311 | consumed samples: 71459760 | elapsed time per iteration (s): 106.25 | lm loss: 2.11E+00
    {'loss': 1.8423, 'grad_norm': 0.7412, 'learning_rate': 4.8e-05, 'epoch': 0.12}
    ep 272 train, step 177, ce 0.506, ctc_4 1.136, fer 0.106, mem_usage:cuda:2 7.3GB

    epoch: 3451 loss: nan

A log that counts epochs alone, or nothing, gives no steps; that its loss is no number to the end is told. A step line has a step
and at least one number that is worth a column. Evaluation results and messages about a step ("saving checkpoint
step 5") are read elsewhere. A run ends where a new one is started, or the step falls back.
"""  # noqa: E501

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from ..evidence import Evidence, Severity
from ..evidence.training import NonFiniteValue
from ..step_line import find_numbers
from ..text import Text
from . import Parser
from ._job_lines import Message, messages
from ._step_runs import Steps
from ._step_scan import scan

LARGE = 1 << 20  # bytes

# a command that a shell echoes, or a trainer's first line: where the next run begins
START = re.compile(
    r"^\+ \S|\btorch \d+\.\d+\S* \| python |\*{3,} Running training \*{3,}|^Starting training|training \.\.\.$"
)
# epoch: 3451 loss: nan     Epoch 12/100, train loss = inf     Epoch [3/20], Loss: nan
EPOCH_LOSS = re.compile(
    r"(?i)^\s{0,8}epoch[ :=#\[(]{1,4}(\d{1,9})\b(?: ?/ ?\d{1,9})?\W{1,6}"
    "(?:(?:train|training|avg|average|total|mean)[ _])?loss[ :=]{1,4}"
    r"(-?\d{1,12}(?:\.\d{1,18})?(?:e[-+]?\d{1,3})?|[-+]?(?:nan|inf(?:inity)?))(?![\w.])"
)
# the same without a number of its own, a line and no more:      Multi GPU Loss: nan       part_015.npz | loss nan | ...
UNCOUNTED_LOSS = re.compile(
    rf"{EPOCH_LOSS.pattern}|^\s{{0,8}}(?!(?:best|min|val|valid|eval|test)\w{{0,10}} )"
    r"(?:(?:[A-Za-z]\w{0,20} ){0,3}|[\w.-]{1,60} \| )loss[ :=]{1,4}"
    r"(-?\d{1,12}(?:\.\d{1,18})?(?:e[-+]?\d{1,3})?|[-+]?(?:nan|inf(?:inity)?))\s{0,4}(?:$|\|)"
)
LOSS = re.compile(r"(?i)loss[ :=]{1,4}[-+]?(?:\d|nan|inf)")
STEP = re.compile(
    r"(?i)\b(?:step|steps|iter|iteration|batch|num_updates|global_step|micro_step)[\"']?[ :=#\[]{1,8}\d"
    r"|(?:^|[\],;] ?)it[ :=#]{1,2}\d|/sec|^\s{0,4}\d{1,9}: \S{1,30}, \S{1,30} avg\b|\bEp\. \d{1,6} : Up\. \d|^\[xla:\d"
    r"|\[train: \d|\d/ {0,4}\d+ \[|\d/\d+ [\[━]|loss['\"]?[:=]|\bEpoch.{0,12}\[|\bep(?:och)? {1,4}\d"
    r"|(?:^|[\d\]:Z] )\+ \S|\btorch \d[^|]{1,40} \| python|Running training|Starting training|training \.\.\."
)


def read(text: Text) -> Iterator[Evidence]:
    return scan(text, STEP, START) if is_large(text) else read_singly(text)


def is_large(text: Text) -> bool:
    """True when it pays to read lines of one layout together; UTF-16 has no lines of bytes."""
    return (len(text.data) > LARGE or getattr(text, "path", None) is not None) and b"\0" not in text.data[:200]


def read_singly(text: Text) -> Iterator[Evidence]:
    """Read line by line."""
    quotes: dict[int, str] = {}
    steps = Steps(text.name, quotes.__getitem__)
    for message in messages(text, STEP):
        if START.search(message.text):
            steps.start_run(message)
        elif numbers := find_numbers(message.text):
            steps.add(message, numbers)
            quotes[message.line.number] = message.line.quote
        else:
            steps.watch_bar(message)
    facts = list(steps.facts())
    yield from facts or _lost(text)


def _lost(text: Text) -> Iterator[Evidence]:
    """The first loss of a log without steps from which on no epoch's loss is a number."""
    lost: tuple[Message, int | None] | None = None
    rows = 0
    for message in messages(text, LOSS):
        if found := UNCOUNTED_LOSS.match(message.text):
            rows += 1
            epoch, loss = (int(found[1]), found[2]) if found[1] else (None, found[3])
            lost = (lost or (message, epoch)) if not math.isfinite(float(loss)) else None
    if lost and (rows > 1 or lost[1] is not None):
        yield NonFiniteValue(**lost[0].facts(text), severity=Severity.CRITICAL, quantity="loss", step=lost[1])


PARSER = Parser(
    tool="training log",
    medium="job-log",
    footprint=(
        r"(?i)(^|[^\w-])(step|steps|iter|iteration|batch|num_updates|global_step)[\"']?[ :=#\[]{1,8}\d.{0,100}"
        r"(loss|ce |data \d|/s\b|/sec|/step|s/it|time|lr\b|tps|samples|\bok\b)"
        r"|\b(train[_ /]|step_)?loss['\"]? ?[:=] ?['\"]?[-\dni]|Epoch.{0,20}\[ *\d.{0,200}(loss|batch|time)"
        r"|(^|[\],;] ?)it[ :=#]{1,2}\d{1,12}(/\d{1,12})?[ ,:|;].{0,100}(loss|lr\b|/s\b|step_m?s)"
        r"|^\s{0,4}\d{1,9}: \S{1,30}, \S{1,30} avg\b|\bEp\. \d{1,6} : Up\. \d{1,12} : "
        r"|^\[xla:\d{1,4}\]\(\d{1,12}\) Loss="
        r"|\S \| loss \S|/sec: *\d|\d (samples|images|examples)/sec"
        r"|^\[train: \d{1,6}, \d{1,12} / \d|epoch {1,4}\d{1,6}.{0,40}(loss|ppl)"
        r"|\d{1,12}/\d{1,12} \[[\d:<, ]{1,30}[\d.]{1,10}(it/s|s/it).{0,120}loss="
    ),
    read=read,
    every_state=True,
)
