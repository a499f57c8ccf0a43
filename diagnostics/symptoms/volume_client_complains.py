"""The client of a network filesystem complains of its server: in the kernel log (nfs, ceph, lustre ...) or, for a
client in user space, in the system log.

A complaint that a later message of the same server takes back does not count, nor that a monitor of Ceph was lost where
another one was found. Never ABSENT: many clients wait without a word, and their log is often kept elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.kernel import NetworkFilesystemMessage, NfsNotResponding, NfsOk
from ..evidence.storage import VolumeClientMessage
from ..incident import Incident
from ._places import volume_of_client
from ._reports import follows
from ._symptom import Finding, Symptom

COMPLAINTS = frozenset(
    {"no-copies", "timed-out", "connection-lost", "write-failed", "not-responding", "io-error", "data-lost", "stale"}
)
LOCAL_LOOKING = ("rbd",)
MONITOR = re.compile(r"\blibceph: mon\d")


def rule(incident: Incident) -> Iterator[Finding]:
    """Each complaint that stands."""
    for fact in incident.of(NfsNotResponding):
        if not _answered(incident, fact):
            yield Finding(
                volume_of_client(incident, fact, "nfs"), (fact,), f"NFS server {fact.subject.server} does not respond"
            )
    for message in incident.of(NetworkFilesystemMessage):
        if (
            message.about in COMPLAINTS
            and message.filesystem not in LOCAL_LOOKING
            and not _recovered(incident, message)
        ):
            yield Finding(volume_of_client(incident, message, message.filesystem), (message,), message.text[:160])
    for said in incident.of(VolumeClientMessage):
        if said.about in COMPLAINTS and not _is_back(incident, said):
            yield Finding(volume_of_client(incident, said, said.filesystem), (said,), said.text[:160])


def _answered(incident: Incident, fact: NfsNotResponding) -> bool:
    """True where the same server's "OK" follows."""
    server = Subject(server=fact.subject.server)
    return any(follows(ok, fact) and ok.subject.agrees_with(server) for ok in incident.of(NfsOk))


def _is_back(incident: Incident, lost: VolumeClientMessage) -> bool:
    """True where the server that a master had lost registers with it again."""
    return lost.subject.server is not None and any(
        later.about == "recovered"
        and later.filesystem == lost.filesystem
        and later.subject.server == lost.subject.server
        and follows(later, lost)
        for later in incident.of(VolumeClientMessage)
    )


def _recovered(incident: Incident, message: NetworkFilesystemMessage) -> bool:
    return any(
        later.about == "recovered"
        and later.filesystem == message.filesystem
        and follows(later, message)
        and (later.subject.agrees_with(message.subject) or (_monitor(message) and _monitor(later)))
        for later in incident.of(NetworkFilesystemMessage)
    )


def _monitor(message: NetworkFilesystemMessage) -> bool:
    """True for a message about one of Ceph's monitors, any of which does."""
    return message.filesystem == "ceph" and MONITOR.search(message.text) is not None


SYMPTOM = Symptom(
    title="the network filesystem's client complains of its server",
    rule=rule,
    leak=0.004,
    because="clients log single reconnects without harm; standing complaints are rare",
    tells_apart=("mount",),
    command="journalctl --since -2h | grep -i -E 'mfsmount|nfs|ceph|lustre|juicefs|sshfs'; dmesg -T | tail -n 200",
    cost_minutes=1,
    may_pass=True,
)
