"""Updates that a trainer left out because the norm of the gradients was above its limit.

    step 120: gradient norm 1.92 > 1.0, skipping update
    WARNING Skipping optimizer step 121: grad_norm=1.88 exceeds threshold 1.0
    Step 122: spiky gradient (norm=1.90); skipping optimizer step.

A norm that is not finite is a matter of the numbers, and an overflow one of the loss scale: neither is read here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Severity
from ..evidence.training import UpdateSkipped
from ..footprint import footprint_of
from ..text import Text
from . import Parser
from ._job_lines import Words, messages

SKIPS = (
    r"\bskip(?:s|ped|ping)? (?:the |this )?(?:optimi[sz]er |weight |parameter |gradient )?(?:step|update)\b"
    r"|\b(?:step|update) (?:is |was )?skipped\b"
)
NORM = (
    r"\b(?:grad(?:ient)?s?)?[ _.-]{0,2}norm(?: of| is|[ =:]){0,2} ?\(?"
    r"(?P<norm>\d{1,9}(?:\.\d{1,20})?(?:e[-+]?\d{1,3})?)(?![\w.])"
)
LEFT_OUT = re.compile(rf"(?i)(?:{SKIPS}).{{0,120}}?{NORM}|{NORM.replace('<norm>', '<first>')}.{{0,120}}?(?:{SKIPS})")
LIMIT = re.compile(
    r"(?i)(?:>=?|\bexceed(?:s|ed|ing)|\babove|\bthreshold|\blimit|\bmax(?:imum)?)"
    r"(?: the| of| threshold| limit| max\w{0,10}|[ =:(]){0,4} ?(\d{1,9}(?:\.\d{1,20})?(?:e[-+]?\d{1,3})?)(?![\w.])"
)
STEP = re.compile(r"(?i)\b(?:step|iter(?:ation)?|update)[ =:#]{1,3}(\d{1,12})\b")
INTERESTING = Words("skip")


def read(text: Text) -> Iterator[UpdateSkipped]:
    for message in messages(text, INTERESTING):
        said = message.text[-1000:]
        if found := LEFT_OUT.search(said):
            limit, step = LIMIT.search(said), STEP.search(said)
            yield UpdateSkipped(
                **message.facts(text),
                severity=Severity.WARNING,
                norm=float(found["norm"] or found["first"]),
                limit=float(limit[1]) if limit else None,
                step=int(step[1]) if step else None,
            )


PARSER = Parser(
    tool="trainers that skip an update",
    medium="job-log",
    footprint=footprint_of(LEFT_OUT),
    read=read,
)
