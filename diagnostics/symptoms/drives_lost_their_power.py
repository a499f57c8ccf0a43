"""A drive counts that its power went away unannounced again and again: ten times or more, and at every third start at
least.

An orderly shutdown and a panic that restarts the machine leave the power on. ABSENT where a drive has counted no such
loss.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence.storage import PowerLosses
from ..incident import Incident
from ._symptom import Finding, Symptom

OFTEN = 10
SHARE = 1 / 3  # of the starts


def rule(incident: Incident) -> Iterator[Finding]:
    counts = incident.of(PowerLosses)
    for count in counts:
        starts = count.power_cycles
        if count.unannounced >= OFTEN and (starts is None or count.unannounced >= SHARE * starts):
            of = f" of {starts} starts" if starts is not None else ""
            yield Finding(
                count.subject, (count,), f"the drive lost its power unannounced {count.unannounced} times{of}"
            )
    if counts and not any(count.unannounced for count in counts):
        yield Finding(counts[0].subject, (counts[0],), "the drive never lost its power unannounced", present=False)


SYMPTOM = Symptom(
    title="a drive lost its power unannounced again and again",
    rule=rule,
    leak=0.03,
    because="workstations are switched off by their button, and a hung machine is too",
    tells_apart=("host",),
    command="sudo smartctl -a /dev/nvme0 | grep -E 'Power Cycles|Unsafe'; journalctl --list-boots",
)
