"""A watchdog decided that the job was stuck and killed, aborted or restarted it.

The collectives' own watchdog is another symptom. ABSENT where a watchdog watched, did not act, and saw output at its
last look; one that still counts a silence has not judged yet, and one that raised an alarm may only ever warn.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.supervisor import WatchdogFired, WatchdogObservation
from ..incident import Incident
from ._symptom import Finding, Symptom

FRESH_S = 15.0


def rule(incident: Incident) -> Iterator[Finding]:
    """Each time that a watchdog acted; else its calm observations."""
    judged = [each for each in incident.of(WatchdogFired) if each.watchdog != "nccl"]
    fired = [each for each in judged if each.action != "alert"]
    for fact in fired:
        said = f" after {fact.age_s:.0f} s without output" if fact.age_s else ""
        limit = f" (limit {fact.limit_s:.0f} s)" if fact.limit_s else ""
        yield Finding(fact.subject, (fact,), f"the watchdog acted: {fact.action}{said}{limit}")
    looks = incident.of(WatchdogObservation)
    calm = looks[-1:] if looks and (looks[-1].age_s or 0.0) < min(FRESH_S, looks[-1].limit_s or FRESH_S) else []
    if calm and not judged:
        yield Finding(Subject(), (calm[-1],), "the watchdog watched and did not act", present=False)


SYMPTOM = Symptom(
    title="a watchdog ended the job",
    rule=rule,
    leak=0.08,
    because="a watchdog acts on silence, whatever its reason; without any fault it seldom has one",
    command="cat watchdog.log; systemctl status; kubectl describe pod POD",
)
