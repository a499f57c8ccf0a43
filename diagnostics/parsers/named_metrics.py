"""Losses, gradient norms and divergences that are no number, where trainers print them by name and not as a step's
own loss.

    step:59 - actor/kl_loss:nan - actor/entropy_loss:nan - actor/grad_norm:nan - critic/score/mean:0.87
    Step:   1500 Gen_loss: nan Dis_loss: nan
    {'eval_loss': nan, 'eval_runtime': 31.8841, 'epoch': 0.02}
    Gradient overflow.  Skipping step, loss scaler 0 reducing loss scale to 1.4582244039112795e-303

Of a metric that is a number again on its last line nothing is told, else the first line from which on it is none. A
loss scale counts where it has come down to next to nothing: the gradients overflow whatever they are scaled by.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from ..evidence import Severity
from ..evidence.training import NonFiniteValue
from ..text import Text
from . import Parser
from ._job_lines import Message, Words, messages

NUMBER = r"[-+]?(?:\d{1,12}(?:\.\d{1,18})?(?:e[-+]?\d{1,4})?|nan|inf(?:inity)?)"
METRIC = re.compile(
    rf"(?i)(?:(?P<part>[a-z]\w{{0,30}})/|['\"])(?P<name>grad_?norm|ppo_kl|kl|kl_?div|approx_?kl"
    rf"|(?!(?:best|min|lowest)_)(?:\w{{1,20}}_)?loss)['\"]?\s?[:=]\s?(?P<value>{NUMBER})(?![\w.])"
    # without a part or quotes only NaN: a lowest loss begins at infinity, whatever its name
    r"|(?<![\w/.'\"-])(?P<bare>(?!(?:best|min|lowest|prev|old|val|valid|eval|test)_)[a-z]{1,12}_loss)\s?[:=]\s?"
    r"(?P<number>[-+]?(?:\d{1,12}(?:\.\d{1,18})?(?:e[-+]?\d{1,4})?|nan))(?![\w.])"
)
SCALE = re.compile(rf"(?i)reducing loss scale to (?P<value>{NUMBER})(?![\w.])")
STEP = re.compile(r"(?i)\bstep[ :=]{1,2}(\d{1,12})\b")
LEAST = 1e-30  # of a loss scale: below it even tiny gradients vanish
MOST = 40  # metrics of one line
INTERESTING = Words("nan|inf|norm|_kl|/kl|loss")


def read(text: Text) -> Iterator[NonFiniteValue]:
    lost: dict[str, tuple[Message, int | None]] = {}
    for message in messages(text, INTERESTING):
        said = message.text[:4000]
        at = STEP.search(said)
        step = int(at[1]) if at else None
        for found in list(METRIC.finditer(said))[:MOST]:
            name = found["bare"] or "/".join(each for each in (found["part"], found["name"]) if each)
            if not math.isfinite(float(found["value"] or found["number"])):
                lost.setdefault(name, (message, step))
            else:
                lost.pop(name, None)
        scale = SCALE.search(said)
        if scale and abs(float(scale["value"])) < LEAST:
            lost.setdefault("scaled gradient", (message, step))
    for name, (message, step) in lost.items():
        if name != "loss":  # a step's own loss is told by the training log
            yield NonFiniteValue(**message.facts(text), severity=Severity.CRITICAL, quantity=name, step=step)


PARSER = Parser(
    tool="named metrics",
    medium="job-log",
    footprint=r"(?i)(?:\b[a-z]\w{0,30}/|['\"])(?:grad_?norm|ppo_kl|kl|kl_?div|approx_?kl"
    r"|(?:\w{1,20}_)?loss)['\"]?\s?[:=]\s?[-+]?(?:nan|inf)"
    r"|\b[a-z]{1,12}_loss\s?[:=]\s?[-+]?nan\b|reducing loss scale to \d(?:\.\d{1,20})?e-\d{2,3}",
    read=read,
)
