"""The far side of a mirror behind a URL: S3, GCS, SFTP, another fsspec filesystem.

An object store shows an object only when its upload is complete, and a file server shows every byte at
once; both are written under a staging name, read back and compared, and then moved.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from ..errors import ManifestError, PublishError, UnreadableInput, UsageError
from .digest import CHUNK, Hasher, chunks, new_hasher, open_plain
from .health import Artefact
from .manifest import Record, decode, encode, parse_record_name
from .pacing import Pace
from .sides import Present

FAR_FAULT = "the far side failed; the mirror goes on with the next run"


class RemoteSide:
    """A folder behind an fsspec URL; `options` go to the filesystem (credentials come from its own places)."""

    def __init__(self, url: str, **options: Any) -> None:
        import fsspec

        try:
            self.files, self.root = fsspec.core.url_to_fs(url, **options)
        except (ValueError, ImportError) as error:
            raise UsageError(f"{url} cannot be used as a mirror ({error})", "install its fsspec filesystem") from error

    def present(self, deep: bool) -> dict[str, Present]:
        """What the far side's manifests and sizes say; `deep` reads everything back."""
        try:
            self.files.makedirs(self.root, exist_ok=True)
            self.files.invalidate_cache()
            listed = {each["name"].rpartition("/")[2]: each for each in self.files.ls(self.root, detail=True)}
        except OSError as error:
            raise UnreadableInput(
                f"{self.root} cannot be listed ({error})", "check the URL and the credentials"
            ) from error
        found = {}
        for record in self._records(listed):
            if record.name in listed:
                whole = self._is_whole(record, listed[record.name].get("size"), deep)
                found[record.name] = Present(record.step, record.size, record.digest if whole else None)
        return found

    def store(self, artefact: Artefact, record: Record, pace: Pace) -> None:
        staged, final = self._path(f".{record.name}.{record.digest[:16]}.mirror.part"), self._path(record.name)
        try:
            for source, far, digest in self._pieces(artefact, record, staged):
                self._send(source, far, record.algorithm, digest, pace)
            self.files.pipe_file(self._path(record.file_name), encode(record))
            self._put_in_place(staged, final)
        except OSError as error:
            raise PublishError(f"{final} was not published ({error})", FAR_FAULT) from error

    def _put_in_place(self, staged: str, final: str) -> None:
        """Move onto a name that may be taken: what has it is moved aside and deleted when the new copy has it."""
        aside = self._path(f".{final.rpartition('/')[2]}.replaced.part")
        if self.files.exists(final):
            if self.files.exists(aside):  # a mirror was killed between the two
                self.files.rm(aside, recursive=True)
            self._move(final, aside)
        try:
            self._move(staged, final)
        except OSError:
            if self.files.exists(aside) and not self.files.exists(final):
                self._move(aside, final)
            raise
        if self.files.exists(aside):
            self.files.rm(aside, recursive=True)

    def _move(self, source: str, target: str) -> None:
        if "sftp" in self.files.protocol:  # a rename, of a folder too
            self.files.mv(source, target)
        else:
            self.files.mv(source, target, recursive=self.files.isdir(source))
        self.files.invalidate_cache()

    def _pieces(self, artefact: Artefact, record: Record, staged: str) -> Iterator[tuple[Path, str, str]]:
        if not record.files:
            yield artefact.path, staged, record.digest
        for shard in record.files:
            self.files.makedirs(f"{staged}/{shard.path}".rpartition("/")[0], exist_ok=True)
            yield artefact.path / shard.path, f"{staged}/{shard.path}", shard.digest

    def _send(self, source: Path, far: str, algorithm: str, digest: str, pace: Pace) -> None:
        hasher = new_hasher(algorithm)
        start = self._hash_what_is_there(far, hasher)
        reader = open_plain(source)
        try:
            os.lseek(reader, start, os.SEEK_SET)
            with self.files.open(far, "ab" if start else "wb") as file:
                for chunk in chunks(reader):
                    hasher.update(chunk)
                    file.write(bytes(chunk))
                    pace(len(chunk))
        finally:
            os.close(reader)
        if hasher.hexdigest() != digest or self._digest(far, algorithm) != digest:
            with suppress(OSError):
                self.files.rm_file(far)
            raise PublishError(f"{far} does not hold the bytes that were sent", FAR_FAULT)

    def _hash_what_is_there(self, far: str, hasher: Hasher) -> int:
        """Bytes that an earlier try has left, hashed; 0 where the filesystem cannot append to them."""
        if not self.files.exists(far) or "s3" in self.files.protocol or "gs" in self.files.protocol:
            return 0
        return self._hash(far, hasher)

    def _hash(self, far: str, hasher: Hasher) -> int:
        count = 0
        with self.files.open(far, "rb") as file:
            while chunk := file.read(CHUNK):
                hasher.update(chunk)
                count += len(chunk)
        return count

    def _digest(self, far: str, algorithm: str) -> str:
        self.files.invalidate_cache()
        hasher = new_hasher(algorithm)
        self._hash(far, hasher)
        return hasher.hexdigest()

    def _is_whole(self, record: Record, size: int | None, deep: bool) -> bool:
        path = self._path(record.name)
        with suppress(OSError):
            pieces = [(f"{path}/{each.path}", each.size, each.digest) for each in record.files]
            for far, expected, digest in pieces or [(path, record.size, record.digest)]:
                if (self.files.size(far) if record.files else size) != expected:
                    return False
                if deep and self._digest(far, record.algorithm) != digest:
                    return False
            return True
        return False

    def _records(self, listed: dict[str, Any]) -> list[Record]:
        found = []
        for name in listed:
            if parse_record_name(name):
                with suppress(OSError, ManifestError):
                    record = decode(self.files.cat_file(self._path(name)))
                    if record.file_name == name:
                        found.append(record)
        return sorted(found, key=lambda record: record.created_ns)

    def _path(self, name: str) -> str:
        return f"{self.root.rstrip('/')}/{name}"
