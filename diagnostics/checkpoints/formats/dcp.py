"""torch.distributed.checkpoint: a directory of `.distcp` shards and a pickled `.metadata` that lists them.

The metadata is a pickle, so it is never loaded: `pickletools` lists its opcodes without executing any, and
each shard entry shows up there as `relative_path`, a name, `offset`, a number, `length`, a number
(torch/distributed/checkpoint/filesystem.py, class _StorageInfo).
"""

from __future__ import annotations

import os
import pickletools
from collections.abc import Iterator
from pathlib import Path

from ..digest import open_plain
from ..finding import Finding, State, complete, truncated, unlisted, unreadable
from . import torch_zip

LARGEST = 256 << 20  # bytes of metadata


def recognises(path: Path, head: bytes) -> bool:
    return not head and (os.path.lexists(path / ".metadata") or any(path.glob("*.distcp")))


def prove(path: Path, deep: bool) -> Finding:
    if not os.path.lexists(path / ".metadata"):
        return truncated("the shards are there, but .metadata, which is written last, is not")
    with os.fdopen(open_plain(path / ".metadata"), "rb") as file:
        pickled = file.read(LARGEST + 1)
    if len(pickled) > LARGEST:
        return unreadable("its metadata is larger than any we read")
    try:
        needed = shard_sizes(pickled)
    except ValueError as error:
        return truncated(f"its .metadata is not a whole pickle ({str(error)[:80]})")
    if not needed:
        return unlisted("its .metadata names no shard")
    return _prove_shards(path, needed, deep)


def _prove_shards(path: Path, needed: dict[str, int], deep: bool) -> Finding:
    for name, size in sorted(needed.items()):
        if "/" in name or name in ("", ".", ".."):
            return unreadable(f"its metadata names a shard outside the directory: {name[:80]!r}")
        shard = path / name
        if shard.is_symlink():
            return unreadable(f"shard {name[:80]!r} is a symbolic link")
        if not shard.is_file():
            return truncated(f"shard {name} of {len(needed)} is missing", size)
        present = shard.stat().st_size
        if present < size:
            return truncated(f"shard {name} has {present:,} of {size:,} bytes", size - present)
        if deep:
            finding = _prove_contents(shard)
            if finding.state is not State.COMPLETE:
                return Finding(finding.state, f"shard {name}: {finding.because}", missing=finding.missing)
    return complete("DCP metadata", f"all {len(needed)} shards reach the last byte that the metadata names")


def _prove_contents(shard: Path) -> Finding:
    """A shard is one torch zip after another; only a single one can be proven by its CRCs."""
    finding = torch_zip.prove(shard, deep=True)
    several = finding.is_broken and finding.state is not State.UNREADABLE
    return complete("size", "several archives in one shard") if several else finding


def shard_sizes(pickled: bytes) -> dict[str, int]:
    """How many bytes each shard must have at least. ValueError when the pickle is torn."""
    needed: dict[str, int] = {}
    for name, offset, length in _storage_entries(_values(pickled)):
        needed[name] = max(needed.get(name, 0), offset + length)
    return needed


def _storage_entries(values: Iterator[str | int]) -> Iterator[tuple[str, int, int]]:
    window: list[str | int] = []
    for value in values:
        window = [*window[-5:], value]
        match window:
            case ["relative_path", str(name), "offset", int(offset), "length", int(length)]:
                yield name, offset, length


def _values(pickled: bytes) -> Iterator[str | int]:
    """The strings and whole numbers of a pickle in the order of their use, references resolved."""
    memo: dict[int, str | int | None] = {}
    last: str | int | None = None
    for opcode, argument, _ in pickletools.genops(pickled):
        name = opcode.name
        if name == "MEMOIZE":
            memo[len(memo)] = last
        elif name in ("PUT", "BINPUT", "LONG_BINPUT"):
            memo[int(argument or 0)] = last
        elif name in ("GET", "BINGET", "LONG_BINGET"):
            last = memo.get(int(argument or 0))
            if last is not None:
                yield last
        elif isinstance(argument, str) and "UNICODE" in name:
            last = argument
            yield last
        elif isinstance(argument, int) and name not in ("PROTO", "FRAME"):
            last = int(argument)
            yield last
        else:
            last = None
