"""Calls and commands that a volume keeps waiting, or answers with an error."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Evidence, Subject
from ..evidence.kernel import OomKill
from ..evidence.process import OpenFile, ProcessState, ThreadState
from ..evidence.storage import CommandOutcome, Mount
from ..filesystems import CLIENTS
from ..incident import Incident
from ._caches import build_met_another
from ._errors import Said, errors
from ._places import only_network_mount, place

QUESTIONS = ("statfs", "fstatfs", "stat", "lstat", "fstat", "newfstatat", "access", "faccessat")
LONG_S = 60.0  # no local disk takes so long
# umount.nfs4 /mnt/ckpt      df -h /data
ABOUT_A_MOUNT = re.compile(
    r"^(?:\S{0,20}/)?(?:umount(?:\.\w{1,12})?|fusermount3?|df|stat)(?: -\S{1,20})* (?P<path>/\S{1,400})$"
)
READERS = re.compile(r"\b(?:dd|cat|md5sum|sha\d+sum|cp|head|cmp)\b")
TIMED_OUT = 124
IO_ERROR = re.compile(
    r"Input/output error|No such device or address|Stale (?:NFS )?file handle|Transport endpoint is not connected"
    r"|Cannot send after transport endpoint shutdown|Remote I/O error|\[Errno (?:5|6|107|108|116|121)\]"
    r"|Bad message|Software caused connection abort|Host is down",
    re.I,
)
ERROR_NAMES = ("EIO", "ENXIO", "ESTALE", "ENOTCONN", "ESHUTDOWN", "EREMOTEIO", "EBADMSG")
NOT_A_FILE = re.compile(r"NCCL|CUDA|socket|connect\(|Xid|nvidia|ibv_|sendto|recvfrom|cannot stat shared object", re.I)
NOT_CONNECTED = re.compile(r"Transport endpoint is not connected|\[Errno 107\]|Socket not connected", re.I)


def commands_about_a_mount(incident: Incident) -> Iterator[tuple[ProcessState, Mount]]:
    """Commands in D that can wait for nothing but the network volume that they name."""
    for row in incident.of(ProcessState):
        if row.state == "D" and row.wchan in (None, "-", "?") and (found := ABOUT_A_MOUNT.match(row.command)):
            mount = incident.volumes.mount_of(found["path"], row)
            if mount and mount.network and mount.subject.mount == found["path"].rstrip("/"):
                yield row, mount


def file_and_mount(incident: Incident, fact: ThreadState | ProcessState) -> tuple[OpenFile | None, Mount | None]:
    """The file that a thread or process waits for and its mount; the mount alone where only it is known."""
    links = incident.links
    file = links.file_of(fact) if isinstance(fact, ThreadState) else None
    if file:
        return file, incident.volumes.mount_of(file.target, file)
    process = links.process_of(fact)
    opened = [(f, incident.volumes.mount_of(f.target, f)) for f in (process.files if process else ())]
    remote = {m.subject.mount: (f, m) for f, m in opened if m is not None and m.network}
    if len(remote) == 1:
        return next(iter(remote.values()))
    return None, only_network_mount(incident, fact)


def folder_of(command: CommandOutcome) -> str:
    """The folder of the file that a command names."""
    return (command.subject.path or "").rpartition("/")[0]


def brought_nothing(command: CommandOutcome) -> bool:
    """True for a reader that hangs, or whose pipe had got nothing when its time was over."""
    piped = command.outcome == "timed-out" and command.status is None and "|" in command.command
    return bool(command.subject.path and READERS.search(command.command)) and (command.outcome == "hanging" or piped)


def ran_into_its_limit(command: CommandOutcome) -> bool:
    """True for a reader that somebody gave a time, and that had not read all by then."""
    return bool(READERS.search(command.command)) and (command.status == TIMED_OUT or command.outcome == "timed-out")


def place_of(incident: Incident, command: CommandOutcome) -> Subject:
    """The place that the command names; without one, the only network mount there is."""
    if command.subject.path:
        return place(incident, command.subject.path, command)
    mount = only_network_mount(incident, command)
    only = mount.subject if mount and command.outcome != "ok" else Subject()
    return _of_words(incident, command.command, command) or only


def _of_words(incident: Incident, command: str, beside: Evidence) -> Subject | None:
    """The place of the first path of a command that lies on a known mount."""
    words = (word.strip("'\"") for word in command.replace("=", " ").split())
    path = next((word for word in words if word.startswith("/") and incident.volumes.mount_of(word, beside)), None)
    return place(incident, path, beside) if path else None


def about_a_file(said: Said) -> bool:
    """False for the errors of sockets, GPUs and compilers that share the words."""
    return (said.path is not None or not NOT_A_FILE.search(said.text)) and not build_met_another(said)


def disconnected(incident: Incident) -> tuple[OomKill, list[Said]] | None:
    """The kill of such a daemon and the errors that it left behind."""
    kill = next((kill for kill in incident.of(OomKill) if (kill.subject.comm or "").lower().startswith(CLIENTS)), None)
    left = [said for said in errors(incident) if NOT_CONNECTED.search(said.text) or said.error == "ENOTCONN"]
    return (kill, left) if kill and left else None
