"""The loss or gradient norm became NaN or infinite, a framework gave up because of it, or the loss rose at once to
many times its usual value and stayed, or twice that with a gradient norm ten times as large. Or trials ended in NaN and
none otherwise; or gradients overflow although their scale has come down to its least. Or the loss had fallen, and then
climbed to three times the lowest that it had reached and stayed there, far above what it was just before.

A value that is finite again for the last steps of a longer run is none, nor is a run's only infinite gradient norm
beside a finite loss: half precision overflows while its scale is sought. ABSENT where a run of at least five steps
logged its loss and it is finite to the end, or the loss went on falling over the steps that a loss scaler skipped.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from statistics import median

from ..evidence import Subject
from ..evidence.people import Trial
from ..evidence.training import LossScaleLowered, NonFiniteValue
from ..incident import Incident
from ._errors import matching
from ._exceptions import DIVERGED
from ._registry import findings_of
from ._runs import column, is_finite_again, is_one_overflow
from ._symptom import Finding, Symptom

EXPLODED = 4.0
RISEN, NORM_EXPLODED = (
    2.0,
    10.0,
)  # a language model's loss has a ceiling, the logarithm of its vocabulary; its gradient has none
FEWEST, FEWEST_FINE = 4, 5  # logged steps
CLIMBED, ABOVE_BEFORE = 3.0, 2.0  # times the lowest, and times what stood just before it
STAYS, JUST_BEFORE = 3, 3  # values
PARTS = 12  # of a long run; the median of each stands for it, so that neither noise nor a spike counts
LEAST_LOSS = 0.5  # of a smaller one, noise is a multiple
LEAST_SCALE = 2.0**-6  # below it, what overflows half precision is a thousand times any sound gradient
STANDS = 3  # steps skipped in a row at the scaler's own least
HARDWARE = re.compile(
    r"(?i)\b(?:gpus?|cards?|hosts?|nodes?|machines?|boxe?s?|cpu|tpu|rtx|gtx|titan|[avht]\d{1,3}"
    r"|mi\d{2,3}\w?|\d{3,4} ?ti|cuda|rocm|driver)\b"
)
# nan at 6000      loss is nan from step 1
NAN = re.compile(r"(?i)(?:(?:the )?(?:loss|output) (?:is |becomes |turns )?)?-?nan\b")


def rule(incident: Incident) -> Iterator[Finding]:
    """The first bad value of each run; else the runs that stayed finite."""
    said = list(matching(incident, DIVERGED))
    for words in said:
        yield Finding(Subject(rank=words.fact.subject.rank), (words.fact,), words.text.splitlines()[0][:160])
    told = list(_ended_in_nan(incident)) + list(_at_its_least(incident))
    for ending, note in told:
        yield Finding(Subject(), (ending,), note)
    bad = [
        fact
        for fact in incident.of(NonFiniteValue)
        if not (is_finite_again(incident, fact) or is_one_overflow(incident, fact))
    ]
    for fact in bad:
        at = f" at step {fact.step}" if fact.step is not None else ""
        yield Finding(Subject(rank=fact.subject.rank), (fact,), f"{fact.quantity} is no finite number{at}")
    fine = []
    for run in incident.runs:
        finite = [loss for loss in column(run.steps, "loss") if math.isfinite(loss)]
        rise = _rise(finite, least=LEAST_LOSS)
        exploded = rise > EXPLODED or (
            rise > RISEN and _rise(column(run.steps, "grad_norm"), least=0.0) > NORM_EXPLODED
        )
        if exploded or _climbed(finite):
            yield Finding(Subject(), (run.steps,), f"the loss rose to {finite[-1]:.4g}")
        elif len(finite) >= FEWEST_FINE:
            fine.append(run.steps)
    handled = list(findings_of(incident, "loss-scale-adapts"))
    if (fine or handled) and not bad and not said and not told:
        shown = tuple(fine) or handled[0].evidence
        yield Finding(Subject(), shown, "the loss is finite to the end", present=False)


def _ended_in_nan(incident: Incident) -> Iterator[tuple[Trial, str]]:
    """The trials that ended in NaN, where none of the bad ones ended otherwise and no devices were compared."""
    bad = [trial for trial in incident.of(Trial) if trial.outcome not in ("ok", "slow")]
    trials_of_hardware = any(HARDWARE.search(trial.condition) for trial in incident.of(Trial))
    if all(NAN.match(trial.text) for trial in bad) and not trials_of_hardware:
        yield from ((trial, f"{trial.condition}: {trial.text}"[:160]) for trial in bad)


def _at_its_least(incident: Incident) -> Iterator[tuple[LossScaleLowered, str]]:
    """The last word of a loss scale that has come down so far, or stands at its least, and the gradients overflow."""
    lowered = incident.of(LossScaleLowered)
    stands = len(lowered) >= STANDS and lowered[-1].scale <= 1.0
    if lowered and (
        lowered[-1].scale < LEAST_SCALE or (stands and len({fact.scale for fact in lowered[-STANDS:]}) == 1)
    ):
        yield lowered[-1], f"the gradients overflow at a loss scale of {lowered[-1].scale:g}"


def _rise(values: Sequence[float], least: float) -> float:
    """How many times its usual value of before a quantity has at the end; 0 where too few values were logged."""
    finite = [value for value in values if math.isfinite(value)]
    if len(finite) < FEWEST:
        return 0.0
    half = len(finite) // 2
    before, after = finite[:half] if half >= FEWEST else finite[:1], finite[-min(half, 3) :]
    usual = max(median(before), least)
    return median(after) / usual if usual > 0 else 0.0


def _climbed(values: Sequence[float]) -> bool:
    """True where a positive loss fell for a while and then climbed to three times the lowest that it reached, for
    good.
    """
    size = max(len(values) // PARTS, 1)
    parts = [median(values[at : at + size]) for at in range(len(values) % size, len(values), size)]
    if not values or min(values) <= 0:
        return False
    turn = max(at for at, part in enumerate(parts) if part == min(parts))
    before, after = parts[max(turn - JUST_BEFORE + 1, 0) : turn + 1], parts[turn + 1 :]
    if len(before) < 2 or len(after) < STAYS:
        return False
    stays = min(after[-STAYS:])
    return stays >= CLIMBED * max(parts[turn], LEAST_LOSS) and stays >= ABOVE_BEFORE * max(before)


SYMPTOM = Symptom(
    title="the loss is NaN or has exploded",
    rule=rule,
    leak=0.001,
    because="a converging run stays finite; single skipped steps of a loss scaler are no such value",
    command="grep -n -i -E 'nan|inf' train.log | head; grep -E 'loss|lr' train.log | tail -n 100",
)
