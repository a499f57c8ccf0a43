"""A checkpoint could not be loaded: torn archive, bad header, wrong size, or a folder that lacks one of its files.

The same words come from a truncated, a half-copied and a zero-tailed file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..incident import Incident
from ._caches import CACHE, cannot_decode, cannot_decode_beside
from ._checkpoints import PART_MISSING, UNREADABLE
from ._errors import errors
from ._places import place_of_error
from ._symptom import Finding, Symptom

# a loader that refuses what it does not trust has read the file well
REFUSED = re.compile(r"Weights only load failed.{0,2000}(?:Unsupported|not an allowed|do those steps only)", re.S)


def rule(incident: Incident) -> Iterator[Finding]:
    """Each failed load with the file it was about."""
    for said in errors(incident):
        if not UNREADABLE.search(said.text) and not PART_MISSING.search(said.text):
            continue
        frames = " ".join(getattr(said.fact, "frames", ())[:4])
        if REFUSED.search(said.text) or CACHE.search(frames):
            continue
        if cannot_decode(said.text, frames) or cannot_decode_beside(incident, said):
            continue
        yield Finding(place_of_error(incident, said.fact, said.path), (said.fact,), said.text.splitlines()[0][:160])


SYMPTOM = Symptom(
    title="a checkpoint cannot be loaded",
    rule=rule,
    leak=0.004,
    because="a complete checkpoint loads; a wrong version of the reader words it otherwise",
    tells_apart=("mount",),
    command="ls -l --full-time CHECKPOINTS; python -m diagnostics checkpoint verify CHECKPOINTS",
)
