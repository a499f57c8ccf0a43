"""A step line's numbers, and the columns that they are collected in."""

from __future__ import annotations

import math
import re
from array import array
from collections.abc import Iterator
from typing import NamedTuple

from ..evidence import Evidence, Severity, Source, Subject
from ..evidence.job import NonFiniteValue, TrainingSteps
from ._job_lines import Message

NAN = math.nan
NUMBER = r"([-+]?(?:\d{1,3}(?:,\d{3})+(?:\.\d{1,12})?|\d{1,18}(?:\.\d{1,18})?|\.\d{1,18})(?:[eE][-+]?\d{1,4})?|[-+]?(?:nan|inf(?:inity)?)\b)"
IS = r"[\"']?(?: ?[:=] ?\"?'?\[? *| {1,8})"  # what stands between a name and its number

# step 1 | loss    step: 10  loss    step=10,    step  401/18865    'step': 10    [step=10/100]    Batch [2120]
STEP = re.compile(
    rf"(?i)(?<![\w.])(?:global_|train_|completed )?(?:steps?|iter(?:ation)?|num_updates|batch){IS}\[?(\d{{1,12}})(?!\d|[\w.]\d|:\d\d|%)"
)
# Epoch(train) [14][2400/2500]     Epoch: [0][ 100/5005]     Train Epoch: 1 [6400/60000 (11%)]
EPOCH_STEP = re.compile(r"(?i)\bEpoch(?:\(train\))?:? {0,4}(?:\[\d{1,6}\]|\d{1,6}) ?\[ {0,8}(\d{1,12})/\d{1,12}[\] ]")
# 100<tab>images/sec: 37.5
TF_STEP = re.compile(r"^(\d{1,12})\s{1,8}(?:images|examples|tokens)/sec: ")
# epoch 001:    100 / 2000 loss=10.2     | epoch   1 |   200/ 2983 batches |
OF_BATCHES = re.compile(r"epoch {1,4}\d{1,6}(?:: {1,8}| \| {1,8})(\d{1,12}) ?/ {0,4}\d{1,12} (?:loss=|batches)")
#  10/100 [==>...........................] - ETA: 3s - loss: 0.6931
KERAS_STEP = re.compile(r"^\s{0,8}(\d{1,12})/\d{1,12} (?:\[[=>.]{5,60}\]|[━ ]{5,60})")
# Epoch 3:  45%|####  | 45/100 [00:10<00:12,  4.40it/s, v_num=0, train_loss=2.31]
BAR = re.compile(r"\| *(\d{1,12})/(\d{1,12}) \[[\d:]{2,12}<")
STEPS = (EPOCH_STEP, OF_BATCHES, STEP, TF_STEP, KERAS_STEP, BAR)
EPOCH = re.compile(rf"(?i)\bep(?:och)?{IS}[\[(]?(\d{{1,6}}(?:\.\d{{1,8}})?)")

# not a training step, although it names one: a result of an evaluation
EVALUATION = re.compile(
    r"(?i)^(?:step \d{1,12}: train loss \S{1,20}, )?(?:val|valid|validation|eval|evaluation|test)(?:[ _/]\w{1,20})?[ _/:]"
    r"|['\"](?:eval_|train_runtime)|\bEpoch\(val\)|^ep \d{1,9} (?:dev|eval)"
)
# 17:02:11Z step 65068 ok
BARE = re.compile(r"(?i)^step (\d{1,12}) (?:ok|done|completed?)$")

_LOSS = rf"(?i)(?<!val )(?<!valid )(?<!eval )(?<!test )(?<!validation )(?<![\w/])(?:lm |train(?:ing)?[ _/]|total[ _]|step_|avg[ _]|mean[ _]|Train/)?loss{IS}{NUMBER}"
_TOKENS = r"(?:tps|wps|tok(?:en)?s?/s(?:ec)?(?:/device|/gpu)?|tokens?[ _]per[ _]s(?:ec(?:ond)?)?)"
_SAMPLES = r"(?:samples[ _]per[ _]sec(?:ond)?|samples/s(?:ec)?|images/s(?:ec)?|Speed|CurrSamplesPerSec|throughput)"
_FREE = r"(?<![\d.,])(?<!loss )(?<!lr )(?<!norm )(?<!ppl )"  # the number before a unit may be the value of the name before it
_UNIT = r" ?(ms|s|sec|seconds)?\b"

# column -> patterns, the first that is found counts; a second group is the unit or a multiplier
METRICS: tuple[tuple[str, tuple[re.Pattern[str], ...]], ...] = (
    ("loss", (re.compile(_LOSS), re.compile(rf"^ep \d{{1,9}} train, step \d{{1,12}}, \w{{1,20}} {NUMBER}"))),
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
            re.compile(rf"(?i){_FREE}{NUMBER} ?(?:samples|images|imgs?|examples|sequences)/s(?:ec)?\b"),
        ),
    ),
    (
        "step_s",
        (
            re.compile(rf"(?i)\b(?:elapsed time per iteration|iter[ _]time|step[ _]time|batch[ _]time|time|dt|seconds)(?: \((?=m?s\)))?(ms|s)?\)?{IS}{NUMBER}{_UNIT}"),
            re.compile(rf"{NUMBER} ?(s|ms|sec|seconds)/(?:step|it|iter|iteration|batch)\b"),
            re.compile(rf"\| *{NUMBER} (ms) \|"),
        ),
    ),
    (
        "data_wait_s",
        (re.compile(rf"(?i)\b(?:data_wait|data[ _]time|dataload(?:er|ing)?[ _]time|data_load(?:ing)?|data(?= {{1,8}}\d)){IS}{NUMBER}{_UNIT}"),),
    ),
)  # fmt: skip
SCALE = {"ms": 1e-3, "k": 1e3, "K": 1e3, "M": 1e6}
COLUMNS = ("line", "step", "seconds", "epoch", *(name for name, _ in METRICS))


class Step(NamedTuple):
    """One step line's numbers; the step is NaN where the line has none and no bar told it."""

    step: float
    epoch: float
    values: dict[str, float]


def read_step(text: str, bar: float = NAN) -> Step | None:
    """The numbers of one message, or None when it is no step line. `bar` is where a progress bar stands."""
    if EVALUATION.search(text):
        return None
    found = next((found for pattern in STEPS if (found := pattern.search(text))), None)
    bare = found is None or found.re is BAR
    if bare and "loss" not in text:
        return None
    values = {name: value for name, patterns in METRICS if (value := _first(patterns, text)) is not None}
    if not values.keys() & {"loss", "learning_rate", "tokens_per_s", "samples_per_s", "step_s"} and not BARE.match(
        text
    ):
        return None
    if bare and ("loss" not in values or (not text.startswith(("{'", '{"')) and found is None)):
        return None
    epoch = EPOCH.search(text)
    return Step(float(found[1]) if found else bar, float(epoch[1]) if epoch else NAN, values)


def _first(patterns: tuple[re.Pattern[str], ...], text: str) -> float | None:
    for pattern in patterns:
        if found := pattern.search(text):
            groups = [group for group in found.groups() if group]
            unit = next((group for group in groups if group in SCALE), "")
            number = next((group for group in groups if group[-1].isdigit() or group[-1] in "nfyNFY."), None)
            if number is not None:
                return float(number.replace(",", "")) * SCALE.get(unit, 1.0)
    return None


class _Run:
    """One run on one rank, while it is read."""

    def __init__(self, number: int, message: Message) -> None:
        self.number = number
        self.columns = {name: array("d") for name in COLUMNS}
        self.quotes: dict[int, str] = {}
        self.first = message
        self.last_line = 0
        self.last_quote = ""
        self.non_finite: dict[str, tuple[Message, float]] = {}
        self.slowest: dict[str, tuple[float, int, str, int, str]] = {}

    def add(self, message: Message, step: Step) -> None:
        columns, number, quote = self.columns, message.line.number, message.line.quote
        same_clock = message.stamp and self.first.stamp and message.stamp.clock is self.first.stamp.clock
        seconds = message.stamp.seconds if message.stamp and same_clock else NAN
        gap = seconds - columns["seconds"][-1] if columns["seconds"] else NAN
        self._remember("gap", gap, number, quote)
        self._remember("step_s", step.values.get("step_s", NAN), number, quote)
        self._remember("tokens_per_s", -step.values.get("tokens_per_s", NAN), number, quote)
        columns["line"].append(number)
        columns["step"].append(step.step)
        columns["seconds"].append(seconds)
        columns["epoch"].append(step.epoch)
        for name, _ in METRICS:
            value = step.values.get(name, NAN)
            columns[name].append(value)
            if name in step.values and not math.isfinite(value):
                self.non_finite.setdefault(name, (message, step.step))
        self.last_line, self.last_quote = number, quote

    def _remember(self, what: str, value: float, number: int, quote: str) -> None:
        if value == value and value > self.slowest.get(what, (-math.inf,))[0]:
            self.slowest[what] = (value, number, quote, self.last_line, self.last_quote)

    def facts(self, file: str, rank: int | None) -> Iterator[Evidence]:
        first = self.first
        quotes = {first.line.number: first.line.quote, self.last_line: self.last_quote}
        for message, _ in self.non_finite.values():
            quotes[message.line.number] = message.line.quote
        for _, number, quote, before, quote_before in self.slowest.values():
            quotes |= {number: quote} | ({before: quote_before} if before else {})
        steps = [value for value in self.columns["step"] if value == value]
        yield TrainingSteps(
            source=Source(file, first.line.number, first.line.quote),
            subject=Subject(host=first.host, rank=rank, pid=first.pid),
            stamp=first.stamp,
            columns={
                name: column for name, column in self.columns.items() if name in ("line", "step") or _holds(column)
            },
            quotes=dict(sorted(quotes.items())),
            run=self.number,
            steps=len(self.columns["line"]),
            first_step=int(steps[0]) if steps else None,
            last_step=int(steps[-1]) if steps else None,
        )
        for name, (message, step) in self.non_finite.items():
            yield NonFiniteValue(
                source=Source(file, message.line.number, message.line.quote),
                subject=Subject(host=message.host, rank=rank),
                stamp=message.stamp,
                severity=Severity.CRITICAL if name == "loss" else Severity.WARNING,
                quantity=name,
                step=int(step) if step == step else None,
            )


def _holds(column: array[float]) -> bool:
    return any(value == value for value in column) or any(math.isinf(value) for value in column)


class Columns:
    """The runs of one file, rank by rank."""

    def __init__(self, file: str) -> None:
        self.file = file
        self._runs: list[tuple[int | None, _Run]] = []
        self._open: dict[int | None, _Run] = {}
        self._bars: dict[int | None, float] = {}
        self._number = 0
        self._fresh = True

    def bar(self, rank: int | None) -> float:
        """Where the progress bar of a rank stands, NaN when there is none."""
        return self._bars.get(rank, NAN)

    def watch_bar(self, message: Message) -> None:
        """Keep where a progress bar stands: some trainers print a step's numbers without its step."""
        if found := BAR.search(message.text):
            self._bars[message.rank] = float(found[1])

    def start_run(self) -> None:
        """The log says that a run begins; said twice before the first step, it is one run."""
        if not self._fresh:
            self._number += 1
            self._open.clear()
            self._fresh = True

    def add(self, message: Message, step: Step) -> None:
        run = self._open.get(message.rank)
        if run is not None and self._falls_back(run, step):
            self._number += 1
            self._open.clear()
            run = None
        if run is None:
            run = self._open[message.rank] = _Run(self._number, message)
            self._runs.append((message.rank, run))
        run.add(message, step)
        self._fresh = False

    @staticmethod
    def _falls_back(run: _Run, step: Step) -> bool:
        """A lower step is another run, unless it counts within epochs; ranks that share a log lag a step or two."""
        epoch = run.columns["epoch"][-1]
        return run.columns["step"][-1] - step.step > 3 and not step.epoch > epoch

    def facts(self) -> Iterator[Evidence]:
        for rank, run in self._runs:
            yield from run.facts(self.file, rank)
