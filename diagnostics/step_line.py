"""The numbers of one step line, of any trainer: which they are, and where in the line they stand."""

from __future__ import annotations

import math
import re
from typing import NamedTuple

NAN = math.nan
NUMBER = (
    r"([-+]?(?:\d{1,3}(?:,\d{3})+(?:\.\d{1,12})?|\d{1,18}(?:\.\d{1,18})?|\.\d{1,18})(?:[eE][-+]?\d{1,4})?"
    r"|[-+]?(?:nan|inf(?:inity)?)\b)"
)
IS = r"[\"']?(?: ?[:=] ?\"?'?\[? *| {1,8})"  # what stands between a name and its number

# step 1 | loss    step: 10  loss    step=10,    step  401/18865    'step': 10    [step=10/100]    Batch [2120]
STEP = re.compile(
    r"(?i)(?<![\w.])(?:global_|train_|completed )?(?:steps?|iter(?:ation)?|num_updates|batch)"
    rf"(?:{IS}\[?|\[)(\d{{1,12}})"
    r"(?!\d|[\w.]\d|:\d\d|%)"
)
# Epoch(train) [14][2400/2500]     Epoch: [0][ 100/5005]     Train Epoch: 1 [6400/60000 (11%)]     Train: 12 [ 450/1251
# ( 36%)]
EPOCH_STEP = re.compile(
    r"(?i)(?:\bEpoch|^Train)(?:\(train\))?:? {0,4}(?:\[\d{1,6}\]|\d{1,6}) {0,4}\[ {0,8}(\d{1,12})/\d{1,12}[\] ]"
)
# [train: 3, 50 / 2600] FPS: 9.1 (1.8)  ,  Loss/total: 1.52210
TRAINED = re.compile(r"^\[train: \d{1,6}, (\d{1,12}) / \d{1,12}\]")
# 100<tab>images/sec: 37.5
TF_STEP = re.compile(r"^(\d{1,12})\s{1,8}(?:images|examples|tokens)/sec: ")
# epoch 001:    100 / 2000 loss=10.2     | epoch   1 |   200/ 2983 batches |
OF_BATCHES = re.compile(r"epoch {1,4}\d{1,6}(?:: {1,8}| \| {1,8})(\d{1,12}) ?/ {0,4}\d{1,12} (?:loss=|batches)")
#  10/100 [==>...........................] - ETA: 3s - loss: 0.6931
KERAS_STEP = re.compile(r"^\s{0,8}(\d{1,12})/\d{1,12} (?:\[[=>.]{5,60}\]|[━ ]{5,60})")
# Epoch 3:  45%|####  | 45/100 [00:10<00:12,  4.40it/s, v_num=0, train_loss=2.31]
BAR = re.compile(r"\| *(\d{1,12})/(\d{1,12}) \[[\d:]{2,12}<")
# TRAIN Batch 3/1100 loss 2.104412 acc 0.418221: the epoch and the batch
EPOCH_BATCH = re.compile(r"\bTRAIN Batch \d{1,6}/(\d{1,12}) loss ")
# it 40 loss 3.84      epoch 2, it 40/600: loss 3.84
IT_STEP = re.compile(r"(?i)(?:^|[\]|,;] ?)it[ :=#]{1,2}(\d{1,12})(?:/\d{1,12})?(?=[\s,|:;\]])")
#  2677: 4.11, 4.40 avg, 0.001000 rate, 4.5 seconds, 171328 images     (darknet)
DARKNET_STEP = re.compile(r"^\s{0,4}(\d{1,9}): (?=\S{1,30}, \S{1,30} avg\b)")
# [2020-09-07 10:12:40] Ep. 1 : Up. 200 : Sen. 82,408 : Cost 5.21 : gNorm 1.1     (Marian)
MARIAN_STEP = re.compile(r"\bEp\. \d{1,6} : Up\. (\d{1,12}) : ")
# [xla:0](9) Loss=0.91 Rate=8.42 GlobalRate=2.01     (torch_xla)
XLA_STEP = re.compile(r"^\[xla:\d{1,4}\]\((\d{1,12})\) (?=Loss=)")
OF_TRAINERS = (DARKNET_STEP, MARIAN_STEP, XLA_STEP)
STEPS = (*OF_TRAINERS, EPOCH_STEP, EPOCH_BATCH, OF_BATCHES, TRAINED, STEP, IT_STEP, TF_STEP, KERAS_STEP, BAR)
EPOCH = re.compile(rf"(?i)\bep(?:och)?{IS}[\[(]?(\d{{1,6}}(?:\.\d{{1,8}})?)")

# not a training step, although it names one: a result of an evaluation
EVALUATION = re.compile(
    r"(?i)^(?:step \d{1,12}: train loss \S{1,20}, )?(?:val|valid|validation|eval|evaluation|test)"
    r"(?:[ _/]\w{1,20})?[ _/:]"
    r"|['\"](?:eval_|train_runtime)|\bEpoch\(val\)|^ep \d{1,9} (?:dev|eval)"
)
# 17:02:11Z step 65068 ok
BARE = re.compile(r"(?i)^step (\d{1,12}) (?:ok|done|completed?)$")

_LOSS = (
    r"(?i)(?<!val )(?<!valid )(?<!eval )(?<!test )(?<!validation )(?<![\w/])"
    "(?:lm |(?:reduced_)?train(?:ing)?[ _/]|tot(?:al)?[ _]|step_|avg[ _]|mean[ _]|Train/)?loss(?:/total|: total)?"
    f"{IS}{NUMBER}"
)
# what toolkits of translation and speech call it: xent: 2.01     cross entropy = 3.4     nll_loss 1.9     ppl: nan
_LIKELIHOOD = (
    r"(?i)(?<!val )(?<!valid )(?<!eval )(?<!test )(?<!dev )(?<!validation )(?<![\w/])"
    f"(?:train(?:ing)?[ _/])?(?:xent|cross[ _-]?ent(?:ropy)?|nll(?:[ _]loss)?|ce[ _]loss){IS}{NUMBER}"
)
_PERPLEXITY = (
    r"(?i)(?<!val )(?<!valid )(?<!eval )(?<!test )(?<!dev )(?<!validation )(?<![\w/])"
    rf"(?:train(?:ing)?[ _/])?(?:ppl|perplexity){IS}(nan)\b"
)
_TOKENS = r"(?:tps|wps|tok(?:en)?s?/s(?:ec)?(?:/device|/gpu)?|tokens?[ _]per[ _]s(?:ec(?:ond)?)?)"
_SAMPLES = r"(?:samples[ _]per[ _]sec(?:ond)?|samples/s(?:ec)?|images/s(?:ec)?|Speed|CurrSamplesPerSec|throughput)"
_FREE = (
    r"(?<![\d.,])(?<!loss )(?<!lr )(?<!norm )(?<!ppl "
    ")"
)  # the number before a unit may be the value of the name before it
# Data  0.101 ( 0.123): what a meter has now, and before the number its mean since the epoch began
_METER_OF = r"(?<![\w/])(?:{})[:=]? {{0,8}}\d{{1,7}}(?:\.\d{{1,6}})?(?:e[-+]\d{{1,3}})?s? {{1,4}}\( {{0,8}}"
_UNIT = r" ?(ms|s|sec|seconds)?\b"

# column -> patterns, the first that is found counts; a second group is the unit or a multiplier
METRICS: tuple[tuple[str, tuple[re.Pattern[str], ...]], ...] = (
    (
        "loss",
        (
            re.compile(_LOSS),
            re.compile(rf"^ep \d{{1,9}} train, step \d{{1,12}}, \w{{1,20}} {NUMBER}"),
            re.compile(rf"^\s{{0,4}}\d{{1,9}}: {NUMBER}, \S{{1,30}} avg\b"),
            re.compile(rf" : Cost {NUMBER}(?: \* [\d,]{{1,12}})?(?= |$)"),
            re.compile(_LIKELIHOOD),
            re.compile(_PERPLEXITY),
        ),
    ),
    ("grad_norm", (re.compile(rf"(?i)\b(?:grad(?:ient)?[ _]?norm|gnorm|norm){IS}{NUMBER}"),)),
    ("learning_rate", (re.compile(rf"(?i)\b(?:lr|learning[ _]rate){IS}{NUMBER}"),)),
    (
        "tokens_per_s",
        (
            re.compile(rf"(?i)\b{_TOKENS}[\"']?\s?[:=]\s{{0,8}}{NUMBER}([kM]?)\b"),
            re.compile(rf"(?i){_FREE}{NUMBER}([kM]?) ?tok(?:en)?s?/s(?:ec)?\b"),
            re.compile(rf"(?i)\b{_TOKENS} {{1,4}}{NUMBER}([kM]?)\b"),
        ),
    ),
    (
        "samples_per_s",
        (
            re.compile(rf"(?i)\b{_SAMPLES}[\"']?\s?[:=]\s{{0,8}}{NUMBER}"),
            re.compile(rf"^\[train: .{{1,30}}\] FPS: [\d.]{{1,12}} \({NUMBER}\)"),
            re.compile(f"(?i){_FREE}{NUMBER} ?(?:samples|images|imgs?|examples|sequences|it|iters?|steps|batches)/s"
                r"(?:ec)?\b"),
        ),
    ),
    (
        "step_s",
        (
            re.compile(r"(?i)\b(?:elapsed time per iteration|train_step_timing in s|iter[ _]time|step[ _]time"
                r"|batch[ _]time|batch(?= \(t\))|time|dt|seconds|(?:step|iter|it)_(?=m?s\b))"
                rf"(?: \(t\)|(?: \((?=m?s\))))?(ms|s)?\)?{IS}{NUMBER}{_UNIT}"),
            re.compile(rf"{NUMBER} ?(s|ms|sec|seconds)/(?:step|it|iter|iteration|batch)\b"),
            re.compile(rf"\| *{NUMBER} (ms) \|"),
            re.compile(r"(?i)\bstep {1,3}(\d{1,7}\.\d{1,6}) ?(s|ms)\b(?!/)"),
        ),
    ),
    (
        "data_wait_s",
        (re.compile(r"(?i)\b(?:data_wait|wait_input|input[ _]wait|data[ _]fetch|fetch[ _]time|data[ _]time"
            rf"|data[ _]?load(?:er|ing)?[ _]?time|data_load(?:ing)?|data(?= \(t\)| {{1,8}}\d|_m?s\b))"
            rf"(?: \(t\)|_(ms|s)\b)?{IS}{NUMBER}{_UNIT}"),),
    ),
    ("step_mean_s", (re.compile(rf"(?i){_METER_OF.format('(?:batch[ _]?|iter[ _]?|step[ _]?)?time|BT')}{NUMBER}{_UNIT}"),)),  # noqa: E501
    ("data_wait_mean_s", (re.compile(rf"(?i){_METER_OF.format('data(?:[ _]?(?:time|wait|load(?:er|ing)?))?|DT')}{NUMBER}{_UNIT}"),)),  # noqa: E501
)  # fmt: skip
SCALE = {"ms": 1e-3, "k": 1e3, "K": 1e3, "M": 1e6}
SUFFICIENT = frozenset(("loss", "learning_rate", "tokens_per_s", "samples_per_s", "step_s"))
MEASURED = tuple(name for name, _ in METRICS)


class Span(NamedTuple):
    """Where a number stands in its message, and what it is to be multiplied with."""

    start: int
    end: int
    scale: float = 1.0

    def value(self, text: str) -> float:
        """The number."""
        return float(text[self.start : self.end].replace(",", "")) * self.scale


def find_numbers(text: str) -> dict[str, Span] | None:
    """The numbers of a step line by column; None when the message is no step line. A step may be missing."""
    if EVALUATION.search(text):
        return None
    found = next((found for pattern in STEPS if (found := pattern.search(text))), None)
    bare = found is None or found.re is BAR
    if bare and "loss" not in text.lower():
        return None
    numbers = {name: span for name, patterns in METRICS if (span := _first(patterns, text)) is not None}
    if not numbers.keys() & SUFFICIENT and not BARE.match(text):
        return None
    if bare and ("loss" not in numbers or (not text.startswith(("{'", '{"')) and found is None)):
        return None
    if found:
        numbers["step"] = Span(*found.span(1))
    if epoch := EPOCH.search(text):
        numbers["epoch"] = Span(*epoch.span(1))
    return numbers


def _first(patterns: tuple[re.Pattern[str], ...], text: str) -> Span | None:
    for pattern in patterns:
        if found := pattern.search(text):
            groups = [(at, group) for at, group in enumerate(found.groups(), start=1) if group]
            unit = next((group for _, group in groups if group in SCALE), "")
            number = next((at for at, group in groups if group[-1].isdigit() or group[-1] in "nfyNFY."), None)
            if number is not None:
                return Span(*found.span(number), SCALE.get(unit, 1.0))
    return None


def step_of(text: str) -> float | None:
    """The step that a step line reports; None when it is none, or has no step."""
    numbers = find_numbers(text)
    return numbers["step"].value(text) if numbers and "step" in numbers else None
