"""The manifest: one small record beside each artefact, written before the artefact gets its name.

A record is a hidden file `.NAME.STEP.HASH.manifest` holding one JSON object with a checksum over itself.
It comes first, so a crash leaves a record without an artefact (harmless) and never an artefact whose
record speaks of its predecessor. Records are named by content, so two writers never share one, and a
record that is torn, edited or moved beside another file is rejected: it can only fail to help.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from .. import __version__
from ..durable import this_writer, write_durably
from ..errors import ManifestError
from .digest import ALGORITHMS

VERSION = 1
LARGEST = 64 << 20  # bytes; a record lists tensors and shards, never data
RECORD_NAME = re.compile(r"\.(?P<name>.+)\.(?P<step>\d{1,18}|-)\.(?P<digest>[0-9a-f]{16})\.manifest", re.DOTALL)


@dataclass(frozen=True)
class Shard:
    """One file inside a directory artefact; `path` is relative and stays inside, `size` is in bytes."""

    path: str
    size: int
    digest: str


@dataclass(frozen=True)
class Record:
    """What was published: `size` in bytes, `digest` over the content, `mtime_ns` as the staged file had it."""

    name: str
    step: int | None
    kind: str
    size: int
    algorithm: str
    digest: str
    mtime_ns: int = 0
    created_ns: int = field(default_factory=time.time_ns)
    writer: str = field(default_factory=lambda: str(this_writer()))
    version: str = __version__
    metrics: dict[str, float] = field(default_factory=dict)
    tensors: tuple[tuple[str, str, tuple[int, ...]], ...] = ()
    files: tuple[Shard, ...] = ()

    @property
    def file_name(self) -> str:
        step = "-" if self.step is None else str(self.step)
        return f".{self.name}.{step}.{self.digest[:16]}.manifest"

    @property
    def created_at(self) -> str:
        """ISO-8601 in UTC."""
        return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(self.created_ns / 1e9))


@dataclass(frozen=True)
class RecordName:
    """What a record's file name promises; the record itself must say the same."""

    file_name: str
    name: str
    step: int | None
    digest: str


def encode(record: Record) -> bytes:
    body: dict[str, Any] = {"manifest": VERSION, **asdict(record), "created_at": record.created_at}
    return json.dumps({**body, "checksum": _checksum(body)}, ensure_ascii=True).encode() + b"\n"


def decode(content: bytes) -> Record:
    """The record in `content`; ManifestError when it is torn, altered or of another version."""
    try:
        body = json.loads(content)
        checksum = body.pop("checksum")
    except (ValueError, RecursionError, KeyError, AttributeError, TypeError):
        raise ManifestError("the manifest is torn", "it is ignored; publish or mirror the checkpoint again") from None
    if body.get("manifest") != VERSION:
        raise ManifestError(f"the manifest has version {body.get('manifest')!r}", "read it with a newer release")
    if checksum != _checksum(body):
        raise ManifestError("the manifest does not match its own checksum", "it was altered and is ignored")
    try:
        return _record(body)
    except (KeyError, TypeError, ValueError):
        raise ManifestError("the manifest lacks what it must have", "it is ignored") from None


def write_record(directory: Path, record: Record) -> Path:
    path = directory / record.file_name
    write_durably(path, encode(record))
    return path


def read_record(directory: Path, promised: RecordName) -> Record:
    """The record behind a name from `parse_record_name`; ManifestError unless both tell the same story."""
    path = directory / promised.file_name
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as file:
            content = file.read(LARGEST + 1)
    except OSError as error:
        raise ManifestError(f"the manifest cannot be read ({error.strerror})", "check the volume") from error
    if len(content) > LARGEST:
        raise ManifestError("the manifest is larger than any record can be", "it is ignored")
    record = decode(content)
    if record.file_name != promised.file_name:
        raise ManifestError(f"the manifest belongs to another file, {record.name!r}", "it is ignored")
    return record


def parse_record_name(file_name: str) -> RecordName | None:
    found = RECORD_NAME.fullmatch(file_name)
    if not found:
        return None
    step = None if found["step"] == "-" else int(found["step"])
    return RecordName(file_name, found["name"], step, found["digest"])


def record_names(directory: Path, name: str) -> list[RecordName]:
    """Every record that is named for the artefact `name`."""
    parsed = (parse_record_name(each.name) for each in directory.iterdir() if each.name.endswith(".manifest"))
    return [each for each in parsed if each and each.name == name]


def best_match(records: Iterable[Record], size: int, mtime_ns: int) -> Record | None:
    """The record that speaks of the file at hand: a name used again may have several.

    Same size and time first (rename keeps both), then same size, then the newest.
    """
    return max(records, key=lambda each: (each.size == size, each.mtime_ns == mtime_ns, each.created_ns), default=None)


def listing_digest(files: Iterable[Shard], hasher: Any) -> str:
    """A directory's hash: over the sorted list of its files' names, sizes and hashes."""
    for each in sorted(files, key=lambda shard: shard.path):
        hasher.update(f"{each.digest} {each.size} {each.path}\n".encode("utf-8", "surrogateescape"))
    return str(hasher.hexdigest())


def _checksum(body: dict[str, Any]) -> str:
    canonical = json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(canonical.encode()).hexdigest()


def _record(body: dict[str, Any]) -> Record:
    files = tuple(Shard(str(each["path"]), int(each["size"]), str(each["digest"])) for each in body["files"])
    if any(each.path.startswith("/") or ".." in each.path.split("/") for each in files):
        raise ValueError("a path leads out of the directory")
    tensors = tuple((str(name), str(dtype), tuple(int(n) for n in shape)) for name, dtype, shape in body["tensors"])
    step = body["step"]
    if body["algorithm"] not in ALGORITHMS:
        raise ValueError("an unknown content hash")
    return Record(
        name=str(body["name"]),
        step=None if step is None else int(step),
        kind=str(body["kind"]),
        size=int(body["size"]),
        algorithm=str(body["algorithm"]),
        digest=str(body["digest"]),
        mtime_ns=int(body["mtime_ns"]),
        created_ns=int(body["created_ns"]),
        writer=str(body["writer"]),
        version=str(body["version"]),
        metrics={str(key): float(value) for key, value in body["metrics"].items()},
        tensors=tensors,
        files=files,
    )
