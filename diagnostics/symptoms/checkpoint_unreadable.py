"""A checkpoint could not be loaded: torn archive, bad header, wrong size, or a folder that lacks one of its files.

The same words come from a truncated, a half-copied and a zero-tailed file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..incident import Incident
from ._errors import errors
from ._places import place_of_error
from ._symptom import Finding, Symptom
from .cache_race_error import CACHE, cannot_decode, cannot_decode_beside

# what a format says of a file whose writer has never closed it: HDF5, ROOT, BAM, Arrow
# file is already open for write (may use <h5clear file> to clear file consistency flags)
LEFT_OPEN = re.compile(
    r"file is already open for (?:write|SWMR).{0,40}h5clear|not closed properly|probably not closed, trying to recover"
    r"|EOF marker is absent|[Ff]ile (?:was|is) not (?:properly )?closed"
)
UNREADABLE = re.compile(
    r"failed finding central directory|PytorchStreamReader failed|invalid header or archive is corrupted"
    r"|not a (?:ZIP|zip) archive|UnpicklingError|pickle data was truncated|Ran out of input|HeaderTooLarge"
    r"|InvalidHeaderDeserialization"
    r"|MetadataIncompleteBuffer|IncompleteMetadata|incomplete metadata|corrupt(?:ed)? checkpoint"
    r"|[Cc]heckpoint .{0,160}(?:corrupt|truncated|incomplete)"
    # torch's sharded checkpoints: the metadata names a part that no file holds
    r"|\bKeyError: MetadataIndex\("
    # formats that are read by their last bytes, or note in their first ones who has them open
    rf"|{LEFT_OPEN.pattern}|truncated file: eof = \d|bad object header version number"
    "|[Mm]agic bytes not found in footer"
    r"|[Uu]nexpected EOF|file in archive is not in a subdirectory|BadZipFile|zlib\.error|CRC"
    # gzip: x.gz: unexpected end of file     tarfile.ReadError: unexpected end of data     and unzip, gzip and TFRecord
    r"|[Uu]nexpected end of (?:file|data)\b|End-of-central-directory signature not found|truncated record at \d"
    r"|Compressed file ended before the end-of-stream marker|deserializing header: header too large"
    # torch: what the archive holds of a tensor, and what its pickle says
    r"|storage has wrong size: expected -?\d|record size \(\d{1,18} bytes\) does not match expected size",
)

# a checkpoint of many files that lacks one of them: FileNotFoundError: ... 'out/checkpoint-25/trainer_state.json'
PART_MISSING = re.compile(
    r"(?:No such file or directory|FileNotFoundError|does not exist).{0,200}(?:checkpoint-\d+|global_step\d+"
    r"|step_?\d+|epoch_?\d+)/\S{1,120}"
    r"|Unable to find latest file at|missing shard|incomplete checkpoint",
)

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
