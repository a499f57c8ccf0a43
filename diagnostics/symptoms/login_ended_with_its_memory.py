"""A user's login session ended, and what the user had in shared memory went with it.

logind reports the end of a session, and the user does not linger or RemoveIPC is in force; a batch job or a detached
process of that user holds no session. Or nobody looked at the settings, and the first error about a segment or object
that is gone comes within a minute after the end of a session that leaves its user none; root's memory is never removed.
ABSENT where RemoveIPC is off or the user lingers.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from ..evidence import Evidence, Subject
from ..evidence.job import PythonException, SettingSeen
from ..evidence.people import LoginSession
from ..incident import Incident
from ._shared_memory import is_gone, missed_segments
from ._symptom import Finding, Symptom

REMOVES = {"RemoveIPC": "yes", "Linger": "no"}
AT_ONCE_S = 60.0  # systemd removes them with the session; who has them open misses them at the next call


def rule(incident: Incident) -> Iterator[Finding]:
    settings = [setting for setting in incident.of(SettingSeen) if setting.name in REMOVES]
    kept = [setting for setting in settings if setting.value != REMOVES[setting.name]]
    ended = [session for session in incident.of(LoginSession) if session.edge == "end"]
    if kept:
        yield Finding(Subject(), tuple(kept), "shared memory stays when a session ends", present=False)
    elif settings and ended:
        note = f"session {ended[-1].session} ended, and its user does not linger"
        yield Finding(Subject(host=ended[-1].subject.host), (ended[-1], *settings), note.replace("  ", " "))
    elif ended and (first := _first_missed(incident)):
        missed, moment = first
        before = [each for each in ended if (at := incident.timeline.at(each)) and 0 <= _after(at, moment) <= AT_ONCE_S]
        last = next((each for each in before if _leaves_none(incident, each)), None)
        if last:
            who = f"of {last.user} " if last.user else ""
            note = f"a session {who}ended, and shared memory was missed at once"
            yield Finding(Subject(host=last.subject.host), (last, missed), note)


def _after(earlier: datetime, later: datetime) -> float:
    return (later - earlier).total_seconds()


def _first_missed(incident: Incident) -> tuple[Evidence, datetime] | None:
    """The first error about a segment or object that is not there any more, and its moment."""
    facts: list[Evidence] = [*missed_segments(incident), *filter(is_gone, incident.of(PythonException))]
    dated = [(fact, moment) for fact in facts if (moment := incident.timeline.at(fact))]
    return min(dated, key=lambda each: each[1]) if dated and len(dated) == len(facts) else None


def _leaves_none(incident: Incident, ended: LoginSession) -> bool:
    """True where no other session of that user is known to go on."""
    if ended.user == "root":
        return False
    own = [each for each in incident.of(LoginSession) if ended.user and each.user == ended.user]
    of_pam = [each.edge for each in own if not each.session]
    begun = {each.session for each in own if each.session and each.edge == "begin"}
    over = {each.session for each in incident.of(LoginSession) if each.edge == "end"}
    return of_pam.count("begin") <= of_pam.count("end") and begun <= over


SYMPTOM = Symptom(
    title="a login session ended and took the user's shared memory along",
    rule=rule,
    leak=0.002,
    because="people log out all the time; that one looks at it, or it comes right before such an error, is rare",
    tells_apart=("host",),
    command="journalctl -u systemd-logind | tail; loginctl show-user USER --property=Linger; systemd-analyze "
    "cat-config systemd/logind.conf | grep -i removeipc",
)
