"""The service that serves a volume does not run any more: failed, or inactive after it ran.

By the names of the servers of network filesystems; the service manager was asked on their host. A volume of that
kind has to be mounted somewhere in the incident: the package of a server lies idle on many a client. On which host
somebody asked is seldom told, so that an active one rules nothing out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence.process import ServiceState
from ..evidence.storage import Mount
from ..incident import Incident
from . import Finding, Symptom
from ._places import network_mounts

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


def _volume(incident: Incident, name: str) -> Mount | None:
    """The first mount of the kind of volume that a service serves."""
    served = next((filesystem for filesystem, servers in SERVERS if servers.match(name)), None)
    mounts = [mount for mount in network_mounts(incident) if served and mount.filesystem.startswith(served)]
    return mounts[0] if mounts else None


SYMPTOM = Symptom(
    title="the service that serves the volume does not run",
    rule=rule,
    leak=0.002,
    because="a server whose volume is mounted runs all the time, but a client may have been a server once",
    tells_apart=("mount",),
    command="systemctl status nfs-server smbd glusterd moosefs-master 'ceph-*' 'beegfs-*'   # on the volume's server",
    cost_minutes=2,
)
