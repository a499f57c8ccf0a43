"""The limits that struck a job, and the work that was under way when they did."""

from __future__ import annotations

import re

from ..evidence import Evidence
from ..evidence.job import CollectiveTimeout, Phase, WatchdogFired
from ..incident import Incident
from ._reports import said, words_of

NEAR = 0.85
LONG = ("evaluation", "save", "load", "preprocess", "compile", "download", "epoch-end", "warmup")
# 1328/5120      13 of 30
COUNT = re.compile(r"\b(\d{1,9}) ?(?:/|of) ?(\d{1,9})\b")
GAVE_UP_WAITING = re.compile(
    r"Socket Timeout|client socket has timed out after \d|waitForInput: .{0,300}timed out after"
    r"|reached monitoredBarrier, but|[Ww]ait timeout after|Timed out after \d+ seconds waiting for clients"
    r"|[Tt]imed out initializing process group|barrier.{0,80}timed? ?out",
    re.I,
)
SECONDS = re.compile(
    r"[Tt]imed out after (\d{2,6}) ?s|(?:after|timeout) (\d{4,9}) ?ms|timeout=(\d{1,3}):(\d\d):(\d\d)\b"
)


def limits(incident: Incident) -> list[tuple[float | None, Evidence]]:
    """The limits that struck, in seconds where they were said, each with the fact that says so."""
    found: list[tuple[float | None, Evidence]] = [
        (f.limit_s or f.age_s, f) for f in incident.of(WatchdogFired) if f.action != "alert"
    ]
    found += [(t.limit_s, t) for t in incident.of(CollectiveTimeout)]
    return found + [(_said_limit(fact), fact) for fact in said(incident, GAVE_UP_WAITING)]


def _said_limit(fact: Evidence) -> float | None:
    match = SECONDS.search(words_of(fact))
    if match is None:
        return None
    if match[3]:
        return int(match[3]) * 3600.0 + int(match[4]) * 60 + int(match[5])
    return float(match[1]) if match[1] else float(match[2]) / 1000


def last_phase(incident: Incident) -> Phase | None:
    """The last work beside the training that a log tells of."""
    phases = [phase for phase in incident.of(Phase) if phase.phase in LONG]
    return phases[-1] if phases else None
