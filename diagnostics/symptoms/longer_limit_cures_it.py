"""The same work is ended at a limit on its waiting and goes through with a longer one.

From a table of trials: the time-out of a trial that went well is longer than that of every one of the same work that
failed or hung; or the same trial, without a word of its limit, timed out. A scheduler's time limit is none: it ends
healthy work and stuck work alike.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.people import Trial
from ..incident import Incident
from ._symptom import Finding, Symptom

# timeout=1800     NCCL timeout 2 h     TORCH_NCCL_HEARTBEAT_TIMEOUT_SEC=7200     init_process_group(timeout=60 min)
LIMIT = re.compile(
    r"(?<![a-z])(?:\w{0,40}timeout\w{0,10}|(?:watchdog|heartbeat)(?: limit)?"
    r"|(?:barrier|store|collective|rendezvous) limit|timedelta\((?=seconds))[ =(]{0,3}(?:of |seconds=)?(\d{1,7}) ?"
    r"(ms|s|sec|seconds|min|minutes|h|hours)?\b",
    re.I,
)
TIMED_OUT = re.compile(r"\btime[sd]? ?out\b|\bheartbeat\b|\bwatchdog\b", re.I)
SECONDS = {"ms": 0.001, "min": 60.0, "minutes": 60.0, "h": 3600.0, "hours": 3600.0}


def rule(incident: Incident) -> Iterator[Finding]:
    limited = [(trial, limit) for trial in incident.of(Trial) if (limit := _limit(trial)) is not None]
    bad = [(trial, limit) for trial, limit in limited if trial.outcome in ("fail", "hang")]
    for well, longer in limited:
        if well.outcome == "ok" and bad and all(limit < longer for _, limit in bad):
            note = (
                f"it goes through with a limit of {longer:,.0f} s and fails at {max(limit for _, limit in bad):,.0f} s"
            )
            yield Finding(Subject(), (well, *(trial for trial, _ in bad[:3])), note)
    for well, longer in limited:
        same = [
            t for t in incident.of(Trial) if t.outcome in ("fail", "hang") and _without_limit(t) == _without_limit(well)
        ]
        same = [trial for trial in same if _limit(trial) is None and TIMED_OUT.search(trial.text)]
        if well.outcome == "ok" and same:
            yield Finding(
                Subject(),
                (well, same[0]),
                f"it goes through with a limit of {longer:,.0f} s and times out as it is set",
            )


def _without_limit(trial: Trial) -> str:
    """A trial's condition apart from its time-out."""
    return LIMIT.sub("", trial.condition).strip(" ,;:()").lower()


def _limit(trial: Trial) -> float | None:
    """The time-out in a trial's condition, in seconds."""
    found = LIMIT.search(trial.condition)
    return float(found[1]) * SECONDS.get((found[2] or "s").lower(), 1.0) if found else None


SYMPTOM = Symptom(
    title="a longer limit makes it work",
    rule=rule,
    leak=0.001,
    because="work that is stuck is stuck however long one waits",
    command="init_process_group(timeout=timedelta(hours=2)) and the same job again",
    cost_minutes=30,
)
