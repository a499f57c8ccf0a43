"""The same work fails under a limit on open files and goes through under a higher one.

From a table of trials: a limit (ulimit -n, nofile, LimitNOFILE) in the condition of a trial that went well, and in that
of none that failed; where those that failed say theirs, it is lower.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Subject
from ..incident import Incident
from ._cures import cures, settings
from ._symptom import Finding, Symptom

LIMIT = re.compile(
    r"\bulimit -S?H?n[ =]?(?:\d{2,9}|unlimited)\b|\b(?:Limit)?nofile[ =:]{1,3}"
    r"(?:\d{2,9}(?::\d{2,9})?|infinity|unlimited)\b"
    r"|\b(?:max )?open files(?: limit)?[ =:]{1,3}\d{2,9}\b",
    re.I,
)
NUMBER = re.compile(r"\d{2,9}")


def rule(incident: Incident) -> Iterator[Finding]:
    for well, failed, limit in cures(incident, settings(LIMIT), bad=("fail", "hang")):
        lower = [other for other in failed if all(_number(each) < _number(limit) for each in settings(LIMIT)(other))]
        if lower:
            yield Finding(Subject(), (well, *lower[:3]), f"it goes through with {limit} and fails without")


def _number(limit: str) -> float:
    found = NUMBER.search(limit)
    return float(found[0]) if found else float("inf")


SYMPTOM = Symptom(
    title="a higher limit on open files makes it work",
    rule=rule,
    leak=0.0005,
    because="nothing but the limit differs between the trials",
    command="ulimit -n 65536; and the same job again",
    cost_minutes=10,
)
