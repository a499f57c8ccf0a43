"""What happened, in time: the lines that a diagnosis rests on and those that are bad by themselves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import groupby

from ..causes import Role
from ..diagnosis import Diagnosis
from ..evidence import Evidence, Severity, Source
from ..evidence.collective import CollectiveTimeout
from ..evidence.job import PythonException
from ..evidence.kernel import HungTask, OomKill, Xid
from ..evidence.supervisor import ProcessEnded, SchedulerEvent, WatchdogFired
from ..evidence.training import NonFiniteValue, RunFinished, RunStarted, TrainingSteps
from ..printable import shortened

EVENTS_SHOWN = 40
SAME_BURST, SAME_MOMENT = timedelta(minutes=2), timedelta(seconds=5)
Dated = tuple[datetime, Evidence]
LANDMARKS = (RunStarted, RunFinished, ProcessEnded, WatchdogFired, NonFiniteValue)
ALARMS = (
    WatchdogFired,
    CollectiveTimeout,
    HungTask,
    SchedulerEvent,
    PythonException,
    ProcessEnded,
    OomKill,
    Xid,
    NonFiniteValue,
)


@dataclass(frozen=True)
class Event:
    """One thing that happened: when, the line that says so, and that line shortened."""

    at: datetime
    text: str
    source: Source
    role: str = ""


@dataclass(frozen=True)
class LeftOut:
    """Events that follow one another and are only counted."""

    count: int
    first: datetime
    last: datetime

    @property
    def text(self) -> str:
        if self.count == 1:
            return f"1 event at {self.first:%F %T} is left out"
        return f"{self.count} events between {self.first:%F %T} and {self.last:%F %T} are left out"


def happened(diagnosis: Diagnosis) -> list[Event | LeftOut]:
    """The events worth telling, earliest first; a burst of one kind is told once, with its length and its end."""
    roles = roles_of(diagnosis)
    bursts: list[list[Dated]] = []
    last: dict[str, list[Dated]] = {}
    for at, fact in diagnosis.incident.timeline.ordered:
        landmark = isinstance(fact, LANDMARKS)
        if isinstance(fact, TrainingSteps) or not (
            landmark or fact.source in roles or fact.severity in (Severity.CRITICAL, Severity.FATAL)
        ):
            continue
        burst = last.get(fact.kind)
        if burst and at - burst[-1][0] <= (SAME_MOMENT if landmark else SAME_BURST):
            burst.append((at, fact))
        else:
            last[fact.kind] = [(at, fact)]
            bursts.append(last[fact.kind])
    return thinned([_event(burst, roles) for burst in bursts])


def roles_of(diagnosis: Diagnosis) -> dict[Source, str]:
    """The role of every line that a symptom of the diagnosis rests on; "" where no cause of the answer explains it."""
    roles: dict[Source, str] = {}
    for each in diagnosis.present:
        by = next((h.cause for h in diagnosis.answer if each in h.explained), None)
        effect = by.effect(each.symptom) if by else None
        for source in each.sources:
            roles[source] = roles.get(source) or (effect.role.value if effect else "")
    return roles


def _event(burst: list[Dated], roles: dict[Source, str]) -> Event:
    at, fact = burst[0]
    others = len({each.source for _, each in burst}) - 1
    more = f" (and {others} more line{'s' if others > 1 else ''} of its kind until {burst[-1][0]:%T})" if others else ""
    role = next((role for _, each in burst if (role := roles.get(each.source))), "")
    return Event(at, shortened(fact.source.quote.strip(), 180) + more, fact.source, role)


def thinned(events: Sequence[Event]) -> list[Event | LeftOut]:
    """At most EVENTS_SHOWN of them, and the count of the others where they stood.

    The first and the last one and the initiating ones come first, then those nearest to either end, where trouble
    begins and ends.
    """

    def weight(at: int) -> tuple[bool, int]:
        from_an_end = min(at, len(events) - 1 - at)
        return from_an_end > 0 and events[at].role != Role.INITIATING, from_an_end

    shown = set(sorted(range(len(events)), key=weight)[:EVENTS_SHOWN])
    rows: list[Event | LeftOut] = []
    for told, group in groupby(range(len(events)), key=shown.__contains__):
        run = [events[at] for at in group]
        rows += run if told else [LeftOut(len(run), run[0].at, run[-1].at)]
    return rows


def first_sign(diagnosis: Diagnosis) -> Event | None:
    """The earliest line above info that a symptom of the diagnosis rests on."""
    cited = {source for each in diagnosis.present for source in each.sources}
    for at, fact in diagnosis.incident.timeline.ordered:
        if fact.source in cited and fact.severity is not Severity.INFO:
            return Event(at, shortened(fact.source.quote.strip(), 120), fact.source)
    return None


def noticed(diagnosis: Diagnosis) -> Event | None:
    """The first alarm that anything raised: a watchdog, the kernel, the scheduler, or the job itself."""
    for at, fact in diagnosis.incident.timeline.ordered:
        if isinstance(fact, ALARMS) and not (isinstance(fact, ProcessEnded) and not fact.status and not fact.signal):
            return Event(at, f"{fact.kind.replace('_', ' ')}: {shortened(fact.source.quote.strip(), 120)}", fact.source)
    return None
