"""A loop of the job that counts how often it has looked in vain.

    still waiting for samples: attempt 4, queue empty
    still waiting for samples: attempt 5, queue empty
    still waiting for samples: attempt 5120, queue empty

    Wait iteration 70: ready=False
    [poll 900] waiting for the first batch

Lines that agree but for their numbers are one loop; its last line is told where the count has risen by a hundred or
more. A call that is tried again a few times, and one with a limit beside its count, is skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Severity
from ..evidence.training import WaitCounted
from ..text import Text
from . import Parser
from ._job_lines import Message, Words, footprint_of_messages, messages

_COUNT = r"(?:iterations?|attempts?|tries|try|polls?|checks?|round|loops?)"
_NUMBER = r"#?(?P<count>\d{1,9})\b(?! ?(?:/|of|out of) ?\d)"
# still waiting for samples: attempt 5120     Wait iteration 70: ready=False
COUNTED = re.compile(
    rf"^(?:[\w.]{{1,60}}: )?(?:still )?(?:wait(?:ing|ed)?|poll(?:ing|ed)?)\b.{{0,100}}?\b{_COUNT}[ :=]{{1,2}}{_NUMBER}",
    re.I,
)
# [poll 900] waiting for the first batch
COUNT_FIRST = re.compile(
    rf"^(?:[\w.]{{1,60}}: )?\[?{_COUNT}[ :=]{{1,2}}{_NUMBER}.{{1,4}}\b(?:still )?(?:waiting|polling)\b", re.I
)
PATTERNS = (COUNTED, COUNT_FIRST)
DIGITS = re.compile(r"\d{1,20}")
RISEN = 100  # looks: a call that is tried again is given up or answered before


def read(text: Text) -> Iterator[WaitCounted]:
    loops: dict[tuple[int | None, int | None, str], list[tuple[int, Message]]] = {}
    for message in messages(text, Words("wait|poll")):
        found = next((found for pattern in PATTERNS if (found := pattern.search(message.text[:400]))), None)
        if found:
            shape = DIGITS.sub("0", message.text)[:200]
            ends = loops.setdefault((message.rank, message.pid, shape), [])
            ends[1:] = [(int(found["count"]), message)]
    for ends in loops.values():
        (first, _), (last, message) = ends[0], ends[-1]
        if last - first >= RISEN:
            yield WaitCounted(
                **message.facts(text), severity=Severity.WARNING, first=first, last=last, text=message.text.strip()
            )


PARSER = Parser(
    tool="a wait that counts",
    medium="job-log",
    footprint=footprint_of_messages(PATTERNS),
    read=read,
)
