"""The storage cluster shut this client out: blocklisted or blacklisted, evicted, session closed or expired, stale
handles after a failover, ESHUTDOWN from a block device in the cluster, or a device without watchers. A pod that is
evicted from its node, or waits for it, is no client of storage.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.kernel import NetworkFilesystemMessage
from ..evidence.storage import VolumeClientMessage
from ..filesystems import by_filesystem
from ..incident import Incident
from ._errors import matching
from ._places import network_mounts, place_of_error
from ._symptom import Finding, Symptom

SHUT_OUT = re.compile(
    r"black-?listed|block-?listed|evicted|session (?:was )?(?:closed|killed|rejected)|transport endpoint shutdown"
    r"|ESHUTDOWN|result -108\b|Errno 108"
    # an SMB server that let the session lapse (two of its codes), an NFS server whose client did not renew its lease
    r"|\b0xc000035c\b|\b0xc0000203\b|NETWORK_SESSION_EXPIRED|USER_SESSION_DELETED|NFS4ERR_EXPIRED",
    re.I,
)


# mount.lustre: mount SERVER at PLACE failed: Cannot send after transport endpoint shutdown     (its servers are not up)
AT_MOUNTING = re.compile(r"\bmount\.lustre: mount |^mount \S{1,200} at \S{1,200} failed: Cannot send after transport")


# Failed to drain node, 2 pods are waiting to be evicted
OF_PODS = re.compile(
    r"(?i)\bpods? (?:(?:is|are|was|were|has been|have been) )?(?:waiting to be |being )?evicted"
    r"|\bevict(?:ed|ing|ion of)? (?:the )?pods?\b"
)


def rule(incident: Incident) -> Iterator[Finding]:
    """Each word of an eviction."""
    messages: list[NetworkFilesystemMessage | VolumeClientMessage] = [
        *incident.of(NetworkFilesystemMessage),
        *incident.of(VolumeClientMessage),
    ]
    for fact in messages:
        if fact.about in ("evicted", "blocklisted") or SHUT_OUT.search(fact.text):
            yield Finding(_where(incident, fact), (fact,), fact.text[:160])
    for said in matching(incident, SHUT_OUT, "ESHUTDOWN"):
        if not AT_MOUNTING.search(said.text) and not OF_PODS.search(said.text):
            where = place_of_error(incident, said.fact, said.path)
            yield Finding(where, (said.fact,), said.text.splitlines()[0][:160])


def _where(incident: Incident, fact: NetworkFilesystemMessage | VolumeClientMessage) -> Subject:
    device = fact.subject.device
    for mount in network_mounts(incident, fact):
        if mount.filesystem == fact.filesystem and (device is None or device in mount.device):
            return mount.subject
    return Subject(device=device, server=fact.subject.server, mount=fact.subject.mount)


SYMPTOM = Symptom(
    title="the storage cluster shut this client out",
    rule=rule,
    leak=0.0003,
    because="only the cluster does this, after it lost sight of the client",
    command=by_filesystem(
        "dmesg -T | grep -i -E 'block-?list|black-?list|evict|expired|-108'",
        cephfs="dmesg -T | grep -i -E 'block-?list|black-?list|evict|-108'; ceph osd blocklist ls",
        rbd="dmesg -T | grep -i -E 'block-?list|black-?list|-108'; ceph osd blocklist ls; rbd status IMAGE",
        lustre="dmesg -T | grep -i -E 'evict|-108'; lctl get_param '*.*.import' | grep -A3 state",
        nfs="dmesg -T | grep -i -E 'nfs|expired|stale'; nfsstat -m",
        cifs="dmesg -T | grep -i -E 'cifs|session'; cat /proc/fs/cifs/DebugData",
    ),
    cost_minutes=2,
)
