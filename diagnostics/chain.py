"""The chain behind an answer: what happened in order, and who was tied to whom.

`events` puts the explained symptoms in time, those of several causes together. `attribution` follows the ties of one
stuck process as far as the evidence goes: watchdog -> pid -> worker -> descriptor -> file -> mount -> server.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from .diagnosis import Diagnosis
from .evidence import NOBODY, Evidence, Source, Subject
from .evidence.job import PythonException
from .evidence.process import OpenFile, ProcessState, ThreadState
from .evidence.supervisor import WatchdogFired
from .filesystems import by_name
from .hypothesis import Hypothesis, Verdict
from .incident import Incident
from .mounttable import innermost
from .observation import Observation
from .time_order import first_moment


@dataclass(frozen=True)
class Link:
    """One link: what is said, about whom, since when, and the lines that say it."""

    text: str
    subject: Subject = NOBODY
    at: datetime | None = None
    sources: tuple[Source, ...] = ()

    @property
    def when(self) -> str:
        """`at` in words: 2026-11-29 13:01:32Z, or "local time" for the Z where nothing says the zone; "" for None."""
        if self.at is None:
            return ""
        return f"{self.at:%F %T}" + ("Z" if self.at.tzinfo is UTC else f" {self.at:%Z}")


def chain_of(diagnosis: Diagnosis) -> list[Link]:
    """The chain of the answer (of the leading hypothesis where there is no answer): events, then ties."""
    return [*events(diagnosis), *ties(diagnosis)]


def heading(diagnosis: Diagnosis) -> str:
    """What the chain may be called: of causes that are independent none led to what another one did."""
    independent = diagnosis.verdict is Verdict.INDEPENDENT_CAUSES
    return "What happened, in order" if independent else "How one thing led to the other"


def events(diagnosis: Diagnosis) -> list[Link]:
    """The symptoms that the answer explains, the earliest first; below them the undated ones by their role's place.

    An exception without a time says between which dated lines of its log it stands.
    """
    places: dict[Link, tuple[bool, datetime, int]] = {}
    for hypothesis in _leading(diagnosis):
        for each in hypothesis.explained:
            if effect := hypothesis.cause.effect(each.symptom):
                text = each.notes[0] if each.notes else each.symptom.replace("-", " ")
                at = first_moment(diagnosis.incident, each)
                around = None if at else _around(diagnosis.incident, each)
                link = Link(f"{_between(*around)}: {text}" if around else text, each.subject, at, each.sources[:3])
                place = at or (around[0] if around else None)
                places.setdefault(link, (place is None, place or datetime.max, effect.role.place))
    return sorted(places, key=lambda link: places[link])


def _around(incident: Incident, observation: Observation) -> tuple[datetime, datetime] | None:
    """The moments around the first undated exception of an observation that has such."""
    raised = (fact for fact in observation.evidence if isinstance(fact, PythonException))
    return next((around for fact in raised if (around := incident.timeline.around(fact))), None)


def _between(first: datetime, last: datetime) -> str:
    """ "between 12:03:04 and 12:03:09 UTC", with the days where they are two."""
    form = "%T" if first.date() == last.date() else "%F %T"
    return f"between {first:{form}} and {last:{form}} {last:%Z}"


def ties(diagnosis: Diagnosis) -> list[Link]:
    """Who was tied to the volume that the answer is about, where it is about one."""
    volume = next((each.about for each in _leading(diagnosis) if each.about.mount), None)
    return attribution(diagnosis.incident, volume) if volume else []


def _leading(diagnosis: Diagnosis) -> Sequence[Hypothesis]:
    return diagnosis.answer or diagnosis.hypotheses[:1]


def attribution(incident: Incident, volume: Subject) -> list[Link]:
    """The ties from who was killed or stuck to the server that it waited for; the longest one found."""
    return max((list(_ties(incident, thread, volume)) for thread in _waiting(incident)), key=len, default=[])


def _waiting(incident: Incident) -> list[ThreadState | ProcessState]:
    seen: list[ThreadState | ProcessState] = [*incident.of(ThreadState), *incident.of(ProcessState)]
    blocked = [fact for fact in seen if fact.state == "D" or (fact.wchan or "").startswith("request_wait")]
    # of many like it one is shown, and those whose descriptor is known come first
    return sorted(blocked, key=lambda fact: not (isinstance(fact, ThreadState) and fact.descriptor is not None))[:50]


def _ties(incident: Incident, thread: ThreadState | ProcessState, volume: Subject) -> Iterator[Link]:
    links, mount = incident.links, incident.volumes.mount_at(volume.mount, thread)
    pid = thread.subject.pid
    process = links.process_of(thread)
    file = links.file_of(thread) if isinstance(thread, ThreadState) else None
    if not _may_lie_on(incident, volume, thread, file):
        return
    parent = process.parent_pid if process else None
    for fired in incident.of(WatchdogFired):
        machines = {links.machines.of(fired), links.machines.of(thread)} - {""}
        if fired.subject.pid is not None and fired.subject.pid in (pid, parent) and len(machines) < 2:
            text = f"the watchdog {_did(fired)} process {fired.subject.pid}"
            yield Link(text, fired.subject, incident.timeline.at(fired), (fired.source,))
            break
    name = thread.subject.comm or "a process"
    child = f", a child of {parent}," if parent not in (None, 0, 1) else ""
    wait = f" in {thread.wchan}" if thread.wchan and thread.wchan != "0" else ""
    state = f"state {thread.state}" if thread.state else "a wait"
    yield Link(
        f"{name} {pid}{child} was in {state}{wait}", thread.subject, incident.timeline.at(thread), (thread.source,)
    )
    if file:
        yield Link(f"its descriptor {file.descriptor} was {file.target}", file.subject, None, (file.source,))
    if mount:
        title = by_name(mount.filesystem).title
        served = f" at {mount.subject.server}" if mount.subject.server else ""
        where = "that file lies on" if file else "the volume is"
        said = f"{where} {volume.mount}, which is {title}{served}"
        yield Link(said, mount.subject, None, (mount.source,))


def _may_lie_on(incident: Incident, volume: Subject, thread: Evidence, file: OpenFile | None) -> bool:
    """False for a socket, a file of another volume, and a thread on whose machine another volume is mounted there."""
    here = incident.volumes.told_apart(Subject(mount=volume.mount), thread)
    if volume.owner and here.owner not in (None, volume.owner):
        return False
    points = {volume.mount or "", *incident.volumes.points(thread)}
    return file is None or innermost(file.target, points) == volume.mount


def _did(fired: WatchdogFired) -> str:
    after = f" after {fired.age_s:.0f} s without output" if fired.age_s is not None else ""
    word = {"kill": "killed", "restart": "restarted", "alert": "raised an alarm about", "abort": "aborted"}
    return f"{word.get(fired.action, fired.action)}{after}:" if after else word.get(fired.action, fired.action)
