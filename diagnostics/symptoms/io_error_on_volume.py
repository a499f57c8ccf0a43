"""A file operation on a volume returned an I/O error: EIO, ENXIO, ESTALE, ENOTCONN, ESHUTDOWN, ETIMEDOUT, EREMOTEIO.

The volume is attributed through the file that the error names or that was being written. A GPU's or a socket's
error with the same words is not about a file and does not count.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..incident import Incident
from . import Finding, Symptom
from ._errors import Said, matching
from ._places import place_of_error

IO_ERROR = re.compile(
    r"Input/output error|No such device or address|Stale (?:NFS )?file handle|Transport endpoint is not connected"
    r"|Cannot send after transport endpoint shutdown|Remote I/O error|\[Errno (?:5|6|107|108|116|121)\]"
    r"|Structure needs cleaning|Bad message|Software caused connection abort|Host is down",
    re.I,
)
NAMES = ("EIO", "ENXIO", "ESTALE", "ENOTCONN", "ESHUTDOWN", "EREMOTEIO", "EUCLEAN", "EBADMSG")
NOT_A_FILE = re.compile(r"NCCL|CUDA|socket|connect\(|Xid|nvidia|ibv_|sendto|recvfrom|cannot stat shared object", re.I)


def about_a_file(said: Said) -> bool:
    """False for the errors of sockets and GPUs that share the words."""
    return said.path is not None or not NOT_A_FILE.search(said.text)


def rule(incident: Incident) -> Iterator[Finding]:
    """Each such error with the volume it was about."""
    for said in matching(incident, IO_ERROR, *NAMES):
        if about_a_file(said):
            yield Finding(place_of_error(incident, said.fact, said.path), (said.fact,), said.text.splitlines()[0][:160])


SYMPTOM = Symptom(
    title="file operations return I/O errors",
    rule=rule,
    leak=0.002,
    because="a healthy volume never returns these",
    tells_apart=("mount",),
    command="dmesg -T | tail -n 100; df -h; ls -l MOUNT",
)
