"""The same work hangs with forked workers and goes through where they are started afresh.

From a table of trials: spawn or forkserver in the condition of a trial that went well and in that of none that hung.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Subject
from ..incident import Incident
from ._cures import cures, settings
from ._symptom import Finding, Symptom

AFRESH = re.compile(
    r"(?:\b(?:multiprocessing_context|mp_context|start_method|context)[ =:]{1,3})?"
    r"(?:(?<![\w.])(?:\w{1,20}\.){0,3}(?:set_start_method|get_context)\(['\"]?)?"
    r"\b(?:spawn|forkserver)\b(?:['\"](?:, ?force=True)?\))?",
    re.I,
)


def rule(incident: Incident) -> Iterator[Finding]:
    for well, hung, method in cures(incident, settings(AFRESH), bad=("hang",)):
        yield Finding(Subject(), (well, *hung[:3]), f"it goes through with {method} and hangs without")


SYMPTOM = Symptom(
    title="workers that are not forked do not hang",
    rule=rule,
    leak=0.001,
    because="what a worker does is the same however it was started; only what it inherits differs",
    command="DataLoader(..., multiprocessing_context='spawn') and the same job again",
    cost_minutes=15,
)
