"""Verify: is this artefact what was published?

The manifest says size and hash, the format says what its own structure proves, and both must agree: a
forged record cannot make a cut file pass, and a lost record does not make a whole file fail.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Sequence
from pathlib import Path

from ..errors import ManifestError
from .digest import file_digests, new_hasher
from .finding import Finding, State, altered, complete, truncated, unreadable
from .listed import listed_digest
from .manifest import Record, RecordName, Shard, best_match, listing_digest, read_record
from .proof import prove


def verify_artefact(
    path: Path, promised: Sequence[RecordName] = (), deep: bool = False
) -> tuple[Finding, Record | None]:
    """The finding about one file or directory, and the record that speaks of it. Never raises OSError."""
    try:
        status = os.lstat(path)
        if stat.S_ISLNK(status.st_mode):
            return unreadable("it is a symbolic link, which is not followed"), None
        if not (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)):
            return unreadable("it is neither a file nor a directory"), None
        records, problem = _records(path.parent, promised)
        if not records:
            return _without_record(path, problem, deep), None
        if stat.S_ISDIR(status.st_mode):
            return _verify_directory(path, records, deep)
        return _verify_file(path, status, records, deep)
    except OSError as error:
        return unreadable(f"it cannot be read ({error.strerror})"), None


def _records(directory: Path, promised: Iterable[RecordName]) -> tuple[list[Record], str]:
    """The records that can be believed, and what was wrong with one that cannot."""
    found, problem = [], ""
    for each in promised:
        try:
            found.append(read_record(directory, each))
        except ManifestError as error:
            problem = error.problem
    return found, problem


def _without_record(path: Path, problem: str, deep: bool) -> Finding:
    """By a checksum file beside it, and by its format: to the last byte where a record should be and is no use."""
    finding = prove(path, deep or bool(problem))
    if finding.state in (State.COMPLETE, State.UNLISTED) and path.is_file() and (deep or problem):
        algorithm, digest, source = listed_digest(path)
        if digest and file_digests(path, {algorithm})[algorithm] == digest:
            finding = complete(algorithm, f"its {algorithm} is the one in {source}")
        elif digest:
            finding = altered(f"its {algorithm} is not the one in {source}")
    if problem:
        return Finding(finding.state, f"{finding.because}; {problem}", finding.proof, finding.missing)
    return finding


def _verify_file(path: Path, status: os.stat_result, records: list[Record], deep: bool) -> tuple[Finding, Record]:
    record = best_match(records, status.st_size, status.st_mtime_ns)
    assert record is not None
    if wrong := _wrong_size(status.st_size, record.size, "its manifest"):
        return wrong, record
    structure = prove(path, deep=False)
    if structure.is_broken:
        return Finding(structure.state, f"its size fits its manifest, but {structure.because}"), record
    if not deep:
        return complete("manifest, size", f"{record.size:,} bytes, as published"), record
    same_size = [each for each in records if each.size == status.st_size]
    digests = file_digests(path, {each.algorithm for each in same_size})
    for each in sorted(same_size, key=lambda one: one is not record):
        if digests[each.algorithm] == each.digest:
            return complete(f"manifest, {each.algorithm}", f"its {each.algorithm} is the published one"), each
    return altered(f"its size is right and its {record.algorithm} is not the published one"), record


def _verify_directory(path: Path, records: list[Record], deep: bool) -> tuple[Finding, Record]:
    record = max(records, key=lambda each: each.created_ns)
    if not record.files:
        return altered("its manifest speaks of a file, and it is a directory"), record
    if listing_digest(record.files, new_hasher(record.algorithm)) != record.digest:
        return altered("its manifest does not match its own list of files"), record
    for shard in record.files:
        finding = _verify_shard(path, shard, record.algorithm, deep)
        if finding:
            return Finding(finding.state, f"{shard.path}: {finding.because}", missing=finding.missing), record
    structure = prove(path, deep=False)
    if structure.is_broken:
        return Finding(structure.state, f"its files fit its manifest, but {structure.because}"), record
    proof = f"manifest, {record.algorithm if deep else 'sizes'}"
    return complete(proof, f"all {len(record.files)} files are as published"), record


def _verify_shard(directory: Path, shard: Shard, algorithm: str, deep: bool) -> Finding | None:
    file = directory / shard.path
    if not file.resolve().is_relative_to(directory.resolve()):
        return unreadable("a symbolic link leads out of the directory")
    try:
        status = os.lstat(file)
    except FileNotFoundError:
        return truncated("it is missing", shard.size)
    if not stat.S_ISREG(status.st_mode):
        return unreadable("it is no regular file")
    if wrong := _wrong_size(status.st_size, shard.size, "the manifest"):
        return wrong
    if deep and file_digests(file, {algorithm})[algorithm] != shard.digest:
        return altered(f"its {algorithm} is not the published one")
    return None


def _wrong_size(size: int, expected: int, source: str) -> Finding | None:
    if size < expected:
        missing = expected - size
        return truncated(f"{missing:,} of {expected:,} bytes are missing ({missing / expected:.1%})", missing)
    if size > expected:
        return altered(f"it has {size - expected:,} bytes more than {source} says")
    return None
