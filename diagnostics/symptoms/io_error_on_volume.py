"""A file operation returned an I/O error (EIO, ENXIO and their like) on a local volume, or on one that nobody knows.

Errors of network volumes are another symptom. The volume is attributed through the file that the error names or that
was being written. A GPU's or a socket's error with the same words is not about a file and does not count.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..incident import Incident
from ._errors import matching
from ._places import on_network, place_of_error
from ._symptom import Finding, Symptom
from ._volume_calls import ERROR_NAMES, IO_ERROR, about_a_file

ONLY_NETWORK = ("ESTALE", "ENOTCONN", "ESHUTDOWN", "EREMOTEIO", "EHOSTDOWN")


def rule(incident: Incident) -> Iterator[Finding]:
    """Each such error with the volume it was about."""
    for said in matching(incident, IO_ERROR, *ERROR_NAMES):
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
