"""Files of checkpoints: their names, and the words for one that is cut, missing or cannot be read."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from ..evidence import Evidence
from ..evidence.job import PythonException
from ..evidence.process import OpenFile, ProcessState
from ..evidence.storage import Checksum, ChecksumVerdict
from ..incident import Incident

CHECKPOINT = re.compile(
    r"\.(?:pt|pth|ckpt|bin|safetensors|distcp|npz|tar|h5|msgpack|pdparams)$|global_step|checkpoint"
    r"|(?:^|[-_.])ckpt(?:[-_.\d]|$)",
    re.I,
)
PART = re.compile(r"-of-\d|rank|shard|part|\.distcp$", re.I)  # parts of one checkpoint may differ in size
COPIES = re.compile(r"^(?:/\S{0,80}/)?(?:cp|rsync|scp|sftp|rclone|dd|aws s3|gsutil|gcloud storage|azcopy|tar)\b")
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
# copying a param with shape torch.Size([1]) from checkpoint, the shape in current model is torch.Size([768, 768])
# Trying to set a tensor of shape torch.Size([0]) in "weight" (which has shape torch.Size([32000, 4096])), this ...
# Attempted to load weight (torch.Size([0])) into parameter (torch.Size([4096, 4096]))
_SAVED = r"(?:copying a param with shape|found shape|set a tensor of shape|load weight) \(?torch\.Size"
SAVING_CODE = re.compile(
    r"[Cc]an't (?:get local object|pickle)|[Cc]annot pickle|PicklingError|not (?:picklable|serializable)"
    r"|Missing key\(s\) in state_dict|Unexpected key\(s\) in state_dict"
    rf"|{_SAVED}\(\[0?\]\)|{_SAVED}\(\[1\]\).{{0,120}}torch\.Size\(\[\d{{1,9}}, \d"
    r"|copying a param with shape torch\.Size\(\[\d{4,15}\]\) from checkpoint, the shape in current model is "
    r"torch\.Size\(\[\d{1,9}, \d|Some tensors share memory|state_dict.{0,60}(?:KeyError|missing)"
    r"|OverflowError.{0,60}pickle|serialize.{0,40}larger than 4 ?GiB|(?:string|bytes object|bin) is too (?:large|long)"
    r"|doesn't match the size of the|loaded state dict (?:contains|has)|No such checkpoint key"
    r"|flattened_range is not supported|tree structures do not match|Key \S{1,200} not found in checkpoint"
    r"|[Mm]issing key in checkpoint|duplicate(?:d)? tensor",
)
SAVES = re.compile(
    r"^_{0,2}(?:async_)?save_(?:zero_)?(?:checkpoint|model|state|state_dict|pretrained|weights|hyperparameters)\b"
)
# state_dict (stage3.py:2610)      _get_all_zero_checkpoint_state (engine.py:1700)
GATHERS = re.compile(
    r"^_{0,2}(?:get_|collect_|gather_|consolidate_|full_|sharded_)?\w{0,40}(?:state_dict|state|serialize)\b"
)
LOOKED_UP = ("KeyError", "AttributeError", "TypeError", "IndexError", "NameError", "UnboundLocalError")
PARTS = re.compile(r"Expected \d{1,6} of '[^']{1,200}' under '[^']{1,400}' but found \d{1,6} files?")
HEX = re.compile(r"[0-9a-fA-F]{64,128}")
SHORTEST_NAME = 64  # sha256: git names files by a sha1 of more than their content


def part_of(host: str | None, path: str | None) -> tuple[str, str]:
    """A file's folder, with its host where that is known, and its name."""
    folder, _, name = (path or "").rpartition("/")
    return f"{host}:{folder}" if host else folder, name


def is_being_written(incident: Incident, path: str) -> bool:
    """True where a process has a file open for writing, or copies what bears its name or lies in its folder."""
    folder, _, name = path.rpartition("/")
    copies = (row.command for row in incident.of(ProcessState) if COPIES.match(row.command))
    return any(file.writable and file.subject.path == path for file in incident.of(OpenFile)) or any(
        name in command or bool(folder and folder in command) for command in copies
    )


def raised_while_saving(fact: PythonException) -> bool:
    """True where a wrong key, name or type was met in the function that saves, or in one that gathers for it."""
    saves = [at for at, frame in enumerate(fact.frames[:3]) if SAVES.match(frame)]
    return fact.type in LOOKED_UP and bool(saves) and all(map(GATHERS.match, fact.frames[: saves[0]]))


def mismatches(incident: Incident) -> Iterator[tuple[str, tuple[Evidence, ...]]]:
    """Each file that differs, with the facts that show it."""
    for verdict in incident.of(ChecksumVerdict):
        if verdict.outcome == "differs" and verdict.subject.path:
            yield verdict.subject.path, (verdict,)
    digests: dict[tuple[str, str], dict[str, Checksum]] = defaultdict(dict)
    for each in incident.of(Checksum):
        if each.subject.path:
            digests[each.subject.path.rpartition("/")[2], each.algorithm].setdefault(each.digest, each)
    for (name, _), found in digests.items():
        if len(found) > 1 or (_is_digest(name, next(iter(found))) and name.lower() not in found):
            yield name, tuple(found.values())


def _is_digest(name: str, digest: str) -> bool:
    """True for a file that is named by a digest of the same kind."""
    return len(name) == len(digest) >= SHORTEST_NAME and bool(HEX.fullmatch(name))
