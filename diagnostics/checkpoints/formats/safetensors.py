"""safetensors: a length, a JSON header, then the tensors without a gap; the header tells the file's size.

https://github.com/huggingface/safetensors#format: 8 bytes little-endian header length (at most 100 MB),
then `{"name": {"dtype", "shape", "data_offsets": [begin, end]}, "__metadata__": {...}}`.
"""

from __future__ import annotations

import json
import math
import os
from pathlib import Path
from typing import Any

from ..digest import open_plain
from ..finding import Finding, altered, complete, truncated, unreadable

LARGEST_HEADER = 100_000_000
BITS = {
    "BOOL": 8, "U8": 8, "I8": 8, "F8_E5M2": 8, "F8_E4M3": 8, "F8_E8M0": 8, "F8_E4M3FNUZ": 8, "F8_E5M2FNUZ": 8,
    "I16": 16, "U16": 16, "F16": 16, "BF16": 16, "I32": 32, "U32": 32, "F32": 32, "I64": 64, "U64": 64, "F64": 64,
    "C64": 64, "F4": 4, "F6_E2M3": 6, "F6_E3M2": 6,
}  # fmt: skip


def recognises(path: Path, head: bytes) -> bool:
    if path.suffix == ".safetensors":
        return True
    length = int.from_bytes(head[:8], "little") if len(head) > 8 else 0
    return 0 < length <= LARGEST_HEADER and head[8:9] == b"{"


def prove(path: Path, deep: bool) -> Finding:
    descriptor = open_plain(path)
    try:
        size = os.fstat(descriptor).st_size
        head = _read(descriptor, 8)
        length = int.from_bytes(head, "little")
        if len(head) < 8:
            return truncated(f"{size} bytes do not even hold the header's length")
        if not 0 < length <= LARGEST_HEADER:
            return unreadable(f"the header claims {length:,} bytes; safetensors allows 100 MB")
        if size < 8 + length:
            return truncated("it ends inside its header", None)
        return _prove_header(_read(descriptor, length), size - 8 - length)
    finally:
        os.close(descriptor)


def _prove_header(header: bytes, data_size: int) -> Finding:
    try:
        entries = tensor_entries(header)
        end = 0
        for name, entry in sorted(entries.items(), key=lambda item: item[1]["data_offsets"]):
            begin, stop = entry["data_offsets"]
            if begin != end or stop < begin:
                return unreadable(f"the header lies: tensor {name[:80]!r} does not start where the one before it ends")
            if (stop - begin) * 8 != BITS[entry["dtype"]] * math.prod(entry["shape"]):
                return unreadable(f"the header lies: tensor {name[:80]!r} has not the size of its shape")
            end = stop
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return unreadable("its header is not a safetensors header")
    if data_size < end:
        return truncated(f"the header promises {end:,} bytes of tensors and {data_size:,} are there", end - data_size)
    if data_size > end:
        return altered(f"{data_size - end:,} bytes follow the last tensor")
    return complete("safetensors header", "the header accounts for every byte (it holds no hash of them)")


def tensor_entries(header: bytes) -> dict[str, dict[str, Any]]:
    """The header's tensors; ValueError, KeyError or TypeError when it is no header."""
    parsed = json.loads(header)
    parsed.pop("__metadata__", None)
    for entry in parsed.values():
        begin, stop = entry["data_offsets"]
        if not all(type(n) is int and n >= 0 for n in (begin, stop, *entry["shape"])):
            raise ValueError("a size that is no size")
    return dict(parsed)


def tensors_in(path: Path) -> tuple[tuple[str, str, tuple[int, ...]], ...]:
    """Each tensor's name, type and shape from the header; empty for any other file."""
    if path.suffix == ".safetensors" or ".safetensors." in path.name:
        descriptor = open_plain(path)
        try:
            length = int.from_bytes(_read(descriptor, 8), "little")
            if 0 < length <= LARGEST_HEADER:
                entries = tensor_entries(_read(descriptor, length))
                return tuple((name, entry["dtype"], tuple(entry["shape"])) for name, entry in entries.items())
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            pass
        finally:
            os.close(descriptor)
    return ()


def _read(descriptor: int, count: int) -> bytes:
    parts = []
    while count and (part := os.read(descriptor, count)):
        parts.append(part)
        count -= len(part)
    return b"".join(parts)
