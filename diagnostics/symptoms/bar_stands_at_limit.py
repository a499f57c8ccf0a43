"""A progress bar that is none of the training itself stands unfinished where a limit struck, about as old as that
limit.

Or one of preparing data that at its pace takes far longer than the limit. The limit may be said, or be the shortest
that torch sets where nobody says one; where the scheduler ended the job, a bar that ran for so long tells it too. And
where all that was kept of the end is a rank's SIGABRT, a bar of preparing data that is as old as a usual or configured
limit to the percent.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Evidence, Subject
from ..evidence.job import SettingSeen
from ..evidence.supervisor import SchedulerEvent
from ..evidence.training import Phase, ProgressBar, TrainingSteps
from ..incident import Incident
from ._limits import NEAR, OF_DATA, aborted_at_limit, limits
from ._symptom import Finding, Symptom

SHORTEST_DEFAULT_S = 300.0  # of the limits that torch sets where nobody says one: its store's
BYTES = 10**9  # nobody makes so many steps: such a bar counts bytes or rows
FAR_LONGER = 2.0
LINES = 12  # between what a job says it does now and the bar of that
TRAINING = re.compile(r"\b(?:epoch|train(?:ing)?|iter(?:ation)?s?|steps?)\b", re.I)


def rule(incident: Incident) -> Iterator[Finding]:
    """Unfinished bars of work beside the training that ran as long as what was torn down was allowed to.

    A bar without a label is mostly the training's own, but below the begin of an evaluation it is that one's. One
    that counts to billions counts bytes.
    """
    struck = limits(incident)
    torn: list[Evidence] = [fact for _, fact in struck]
    torn += [event for event in incident.of(SchedulerEvent) if event.about in ("cancelled", "failed")]
    waits = [s for s in incident.of(SettingSeen) if "BLOCKING_WAIT" in s.name or "TIMEOUT" in s.name]
    known = [limit for limit, _ in struck if limit]
    enough = NEAR * min(known, default=SHORTEST_DEFAULT_S)
    for bar in incident.of(ProgressBar):
        beside = bool(bar.label) and (not TRAINING.search(bar.label) or OF_DATA.search(bar.label))
        beside = beside or (not bar.label and _is_none_of_training(incident, bar)) or (bar.total or 0) >= BYTES
        if not (torn and beside and _is_unfinished(bar)):
            continue
        needs = (bar.elapsed_s or 0.0) / (bar.done or 1) * (bar.total or 0)
        if (bar.elapsed_s or 0.0) >= enough:
            note = f"{bar.label} stood at {bar.done} of {bar.total or '?'} after {bar.elapsed_s:.0f} s"
            yield Finding(Subject(), (bar, torn[0], *waits[:1]), note)
        elif known and needs >= FAR_LONGER * max(known) and OF_DATA.search(bar.label):
            note = f"{bar.label} takes {needs:.0f} s at its pace, the limit is {max(known):.0f} s"
            yield Finding(Subject(), (bar, torn[0], *waits[:1]), note)

    for bar, limit_s, end in aborted_at_limit(incident):
        note = f"{bar.label} stood at {bar.done} of {bar.total} after {bar.elapsed_s:.0f} s, a limit is {limit_s:.0f} s"
        yield Finding(Subject(), (bar, end), note)


def _is_none_of_training(incident: Incident, bar: ProgressBar) -> bool:
    """True for a bar below the begin of an evaluation or a preparation, with no step and no other phase between.

    A preparation's bar follows at once: what comes later may be the training's.
    """
    above: list[Evidence] = [*incident.of(Phase, TrainingSteps)]
    above = [each for each in above if each.source.file == bar.source.file and each.source.line < bar.source.line]
    last = max(above, key=lambda each: each.source.line, default=None)
    if not isinstance(last, Phase) or last.edge != "begin":
        return False
    near = bar.source.line - last.source.line <= LINES
    return last.phase == "evaluation" or (last.phase == "preprocess" and near)


def _is_unfinished(bar: ProgressBar) -> bool:
    """True for a bar that was under way; one without a total, when it had a pace."""
    if bar.total is None:
        return (bar.done or 0) > 0 and bar.fastest_s is not None
    return 0 < (bar.done or 0) < bar.total


SYMPTOM = Symptom(
    title="a progress bar stands unfinished where a limit struck",
    rule=rule,
    leak=0.001,
    because="limits are set with room; a bar that reaches one by chance is rare",
    command="grep -n -i -E 'timeout|limit' CONFIG; tail -n 100 train.log",
    cost_minutes=2,
)
