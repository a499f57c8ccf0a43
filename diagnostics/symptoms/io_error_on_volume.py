"""A file operation returned an I/O error (EIO, ENXIO and their like) on a local volume, or on one that nobody knows.

Errors of network volumes are another symptom. The volume is attributed through the file that the error names or that
was being written. A GPU's or a socket's error with the same words is not about a file and does not count.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..incident import Incident
from ._errors import Said, matching
from ._places import on_network, place_of_error
from ._symptom import Finding, Symptom
from .cache_race_error import build_met_another

IO_ERROR = re.compile(
    r"Input/output error|No such device or address|Stale (?:NFS )?file handle|Transport endpoint is not connected"
    r"|Cannot send after transport endpoint shutdown|Remote I/O error|\[Errno (?:5|6|107|108|116|121)\]"
    r"|Bad message|Software caused connection abort|Host is down",
    re.I,
)
NAMES = ("EIO", "ENXIO", "ESTALE", "ENOTCONN", "ESHUTDOWN", "EREMOTEIO", "EBADMSG")
ONLY_NETWORK = ("ESTALE", "ENOTCONN", "ESHUTDOWN", "EREMOTEIO", "EHOSTDOWN")
NOT_A_FILE = re.compile(r"NCCL|CUDA|socket|connect\(|Xid|nvidia|ibv_|sendto|recvfrom|cannot stat shared object", re.I)


def about_a_file(said: Said) -> bool:
    """False for the errors of sockets, GPUs and compilers that share the words."""
    return (said.path is not None or not NOT_A_FILE.search(said.text)) and not build_met_another(said)


def rule(incident: Incident) -> Iterator[Finding]:
    """Each such error with the volume it was about."""
    for said in matching(incident, IO_ERROR, *NAMES):
        subject = place_of_error(incident, said.fact, said.path)
        if about_a_file(said) and not on_network(incident, subject, said.fact) and said.error not in ONLY_NETWORK:
            yield Finding(subject, (said.fact,), said.text.splitlines()[0][:160])


SYMPTOM = Symptom(
    title="file operations return I/O errors",
    rule=rule,
    leak=0.002,
    because="a healthy volume never returns these",
    tells_apart=("mount",),
    command="dmesg -T | tail -n 100; df -h; ls -l MOUNT",
)
