"""What happened, in time: the lines that a diagnosis rests on and those that are bad by themselves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from ..diagnosis import Diagnosis
from ..display import shortened
from ..evidence import Evidence, Severity, Source
from ..evidence.job import (
    CollectiveTimeout,
    NonFiniteValue,
    ProcessEnded,
    PythonException,
    RunFinished,
    RunStarted,
    SchedulerEvent,
    TrainingSteps,
    WatchdogFired,
)
from ..evidence.kernel import HungTask, OomKill, Xid

EVENTS_SHOWN = 40
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
    """One thing that happened: when (UTC), the line that says so, and that line shortened."""

    at: datetime | None
    text: str
    source: Source


def happened(diagnosis: Diagnosis) -> list[Event]:
    """The events worth telling, earliest first; a burst of the same kind is told once, with its length."""
    return _thinned(list(_bursts(diagnosis)))


def _bursts(diagnosis: Diagnosis) -> Iterator[Event]:
    cited = {source for each in diagnosis.present for source in each.sources}
    burst: list[tuple[datetime, Evidence]] = []
    for at, fact in diagnosis.incident.timeline.ordered:
        worth = fact.source in cited or isinstance(fact, LANDMARKS)
        if not (worth or fact.severity in (Severity.CRITICAL, Severity.FATAL)) or isinstance(fact, TrainingSteps):
            continue
        if burst and burst[0][1].kind != fact.kind:
            yield _event(burst)
            burst = []
        burst.append((at, fact))
    if burst:
        yield _event(burst)


def _event(burst: list[tuple[datetime, Evidence]]) -> Event:
    at, fact = burst[0]
    lines = {each.source for _, each in burst}
    more = f" (and {len(lines) - 1} lines of its kind until {burst[-1][0]:%T})" if len(lines) > 1 else ""
    return Event(at, shortened(fact.source.quote.strip(), 180) + more, fact.source)


def _thinned(events: list[Event]) -> list[Event]:
    """At most EVENTS_SHOWN of them: the first and the last ones, where trouble begins and ends."""
    if len(events) <= EVENTS_SHOWN:
        return events
    half = EVENTS_SHOWN // 2
    return [*events[:half], *events[-half:]]


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
