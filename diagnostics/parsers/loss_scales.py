"""Dynamic loss scaling at work: a step is skipped because its gradients overflowed, and the scale is lowered.

    Found NaN, decreased lg_loss_scale to 22.38899999999986
    Gradient overflow.  Skipping step, loss scaler 0 reducing loss scale to 32768.0
    [deepspeed] OVERFLOW! Rank 0 Skipping step. Attempted loss scale: 65536, reducing to 32768
    NOTE: gradient overflow detected, ignoring gradient, setting loss scale to: 64.0

That the scale is raised again is skipped. A scale that has come down to nothing is read by `named_metrics` too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence.training import LossScaleLowered
from ..footprint import footprint_of
from ..text import Text
from . import Parser
from ._job_lines import Words, messages

LOWERED = re.compile(
    r"(?i)(?P<log>decreased lg_loss_scale to )(?P<power>\d{1,3}(?:\.\d{1,20})?)(?![\w.])"
    r"|(?:attempted loss scale: [\d.e+]{1,24}, reducing to|reducing loss scale to"
    "|overflow detected, (?:ignoring gradient, )?setting loss scale to:?) "
    r"(?P<scale>\d{1,20}(?:\.\d{1,20})?(?:e[-+]?\d{1,3})?)(?![\w.]\d)"
)
INTERESTING = Words("loss scale|lg_loss_scale")


def read(text: Text) -> Iterator[LossScaleLowered]:
    for message in messages(text, INTERESTING):
        if found := LOWERED.search(message.text[:2000]):
            scale = 2.0 ** float(found["power"]) if found["log"] else float(found["scale"])
            yield LossScaleLowered(**message.facts(text), scale=scale)


PARSER = Parser(
    tool="loss scaling",
    medium="job-log",
    footprint=footprint_of(LOWERED),
    read=read,
)
