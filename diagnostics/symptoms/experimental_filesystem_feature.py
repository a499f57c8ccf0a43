"""A local filesystem is of a kind, or uses a feature, that its own developers call experimental or leave off by
default.

ext4's fast_commit, bigalloc and orphan_file, xfs' rmapbt and realtime sections, btrfs' raid56 and zoned mode, f2fs'
compression, bcachefs as a whole. Seen in what tune2fs and its like list, and in the mounts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence.job import SettingSeen
from ..evidence.storage import Mount
from ..incident import Incident
from ._symptom import Finding, Symptom

FEATURES = re.compile(
    r"\b(?:fast_commit|bigalloc|orphan_file|rmapbt=1|rtdev|raid[56]{1,2}|zoned|compress_algorithm|bcachefs)\b"
)


def rule(incident: Incident) -> Iterator[Finding]:
    """Each such feature or filesystem."""
    for setting in incident.of(SettingSeen):
        if found := FEATURES.search(f"{setting.name} {setting.value}"):
            yield Finding(setting.subject, (setting,), f"the filesystem uses {found[0]}")
    for mount in incident.of(Mount):
        if not mount.network and (found := FEATURES.search(" ".join((mount.type, *mount.options)))):
            yield Finding(mount.subject, (mount,), f"{mount.subject.mount} uses {found[0]}")


SYMPTOM = Symptom(
    title="a filesystem uses an experimental feature",
    rule=rule,
    leak=0.02,
    because="few filesystems have them switched on, and most of those never hang",
    command="tune2fs -l /dev/DEVICE | grep -i features; xfs_info MOUNT; findmnt -o TARGET,FSTYPE,OPTIONS",
)
