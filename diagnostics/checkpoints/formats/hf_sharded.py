"""A Hugging Face directory: an index names the shards that hold each tensor, or there is one weights file.

`model.safetensors.index.json` or `pytorch_model.bin.index.json`:
`{"metadata": {"total_size": bytes}, "weight_map": {"tensor": "model-00001-of-00002.safetensors"}}`.
A Trainer's `checkpoint-N` also holds optimizer.pt, scheduler.pt and trainer_state.json, written after the
weights: trainer_state.json is the last but one to be written, so its absence means an interrupted save.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

from ..digest import open_plain
from ..finding import Finding, State, complete, truncated, unlisted, unreadable
from . import safetensors, torch_zip

INDEXES = ("model.safetensors.index.json", "pytorch_model.bin.index.json", "adapter_model.safetensors.index.json")
SINGLES = ("model.safetensors", "pytorch_model.bin", "adapter_model.safetensors", "diffusion_pytorch_model.safetensors")
BESIDE = ("optimizer.pt", "optimizer.bin", "scheduler.pt", "scaler.pt", "training_args.bin")
LARGEST_INDEX = 64 << 20  # bytes


def recognises(path: Path, head: bytes) -> bool:
    if head:
        return False
    return any(os.path.lexists(path / name) for name in (*INDEXES, *SINGLES, "trainer_state.json", "optimizer.pt"))


def prove(path: Path, deep: bool) -> Finding:
    weights = [name for name in SINGLES if os.path.lexists(path / name)]
    for index in (name for name in INDEXES if os.path.lexists(path / name)):
        try:
            weights += indexed_shards(path / index)
        except ValueError as error:
            return unreadable(f"{index}: {error}")
    if not weights:
        return truncated("there is training state, but no weights")
    if os.path.lexists(path / "optimizer.pt") and not os.path.lexists(path / "trainer_state.json"):
        return truncated("trainer_state.json, which the Trainer writes near the end, is missing")
    beside = [name for name in BESIDE if os.path.lexists(path / name)]
    for name in (*dict.fromkeys(weights), *beside):
        finding = _prove_part(path / name, deep)
        if finding.state is not State.COMPLETE:
            return Finding(finding.state, f"{name}: {finding.because}", missing=finding.missing)
    return complete("shards", f"{len(set(weights))} weights files and {len(beside)} beside them are each whole")


def indexed_shards(index: Path) -> list[str]:
    """The shards' names; ValueError when the index is none or names something outside its directory."""
    with os.fdopen(open_plain(index), "rb") as file:
        content = file.read(LARGEST_INDEX + 1)
    try:
        names = sorted(set(json.loads(content)["weight_map"].values()))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise ValueError("it is not a whole index") from None
    for name in names:
        if not isinstance(name, str) or "/" in name or name in ("", ".", ".."):
            raise ValueError(f"it names a shard outside the directory: {str(name)[:80]!r}")
    return names


def _prove_part(part: Path, deep: bool) -> Finding:
    if part.is_symlink():
        return unreadable("it is a symbolic link")
    if not part.is_file():
        return truncated("it is missing")
    with os.fdopen(open_plain(part), "rb") as file:
        head = file.read(64)
    if safetensors.recognises(part, head):
        return safetensors.prove(part, deep)
    if torch_zip.recognises(part, head):
        return torch_zip.prove(part, deep)
    return unlisted("its format proves nothing") if head.strip(b"\0") else truncated("it holds nothing but zeros")
