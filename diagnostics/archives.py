"""The artefacts behind a path: a folder's files, an archive's entries, or the file itself.

Archives are streamed, never unpacked. Names inside are labels only; links, devices and names that climb
out are reported and skipped; an entry or an archive that grows beyond the limits is cut off there. An archive in a
folder or in another archive is read like a folder of that name; one that lies deeper is not opened.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import stat
import sys
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path, PurePosixPath
from typing import IO, cast

from .errors import UnreadableInput
from .mounttable import absolute

HELD_LIMIT = 8 << 20  # bytes of a plain file that are handed out as bytes
ENTRY_LIMIT = 1 << 30  # bytes of one artefact
TOTAL_LIMIT = 8 << 30  # bytes of one archive, decompressed
ENTRIES_LIMIT = 200_000
DEEPEST = 1  # archives around an archive that is still read: a node's rotated logs, packed with the node
STDIN = ("-", "/dev/stdin")
ZSTD = b"\x28\xb5\x2f\xfd"


@dataclass(frozen=True)
class Artefact:
    """One file of an incident: its label, its bytes, and why it, or the rest of it, could not be read."""

    name: str
    data: bytes = b""
    problem: str = ""
    path: Path | None = None  # instead of its bytes, for a large file on disk


@dataclass
class _Room:
    """What one archive may still give, together with those inside it."""

    entries: int = field(default_factory=lambda: ENTRIES_LIMIT)
    total: int = field(default_factory=lambda: TOTAL_LIMIT)  # bytes, decompressed

    def take(self, size: int) -> bool:
        """Take one entry of so many bytes; False when there is no more room."""
        self.entries -= 1
        self.total -= size
        return self.entries >= 0 and self.total >= 0


def artefacts(*paths: str | Path) -> Iterator[Artefact]:
    """Every artefact behind the given paths, folders in name order; `-` is standard input.

    Raises UnreadableInput for a bad path.
    """
    if "" in paths:  # an unset variable, not the working folder
        raise UnreadableInput("a path is empty", "give a folder, an archive or files")
    several = [Path(path) for path in paths]
    for path, label in zip(several, _labels(several), strict=True):
        under = f"{label}/" if len(paths) > 1 else ""
        if str(path) in STDIN:
            yield from _standard_input(under)
            continue
        try:
            mode = path.stat().st_mode
        except FileNotFoundError:
            raise UnreadableInput(f"{path} does not exist", "give a folder, an archive or files") from None
        except OSError as error:
            raise UnreadableInput(f"{path} cannot be opened: {error.strerror}", "check its permissions") from None
        if stat.S_ISDIR(mode):
            yield from _folder(path, under)
        elif stat.S_ISREG(mode):
            yield from _file(path, label, under)
        else:
            raise UnreadableInput(
                f"{path} is neither a folder nor a regular file", "give a folder, an archive or files"
            )


def _labels(paths: list[Path]) -> list[str]:
    """The names of some paths, with their folders where two have one name."""
    labels = ["stdin" if str(path) in STDIN else path.name or path.absolute().name for path in paths]
    if len(set(labels)) < len(set(paths)):
        whole = [Path(absolute(str(path))) for path in paths]
        above = Path(os.path.commonpath(whole))
        above = above.parent if above in whole else above
        labels = [str(each.relative_to(above)) for each in whole]
    return [as_label(label) for label in labels]


def _standard_input(under: str) -> Iterator[Artefact]:
    data = _all_of(sys.stdin.buffer)
    if _looks_like_archive(data[:512]):
        yield from _archive(io.BytesIO(data), "stdin", under, _Room(), 0)
    else:
        cut = f"larger than the limit of {ENTRY_LIMIT >> 30} GiB; the rest was not read"
        yield Artefact("stdin", data[:ENTRY_LIMIT], cut if len(data) > ENTRY_LIMIT else "")


@cache
def _all_of(stream: IO[bytes]) -> bytes:
    """What a stream gives, which it gives once: an incident may be read twice."""
    return stream.read(ENTRY_LIMIT + 1)


def _folder(top: Path, under: str) -> Iterator[Artefact]:
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
            label = under + as_label(path.relative_to(top).as_posix())
            found = True
            if path.is_symlink():
                yield Artefact(label, problem="a symbolic link; not followed")
            elif not path.is_file():
                yield Artefact(label, problem="not a regular file")
            else:
                yield from _file(path, label, f"{label}/")
    for refusal in closed:
        found = True
        label = under + as_label(Path(refusal.filename).relative_to(top).as_posix())
        yield Artefact(label, problem=f"a folder that cannot be opened: {refusal.strerror}")
    if not found:
        raise UnreadableInput(f"{top} holds no files", "collect something first: python -m diagnostics collect OUT")


def _file(path: Path, label: str, under: str) -> Iterator[Artefact]:
    """A file; the entries of an archive are called `under` and their own names."""
    try:
        with open(path, "rb", opener=_without_waiting) as file:
            if (head := file.read(512)) is None:  # /proc/kmsg looks like a file and waits for the kernel's next word
                yield Artefact(label, problem="it has nothing to read yet")
                return
            file.seek(0)
            if _looks_like_archive(head):
                yield from _archive(file, label, under, _Room(), 0)
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


def _archive(file: IO[bytes], label: str, under: str, room: _Room, depth: int) -> Iterator[Artefact]:
    """The entries of an archive that lies in `depth` others, or the one file that is compressed."""
    magic = file.read(4)
    file.seek(0)
    if magic != b"PK\x03\x04":
        yield from _tar(file, label, under, room, depth)
    elif depth > DEEPEST:
        yield Artefact(label, problem=_TOO_DEEP)
    else:
        yield from _zip(file, label, under, room, depth)


_TOO_LARGE = "the archive is larger than the limit; the rest was not read"
_TOO_DEEP = "an archive inside an archive inside an archive: unpack it"


def _entry(name: str, data: bytes, room: _Room, depth: int) -> Iterator[Artefact]:
    """An entry of an archive at some depth; one that is compressed, or an archive itself, is opened."""
    if _looks_like_archive(data[:512]):
        yield from _archive(io.BytesIO(data), name, f"{name}/", room, depth + 1)
    else:
        yield Artefact(name, data)


def _zstd(file: IO[bytes]) -> IO[bytes]:
    import zstandard

    return io.BufferedReader(zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True, closefd=False))


def _tar(file: IO[bytes], label: str, under: str, room: _Room, depth: int) -> Iterator[Artefact]:
    entries = 0
    magic = file.read(4)
    file.seek(0)
    stream = _zstd(file) if magic == ZSTD else file
    try:
        with tarfile.open(fileobj=stream, mode="r|*") as archive:
            if depth > DEEPEST:
                yield Artefact(label, problem=_TOO_DEEP)
                return
            for member in archive:
                entries += 1
                name = safe_name(member.name)
                # what is not read must be decompressed too, to get past it
                if not room.take(member.size):
                    yield Artefact(label, problem=_TOO_LARGE)
                    return
                if member.isdir():
                    continue
                if name is None:
                    yield Artefact(f"{label}: {member.name}", problem="its name points outside the archive; not read")
                elif not member.isreg():
                    yield Artefact(under + name, problem="a link or a device; not followed")
                elif member.size > ENTRY_LIMIT:
                    yield Artefact(under + name, problem=f"larger than the limit of {ENTRY_LIMIT >> 30} GiB; not read")
                else:
                    opened = archive.extractfile(member)
                    yield from _entry(under + name, opened.read() if opened else b"", room, depth)
    except _damage() as error:
        if entries == 0:
            yield from _not_a_tar(file, label, room, error)
        else:
            yield Artefact(label, problem=f"the archive is damaged after {entries} entries: {error}")


@cache
def _damage() -> tuple[type[Exception], ...]:
    """What reading an archive raises: zlib's, lzma's and zstandard's own errors share no base but Exception."""
    import zstandard

    return (
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


def _not_a_tar(file: IO[bytes], label: str, room: _Room, error: Exception) -> Iterator[Artefact]:
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
    limit = min(ENTRY_LIMIT, max(0, room.total))
    try:
        with plain:
            while held.tell() < limit and (part := plain.read(min(1 << 20, limit - held.tell()))):
                held.write(part)
            if held.tell() >= limit and plain.read(1):
                problem = f"larger than the limit of {ENTRY_LIMIT >> 30} GiB; the rest was not read"
    except _damage() as damage:
        problem = f"the compressed file is damaged: {damage}"
    room.take(held.tell())
    yield Artefact(label, held.getvalue(), problem or ("" if held.tell() else "nothing in it"))


def _zip(file: IO[bytes], label: str, under: str, room: _Room, depth: int) -> Iterator[Artefact]:
    try:
        with zipfile.ZipFile(file) as archive:
            for entry in archive.infolist():
                name = safe_name(entry.filename)
                if room.entries <= 0:
                    yield Artefact(label, problem=_TOO_LARGE)
                    return
                if entry.is_dir():
                    room.take(0)
                    continue
                if name is None:
                    yield Artefact(
                        f"{label}: {entry.filename}", problem="its name points outside the archive; not read"
                    )
                    continue
                if entry.file_size > ENTRY_LIMIT or entry.file_size > room.total:
                    yield Artefact(under + name, problem="larger than the limit; not read")
                    continue
                try:
                    with archive.open(entry) as opened:
                        data = opened.read(ENTRY_LIMIT)
                except _damage() as error:  # encrypted, damaged, or packed by a method that Python does not know
                    yield Artefact(under + name, problem=f"cannot be taken out of the archive: {error}")
                    continue
                room.take(len(data))
                yield from _entry(under + name, data, room, depth)
    except _damage() as error:
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
