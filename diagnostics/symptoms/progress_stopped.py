"""Steps came at a steady pace and then no more, while the job was not at its end.

Present where a watchdog saw a silence of many steps' length, where the process ended long after its last step, with
another status than 0 and without a word that it was done, or where a snapshot of the live process was taken on its
machine long after the last step. "Long" is fifteen steps and at least fifteen seconds. A log that the next file goes
on with has not ceased. ABSENT where every run's log goes on to its end: a run that says it is done, or whose process
ended within that time.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence import Evidence, Subject
from ..evidence.process import ProcessState
from ..evidence.supervisor import WatchdogFired, WatchdogObservation
from ..incident import Incident
from ..runs import Run
from ._progress import has_passed, last_signs
from ._symptom import Finding, Symptom

PACES = 15
AT_LEAST_S = 15.0


def rule(incident: Incident) -> Iterator[Finding]:
    """Each run whose steps ceased; else each run that went on to its end."""
    went_on: list[Run] = []
    found = False
    for run in incident.runs:
        stop = _stopped(incident, run)
        if stop:
            found = True
            silent_s, fact = stop
            yield Finding(
                run.steps.subject,
                (run.steps, fact),
                f"the last step was {run.steps.last_step}; then nothing for {silent_s:.0f} s "
                f"(a step took {run.pace_s or 0:.2g} s)",
            )
        elif run.finished or run.ended_in_order or run.silent_s is not None:
            went_on.append(run)
    if not found:
        yield from _watched(incident)
        if went_on and not _fired(incident):
            facts = tuple(fact for run in went_on for fact in (run.steps, run.finished or run.ended) if fact)
            yield Finding(Subject(), facts, "the steps go on until the run ends", present=False)


def _stopped(incident: Incident, run: Run) -> tuple[float, Evidence] | None:
    """How long a run was silent after its last step, and what shows it."""
    if run.finished or run.ended_in_order or run.last_step is None:
        return None
    limit = max(PACES * (run.pace_s or 1.0), AT_LEAST_S)
    if run.is_last and any(_follows(incident, run, other, limit) for other in incident.runs):
        return None
    if run.silent_s is not None and run.ended:
        return (run.silent_s, run.ended) if run.silent_s > limit else None
    if not run.is_last:
        return None
    for row in incident.of(ProcessState):
        seen = incident.timeline.instant(row) if row.state not in ("Z", "X") else None
        silent_s = seen.since(run.last_step) if seen else None
        if silent_s is not None and silent_s > limit and incident.links.may_be_beside(run.steps, row):
            return silent_s, row
    return None


def _follows(incident: Incident, run: Run, other: Run, limit_s: float) -> bool:
    """True where another file goes on with the next steps of a run: its log was rotated or split."""
    if other.steps.source.file == run.steps.source.file or other.steps.subject.rank != run.steps.subject.rank:
        return False
    gap_s = other.first_step.since(run.last_step) if other.first_step and run.last_step else None
    if gap_s is None or not 0 <= gap_s <= limit_s:
        return False
    goes_on = (other.steps.first_step or 0) > (run.steps.last_step or 0)
    return goes_on and incident.links.may_be_beside(run.steps, other.steps)


def _watched(incident: Incident) -> Iterator[Finding]:
    """A watchdog's word, where no log with dated steps is at hand, and none goes on or ends well after an alert."""
    signs = last_signs(incident)
    for fact in _fired(incident):
        if fact.action == "alert" and has_passed(incident, fact, signs):
            continue
        yield Finding(fact.subject, (fact,), f"no output for {fact.age_s or 0:.0f} s")
    for look in incident.of(WatchdogObservation):
        if look.age_s and look.limit_s and look.age_s > look.limit_s and not has_passed(incident, look, signs):
            yield Finding(look.subject, (look,), f"no output for {look.age_s:.0f} s")


def _fired(incident: Incident) -> list[WatchdogFired]:
    return [fact for fact in incident.of(WatchdogFired) if fact.watchdog != "nccl" and fact.age_s]


SYMPTOM = Symptom(
    title="the steps ceased while the job was not at its end",
    rule=rule,
    leak=0.1,
    because="people stop jobs and logs are cut; without any fault a run rarely falls silent by itself",
    command="tail -n 200 train.log; date",
    cost_minutes=1,
)
