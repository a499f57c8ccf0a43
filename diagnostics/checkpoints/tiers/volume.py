"""A tier on another volume or behind an fsspec URL (s3://, gs://, sftp://): the mirror, one step at a time."""

from __future__ import annotations

import os

from ..health import Artefact
from ..mirroring import describe, side_of
from ..pacing import Pace


class VolumeTier:
    """Stores the full checkpoint below `target`."""

    weights_only = False

    def __init__(self, target: str | os.PathLike[str], name: str = "volume") -> None:
        self.target = os.fspath(target)
        self.name = name

    def store(self, artefact: Artefact, pace: Pace) -> str:
        record = artefact.record or describe(artefact)
        side_of(self.target).store(artefact, record, pace)
        return f"{record.algorithm} of what was read back"
