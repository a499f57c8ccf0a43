"""A user's login session ended while systemd was set to remove with it what the user has in shared memory.

logind reports the end of a session, and the user does not linger or RemoveIPC is in force; a batch job or a detached
process of that user holds no session. ABSENT where RemoveIPC is off or the user lingers.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.job import LoginSession, SettingSeen
from ..incident import Incident
from . import Finding, Symptom

REMOVES = {"RemoveIPC": "yes", "Linger": "no"}


def rule(incident: Incident) -> Iterator[Finding]:
    settings = [setting for setting in incident.of(SettingSeen) if setting.name in REMOVES]
    kept = [setting for setting in settings if setting.value != REMOVES[setting.name]]
    ended = [session for session in incident.of(LoginSession) if session.edge == "end"]
    if kept:
        yield Finding(Subject(), tuple(kept), "shared memory stays when a session ends", present=False)
    elif settings and ended:
        yield Finding(
            Subject(host=ended[-1].subject.host),
            (ended[-1], *settings),
            f"session {ended[-1].session} ended, and its user does not linger",
        )


SYMPTOM = Symptom(
    title="a login session ended and took the user's shared memory along",
    rule=rule,
    leak=0.002,
    because="people log out all the time; that somebody looked at lingering beside it is rare",
    tells_apart=("host",),
    command="journalctl -u systemd-logind | tail; loginctl show-user USER --property=Linger; systemd-analyze cat-config systemd/logind.conf | grep -i removeipc",
)
