"""The artefacts behind a path: a folder's files, an archive's entries, or the file itself.

Archives are streamed, never unpacked. Names inside are labels only; links, devices and names that climb
out are reported and skipped; an entry or an archive that grows beyond the limits is cut off there.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, cast

import zstandard

from .errors import UnreadableInput

HELD_LIMIT = 8 << 20  # bytes of a plain file that are handed out as bytes
ENTRY_LIMIT = 1 << 30  # bytes of one artefact
TOTAL_LIMIT = 8 << 30  # bytes of one archive, decompressed
ENTRIES_LIMIT = 200_000
ZSTD = b"\x28\xb5\x2f\xfd"


@dataclass(frozen=True)
class Artefact:
    """One file of an incident: its label, its bytes, or why it could not be read."""

    name: str
    data: bytes = b""
    problem: str = ""
    path: Path | None = None  # instead of its bytes, for a large file on disk


def artefacts(*paths: str | Path) -> Iterator[Artefact]:
    """Every artefact behind the given paths, folders in name order. Raises UnreadableInput for a bad path."""
    if "" in paths:  # an unset variable, not the working folder
        raise UnreadableInput("a path is empty", "give a folder, an archive or files")
    for path in map(Path, paths):
        try:
            mode = path.stat().st_mode
        except FileNotFoundError:
            raise UnreadableInput(f"{path} does not exist", "give a folder, an archive or files") from None
        except OSError as error:
            raise UnreadableInput(f"{path} cannot be opened: {error.strerror}", "check its permissions") from None
        if stat.S_ISDIR(mode):
            yield from _folder(path)
        elif stat.S_ISREG(mode):
            yield from _file(path, as_label(path.name))
        else:
            raise UnreadableInput(
                f"{path} is neither a folder nor a regular file", "give a folder, an archive or files"
            )


def _folder(top: Path) -> Iterator[Artefact]:
    try:
        os.scandir(top).close()
    except OSError as error:
        raise UnreadableInput(f"{top} cannot be opened: {error.strerror}", "check its permissions") from None
    found = False
    closed: list[OSError] = []
    for where, folders, files in os.walk(top, onerror=closed.append):
        folders[:] = sorted(name for name in folders if name not in (".git", "__pycache__", ".ipynb_checkpoints"))
        for name in sorted([*files, *(name for name in folders if Path(where, name).is_symlink())]):
            path = Path(where, name)
            label = as_label(path.relative_to(top).as_posix())
            found = True
            if path.is_symlink():
                yield Artefact(label, problem="a symbolic link; not followed")
            elif not path.is_file():
                yield Artefact(label, problem="not a regular file")
            else:
                yield from _file(path, label)
    for refusal in closed:
        found = True
        label = as_label(Path(refusal.filename).relative_to(top).as_posix())
        yield Artefact(label, problem=f"a folder that cannot be opened: {refusal.strerror}")
    if not found:
        raise UnreadableInput(f"{top} holds no files", "collect something first: python -m diagnostics collect OUT")


def _file(path: Path, label: str) -> Iterator[Artefact]:
    try:
        with open(path, "rb", opener=_without_waiting) as file:
            if (head := file.read(512)) is None:  # /proc/kmsg looks like a file and waits for the kernel's next word
                yield Artefact(label, problem="it has nothing to read yet")
                return
            file.seek(0)
            if _looks_like_archive(head):
                yield from _archive(file, label)
            elif path.stat().st_size > HELD_LIMIT:
                yield Artefact(label, path=path)
            else:
                yield Artefact(label, file.read())
    except OSError as error:
        yield Artefact(label, problem=error.strerror or str(error))


def _without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NONBLOCK)


def _looks_like_archive(head: bytes) -> bool:
    return head.startswith((b"\x1f\x8b", ZSTD, b"PK\x03\x04", b"BZh", b"\xfd7zXZ")) or head[257:262] == b"ustar"


def _archive(file: IO[bytes], label: str) -> Iterator[Artefact]:
    magic = file.read(4)
    file.seek(0)
    if magic == b"PK\x03\x04":
        yield from _zip(file, label)
    else:
        yield from _tar(file, label)


def _zstd(file: IO[bytes]) -> IO[bytes]:
    return io.BufferedReader(zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True, closefd=False))


def _tar(file: IO[bytes], label: str) -> Iterator[Artefact]:
    total = entries = 0
    magic = file.read(4)
    file.seek(0)
    stream = _zstd(file) if magic == ZSTD else file
    try:
        with tarfile.open(fileobj=stream, mode="r|*") as archive:
            for member in archive:
                entries += 1
                name = safe_name(member.name)
                # what is not read must be decompressed too, to get past it
                total += member.size
                if entries > ENTRIES_LIMIT or total > TOTAL_LIMIT:
                    yield Artefact(label, problem="the archive is larger than the limit; the rest was not read")
                    return
                if member.isdir():
                    continue
                if name is None:
                    yield Artefact(f"{label}: {member.name}", problem="its name points outside the archive; not read")
                elif not member.isreg():
                    yield Artefact(name, problem="a link or a device; not followed")
                elif member.size > ENTRY_LIMIT:
                    yield Artefact(name, problem=f"larger than the limit of {ENTRY_LIMIT >> 30} GiB; not read")
                else:
                    opened = archive.extractfile(member)
                    data = opened.read() if opened else b""
                    yield Artefact(name, data)
    except _DAMAGE as error:
        if entries == 0:
            yield from _not_a_tar(file, label, error)
        else:
            yield Artefact(label, problem=f"the archive is damaged after {entries} entries: {error}")


# zlib's, lzma's and zstandard's own errors all derive from Exception directly and share no other base
_DAMAGE = (
    tarfile.TarError,
    zipfile.BadZipFile,
    EOFError,
    OSError,
    ValueError,
    RuntimeError,
    NotImplementedError,
    zlib.error,
    lzma.LZMAError,
    zstandard.ZstdError,
)


def _not_a_tar(file: IO[bytes], label: str, error: Exception) -> Iterator[Artefact]:
    """A single compressed file is read as that file; anything else is said to be unreadable."""
    try:
        file.seek(0)
        head = file.read(6)
        file.seek(0)
    except (OSError, ValueError):
        yield Artefact(label, problem=f"not a readable archive: {error}")
        return
    plain: IO[bytes]
    if head.startswith(b"\x1f\x8b"):
        plain = cast(IO[bytes], gzip.GzipFile(fileobj=file))
    elif head.startswith(b"BZ"):
        plain = bz2.BZ2File(file)
    elif head.startswith(b"\xfd7"):
        plain = lzma.LZMAFile(file)  # noqa: SIM115 - closed by the with below
    elif head.startswith(ZSTD):
        plain = _zstd(file)
    else:
        yield Artefact(label, problem=f"not a readable archive: {error}")
        return
    held = io.BytesIO()  # its value is handed out without a copy
    problem = ""
    try:
        with plain:
            while held.tell() < ENTRY_LIMIT and (part := plain.read(1 << 20)):
                held.write(part)
            if held.tell() >= ENTRY_LIMIT and plain.read(1):
                problem = f"larger than the limit of {ENTRY_LIMIT >> 30} GiB; the rest was not read"
    except _DAMAGE as damage:
        problem = f"the compressed file is damaged: {damage}"
    name = PurePosixPath(label).stem if label.endswith((".gz", ".bz2", ".xz", ".zst")) else label
    if held.tell():
        yield Artefact(name, held.getvalue())
    if problem or not held.tell():
        yield Artefact(label, problem=problem or "nothing in it")


def _zip(file: IO[bytes], label: str) -> Iterator[Artefact]:
    total = 0
    try:
        with zipfile.ZipFile(file) as archive:
            if len(archive.infolist()) > ENTRIES_LIMIT:
                yield Artefact(label, problem=f"only its first {ENTRIES_LIMIT} entries were read: it holds more")
            for entry in archive.infolist()[:ENTRIES_LIMIT]:
                name = safe_name(entry.filename)
                if entry.is_dir():
                    continue
                if name is None:
                    yield Artefact(
                        f"{label}: {entry.filename}", problem="its name points outside the archive; not read"
                    )
                    continue
                if entry.file_size > ENTRY_LIMIT or total + entry.file_size > TOTAL_LIMIT:
                    yield Artefact(name, problem="larger than the limit; not read")
                    continue
                try:
                    with archive.open(entry) as opened:
                        data = opened.read(ENTRY_LIMIT)
                except _DAMAGE as error:  # encrypted, damaged, or packed by a method that Python does not know
                    yield Artefact(name, problem=f"cannot be taken out of the archive: {error}")
                    continue
                total += len(data)
                yield Artefact(name, data)
    except _DAMAGE as error:
        yield Artefact(label, problem=f"not a readable zip archive: {error}")


def safe_name(name: str) -> str | None:
    """An archive entry's name as a label, or None when it points outside."""
    parts = PurePosixPath(name.replace("\\", "/")).parts
    if not parts or name.startswith(("/", "\\")) or ".." in parts or (len(name) > 1 and name[1] == ":") or "\0" in name:
        return None
    return "/".join(part for part in parts if part != ".")


def as_label(name: str) -> str:
    """A file name as text: bytes that are no UTF-8 become replacement characters."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
