"""torch.save's zip archive: its directory stands at the end, so a file that was cut has none.

torch stores its entries uncompressed and with CRCs (https://docs.pytorch.org/docs/stable/notes/serialization.html),
but never checks a CRC when it loads. The structure is read with `zipfile`, which opens the directory only;
contents are read as stored bytes and never expanded.
"""

from __future__ import annotations

import errno
import io
import os
import struct
import zipfile
import zlib
from pathlib import Path

from ..digest import CHUNK, open_plain
from ..finding import Finding, altered, complete, truncated, unreadable

MAGIC = (b"PK\x03\x04", b"PK\x05\x06")
LOCAL_HEADER = 30


class _Remembering(io.FileIO):
    """zipfile calls a file that could not be read "not a zip file"; this remembers what the system said."""

    failure: OSError | None = None

    def seek(self, offset: int, whence: int = 0, /) -> int:
        try:
            return super().seek(offset, whence)
        except OSError as error:
            if error.errno != errno.EINVAL:  # before the start of a file that is too short
                self.failure = error
            raise

    def tell(self) -> int:
        try:
            return super().tell()
        except OSError as error:
            self.failure = error
            raise

    def read(self, size: int | None = -1, /) -> bytes:
        try:
            return super().read(-1 if size is None else size) or b""
        except OSError as error:
            self.failure = error
            raise


def recognises(path: Path, head: bytes) -> bool:
    return head.startswith(MAGIC)


def prove(path: Path, deep: bool) -> Finding:
    with _Remembering(open_plain(path)) as file:
        size = os.fstat(file.fileno()).st_size
        try:
            with zipfile.ZipFile(file) as archive:
                entries, directory_at = archive.infolist(), archive.start_dir
        except (zipfile.BadZipFile, zipfile.LargeZipFile, ValueError, struct.error, NotImplementedError, OverflowError):
            if file.failure:
                raise file.failure from None
            return truncated(f"the zip directory that ends a torch file is missing from its {size:,} bytes")
        except (MemoryError, RecursionError, EOFError):
            return unreadable("its zip directory claims more than the file can hold")
        return _layout(entries, directory_at) or (_contents(file.fileno(), entries) if deep else None) or _whole(deep)


def _whole(deep: bool) -> Finding:
    if deep:
        return complete("zip CRCs", "every stored entry matches its CRC")
    return complete("zip directory", "the zip directory at its end is whole and fits the file")


def _layout(entries: list[zipfile.ZipInfo], directory_at: int) -> Finding | None:
    """Entries must lie one after another before the directory; a bomb's overlap, a cut file's do not fit."""
    end = 0
    for entry in sorted(entries, key=lambda each: each.header_offset):
        if entry.compress_type != zipfile.ZIP_STORED:
            return unreadable(f"entry {entry.filename[:80]!r} is compressed, which torch never writes; not expanded")
        if entry.header_offset < end:
            return unreadable(f"entry {entry.filename[:80]!r} overlaps another; torch never writes that")
        end = entry.header_offset + LOCAL_HEADER + entry.compress_size  # and its name, whose encoding is unsure
        if end > directory_at:
            return altered(f"entry {entry.filename[:80]!r} reaches beyond the data of the file")
        if entry.compress_size != entry.file_size:
            return altered(f"entry {entry.filename[:80]!r} has two sizes")
    if not any(entry.filename.rpartition("/")[2] in ("data.pkl", "constants.pkl") for entry in entries):
        return unreadable("it is a zip file, but not one of torch's: there is no data.pkl")
    return None


def _contents(descriptor: int, entries: list[zipfile.ZipInfo]) -> Finding | None:
    buffer = memoryview(bytearray(CHUNK))
    for entry in entries:
        header = os.pread(descriptor, LOCAL_HEADER, entry.header_offset)
        if len(header) < LOCAL_HEADER or not header.startswith(MAGIC[0]):
            return altered(f"entry {entry.filename[:80]!r} has lost its header")
        name_length, extra_length = struct.unpack_from("<HH", header, 26)
        at = entry.header_offset + LOCAL_HEADER + name_length + extra_length
        left, crc = entry.file_size, 0
        while left:
            count = os.preadv(descriptor, [buffer[: min(left, CHUNK)]], at)
            if not count:
                return truncated(f"entry {entry.filename[:80]!r} ends early", left)
            crc = zlib.crc32(buffer[:count], crc)
            left, at = left - count, at + count
        if crc != entry.CRC:
            return altered(f"entry {entry.filename[:80]!r} does not match its CRC")
    return None
