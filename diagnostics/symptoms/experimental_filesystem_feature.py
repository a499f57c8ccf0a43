"""A filesystem uses a feature that its own developers call experimental, or that is known for deadlocks.

ext4's fast_commit and bigalloc, btrfs' raid56: features that distributions leave off. Seen in what tune2fs, dumpe2fs
or a mount show.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence.job import SettingSeen
from ..incident import Incident
from . import Finding, Symptom

FEATURES = re.compile(r"\b(?:fast_commit|bigalloc|raid56)\b")


def rule(incident: Incident) -> Iterator[Finding]:
    """Each such feature."""
    for fact in incident.of(SettingSeen):
        found = FEATURES.search(f"{fact.name} {fact.value}")
        if found:
            yield Finding(fact.subject, (fact,), f"the filesystem uses {found[0]}")


SYMPTOM = Symptom(
    title="a filesystem uses an experimental feature",
    rule=rule,
    leak=0.02,
    because="few filesystems have them switched on, and most of those never hang",
    command="tune2fs -l /dev/DEVICE | grep -i features; findmnt -o TARGET,FSTYPE,OPTIONS",
)
