"""Where something is: a path becomes a subject with its mount, its server and its device."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial

from ..evidence import Evidence, Subject
from ..evidence.job import LogLine, PythonException
from ..evidence.kernel import BlockDeviceTrouble
from ..evidence.storage import BlockDeviceSeen, Mount, VolumeClientMessage
from ..evidence.training import CheckpointEvent
from ..incident import Incident
from ..mounttable import innermost
from ._reports import split_port


def place(incident: Incident, path: str | None, beside: Evidence, *, pid: int | None = None) -> Subject:
    """The subject of a path on a fact's machine: its mount from /proc/mounts, else from df, else the path alone."""
    mount = incident.volumes.mount_of(path, beside)
    if mount is not None:
        local = None if mount.network else disk(mount.subject.device)
        return Subject(mount=mount.subject.mount, server=mount.subject.server, device=local, path=path, pid=pid)
    point = innermost(path, incident.volumes.points(beside)) if path else None
    return Subject(mount=point, path=path, pid=pid)


def disk(device: str | None) -> str | None:
    """The disk behind a device's name: /dev/nvme0n1p2 -> nvme0n1, sda1 -> sda; None where the name does not tell it.

    Mappers and arrays (dm-0, md127), and the names that a volume manager makes in a folder of its own
    (/dev/mapper/vg-data, /dev/longhorn/pvc-1), may lie on any disk, so they name none.
    """
    name = (device or "").removeprefix("/dev/")
    if not name or "/" in name or name.startswith(("dm-", "md", "mapper")):
        return None
    if name.startswith(("nvme", "mmcblk", "nbd")):
        return re.sub(r"p\d{1,3}$", "", name)
    return name.rstrip("0123456789") if name.startswith(("sd", "vd", "hd", "xvd")) else name


IN_A_CLUSTER = ("rbd", "nbd", "drbd")
# what a cluster's volume driver makes on the client, and udev's name of a disk behind an iSCSI or NVMe-over-fabrics
# server
OF_A_CLUSTER = re.compile(
    r"^/dev/(?:longhorn|rbd|drbd|nbd|storpool|openebs|mayastor|linstor)|^/dev/disk/by-path/.{0,80}(?:ip-|-iscsi-|fc-)"
)
# targets of iSCSI and Fibre Channel, as they call themselves
OF_A_SERVER = re.compile(
    r"^(?:IET|LIO-ORG|SCST\w{0,6}|NETAPP|PURE|3PARdata|Nimble|NUTANIX|FreeNAS|TrueNAS|SYNOLOGY|QNAP|OPNFILER|DGC"
    r"|COMPELNT|INFINIDAT)\b",
    re.I,
)
DISKS_OF_VOLUMES = ("longhorn",)  # clients that make SCSI disks of volumes
OVER_A_NETWORK = ("iscsi", "fc", "tcp", "rdma", "fcoe")
SESSION = re.compile(r"\b(?:connection\d{1,5}:\d{1,5}|session\d{1,5}|iscsi):? ", re.I)


def lost_sessions(incident: Incident) -> list[BlockDeviceTrouble]:
    """Reports that the connection to an iSCSI server was lost."""
    return [trouble for trouble in incident.of(BlockDeviceTrouble) if SESSION.search(trouble.text[:120])]


def is_remote_disk(incident: Incident, device: str | None, beside: Evidence) -> bool:
    """True for a disk of a fact's machine whose blocks lie behind a server: by its name, its vendor or its transport,
    or a SCSI disk while a session to one is lost, or one that no mount names where a mount's source is a cluster's or a
    cluster's client complains: such volumes come to the kernel as SCSI disks.
    """
    name = (device or "").rpartition("/")[2]
    if name.startswith(IN_A_CLUSTER):
        return True
    here = partial(incident.links.may_be_beside, beside)
    seen = [each for each in incident.of(BlockDeviceSeen) if each.subject.device == name and here(each)]
    if any(OF_A_SERVER.match(each.vendor or "") or each.transport in OVER_A_NETWORK for each in seen):
        return True
    lost = any(map(here, lost_sessions(incident)))
    return name.startswith("sd") and (lost or _comes_from_a_cluster(incident, name, beside))


def _comes_from_a_cluster(incident: Incident, name: str, beside: Evidence) -> bool:
    sources = [mount.device for mount in incident.volumes.mounts(beside)]
    named = any(disk(source) == disk(name) for source in sources)
    said = [each for each in incident.of(VolumeClientMessage) if each.filesystem in DISKS_OF_VOLUMES]
    complains = any(incident.links.may_be_beside(beside, each) for each in said)
    return not named and (complains or any(OF_A_CLUSTER.search(source) for source in sources))


def network_mounts(incident: Incident, beside: Evidence) -> list[Mount]:
    """The mounts of a fact's machine whose data live behind a server."""
    return [mount for mount in incident.volumes.mounts(beside) if mount.network]


def only_network_mount(incident: Incident, beside: Evidence) -> Mount | None:
    """The network mount of a fact's machine, when there is exactly one."""
    found = network_mounts(incident, beside)
    return found[0] if len(found) == 1 else None


def volume_beside(incident: Incident, beside: Evidence) -> Subject:
    """The only network volume of a fact's machine; nothing where there is none, or several."""
    mount = only_network_mount(incident, beside)
    return Subject(mount=mount.subject.mount, server=mount.subject.server) if mount else Subject()


def on_network(incident: Incident, subject: Subject, beside: Evidence) -> bool | None:
    """True or False where the mount is known, None where nobody can tell."""
    if subject.path is None and subject.mount is None:
        return None
    mount = incident.volumes.mount_of(subject.path or subject.mount, beside)
    return None if mount is None else mount.network


# Creating 4.0 filesystem on /run/pyxis/1000/31.0.squashfs, block size 131072.
TARGET = re.compile(
    r"(?i:\b(?:creating|writing|saving|exporting|extracting|copying|unpacking|downloading)\b).{0,80}?\b"
    r"(?:on|to|in|into) (/[^\s'\":,;)]{2,400})"
)
NEAR = 12  # lines of one program's report


def written_path(incident: Incident, fact: Evidence) -> str | None:
    """The file that the job was writing when it said `fact`: its own path, else the last one that it announced."""
    if fact.subject.path:
        return fact.subject.path
    if isinstance(fact, LogLine):
        return _target_near(incident, fact)
    if not isinstance(fact, PythonException) or fact.worker is not None:  # a loader's worker reads
        return None
    before = [
        event
        for event in incident.of(CheckpointEvent)
        if event.source.file == fact.source.file and event.source.line <= fact.source.line and event.subject.path
    ]
    return before[-1].subject.path if before else None


def _target_near(incident: Incident, fact: LogLine) -> str | None:
    """The only place that the lines around a complaint say they write to."""
    near = [
        line.text
        for line in incident.of(LogLine)
        if line.source.file == fact.source.file and abs(line.source.line - fact.source.line) <= NEAR
    ]
    targets = {found[1] for text in near if (found := TARGET.search(text))}
    return targets.pop() if len(targets) == 1 else None


def place_of_error(incident: Incident, fact: Evidence, path: str | None) -> Subject:
    """The subject of an error: the file it names or the one that was being written, on its mount."""
    subject = place(incident, path or written_path(incident, fact), fact, pid=fact.subject.pid)
    return replace(subject, rank=fact.subject.rank, host=fact.subject.host)


def volume_of_client(incident: Incident, fact: Evidence, filesystem: str) -> Subject:
    """What a client's message is about: the mount of that filesystem (and server), where exactly one fits."""
    server = fact.subject.server
    candidates = [mount for mount in network_mounts(incident, fact) if mount.filesystem == filesystem]
    fits = [mount for mount in candidates if server is None or is_served_by(mount, server)] or candidates
    mount = fits[0].subject if len(fits) == 1 else fact.subject
    return Subject(mount=mount.mount, server=mount.server or server, host=fact.subject.host)


def is_served_by(mount: Mount, server: str) -> bool:
    """True where a server is one of those that a mount's source names, whatever the port."""
    hosts = [split_port(each)[0] for each in (mount.subject.server or "").split(",")]
    return split_port(server)[0] in hosts


def same_device(device: str, name: str | None) -> bool:
    """True where a mount's source and the kernel's short name are one device."""
    return bool(name) and device.rpartition("/")[2] == str(name).rpartition("/")[2]
