"""The service that serves a volume does not run any more: failed, or inactive after it ran; or a signal has stopped
its process (state T), so that it still listens and serves nobody.

By the names of the servers of network filesystems; the service manager or ps was asked on their host. A volume of that
kind has to be mounted somewhere in the incident, or a client to speak of its server: the package of a server lies idle
on many a client. A debugger (state t) stops it for the moment of a look. On which host somebody asked is seldom told,
so that an active one rules nothing out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Evidence, Subject
from ..evidence.kernel import NetworkFilesystemMessage, NfsNotResponding
from ..evidence.process import ProcessState, ServiceState
from ..evidence.storage import Mount, VolumeClientMessage
from ..filesystems import FILESYSTEMS, by_filesystem
from ..incident import Incident
from ._places import volume_of_client
from ._symptom import Finding, Symptom

# filesystem, as a mount's -> its servers
SERVERS = (
    ("nfs", re.compile(r"^(?:nfs-server|nfs-kernel-server|nfsd|nfs-ganesha|nfs-mountd|unfsd?3?|rpc-mountd)$")),
    ("cifs", re.compile(r"^(?:smbd?|samba|ksmbd)$")),
    ("glusterfs", re.compile(r"^glusterd$")),
    ("moosefs", re.compile("^(?:moosefs-(?:pro-)?(?:master|chunkserver)|mfs(?:master|chunkserver)"
        "|lizardfs-(?:master|chunkserver))(?:@.{1,60})?$")),
    ("ceph", re.compile(r"^ceph(?:-[0-9a-f-]{36})?(?:-(?:mds|mon|osd)@.{1,100}|@(?:mds|mon|osd)\..{1,100})$")),
    ("beegfs", re.compile(r"^beegfs-(?:mgmtd|meta|storage)(?:@.{1,60})?$")),
    ("gpfs", re.compile(r"^(?:gpfs|mmfsd)$")),
)  # fmt: skip


def rule(incident: Incident) -> Iterator[Finding]:
    for service in incident.of(ServiceState):
        mount = _volume(incident, service.subject.job or "")
        if mount is None:
            continue
        where, name = mount.subject, service.subject.job
        if service.state != "active" and service.was_active:
            yield Finding(
                where, (service, mount), f"{name} is {service.state}, and {where.mount} is a volume of its kind"
            )
    for row in incident.of(ProcessState):
        name = row.subject.comm or ""
        kind = next((each.name for each in FILESYSTEMS if name and name.startswith(each.daemons or ("/",))), None)
        victim = _user_of(incident, kind) if kind and row.state == "T" else None
        if kind and victim:
            whose, fact = victim
            note = f"{name} {row.subject.pid} is stopped by a signal, and nobody serves {whose.mount or whose.server}"
            yield Finding(whose, (row, fact), note)


def _user_of(incident: Incident, kind: str) -> tuple[Subject, Evidence] | None:
    """The first mount of a kind of volume, on any machine; else its client's first word, with what it is about."""
    mounted = next((m for m in incident.volumes.all_mounts if m.network and m.filesystem == kind), None)
    if mounted:
        return mounted.subject, mounted
    said: list[NetworkFilesystemMessage | VolumeClientMessage] = [
        *incident.of(NetworkFilesystemMessage),
        *incident.of(VolumeClientMessage),
    ]
    told: list[Evidence] = [each for each in said if kind.startswith(each.filesystem)]
    told += incident.of(NfsNotResponding) if kind == "nfs" else ()
    return (volume_of_client(incident, told[0], kind), told[0]) if told else None


def _volume(incident: Incident, name: str) -> Mount | None:
    """The first mount, on any machine, of the kind of volume that a service serves."""
    served = next((filesystem for filesystem, servers in SERVERS if servers.match(name)), None)
    mounts = (m for m in incident.volumes.all_mounts if m.network and served and m.filesystem.startswith(served))
    return next(mounts, None)


STOPPED = "ps -eo pid,stat,wchan:20,args | awk '$2 ~ /T/'   # on the volume's server"

SYMPTOM = Symptom(
    title="the service that serves the volume does not run, or is stopped",
    rule=rule,
    leak=0.002,
    because="a server whose volume is mounted runs all the time, but a client may have been a server once",
    tells_apart=("mount",),
    command=by_filesystem(
        f"systemctl --failed; {STOPPED}",
        nfs=f"systemctl status nfs-server; {STOPPED}",
        cifs=f"systemctl status smbd; {STOPPED}",
        glusterfs=f"systemctl status glusterd; {STOPPED}",
        moosefs=f"systemctl status moosefs-master moosefs-chunkserver; {STOPPED}",
        cephfs=f"systemctl status 'ceph-*'; {STOPPED}",
        rbd=f"systemctl status 'ceph-*'; {STOPPED}",
        beegfs=f"systemctl status 'beegfs-*'; {STOPPED}",
    ),
    cost_minutes=2,
)
