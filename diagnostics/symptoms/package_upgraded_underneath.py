"""A package of the NVIDIA driver was installed, upgraded or removed on the machine."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence.job import PackageChanged
from ..incident import Incident
from ._symptom import Finding, Symptom

DRIVER = re.compile(r"nvidia|cuda-drivers|libcuda|libnvidia", re.I)


def rule(incident: Incident) -> Iterator[Finding]:
    for change in incident.of(PackageChanged):
        if DRIVER.search(change.package):
            yield Finding(change.subject, (change,), f"{change.package} from {change.old} to {change.new}")


SYMPTOM = Symptom(
    title="the driver's packages were changed underneath",
    rule=rule,
    leak=0.01,
    because="drivers are upgraded a few times a year, mostly with a reboot",
    tells_apart=("host",),
    command="grep -B3 -A2 -i nvidia /var/log/apt/history.log",
)
