"""Publish tensors as safetensors: written straight through the hash, with no copy of the model in memory.

safetensors' own `save_file` renames without a sync and reports success after a failed close, so the format
(https://github.com/huggingface/safetensors#format) is written here: header, then each tensor's bytes.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from typing import Any

from ..errors import UsageError
from .naming import artefact_name
from .publishing import outcome, publish, this_rank
from .staging import Published

TORCH = {
    "float64": "F64", "float32": "F32", "float16": "F16", "bfloat16": "BF16", "int64": "I64", "int32": "I32",
    "int16": "I16", "int8": "I8", "uint8": "U8", "bool": "BOOL", "float8_e4m3fn": "F8_E4M3", "float8_e5m2": "F8_E5M2",
    "uint16": "U16", "uint32": "U32", "uint64": "U64", "complex64": "C64",
}  # fmt: skip


def publish_tensors(
    directory: str | os.PathLike[str],
    tensors: Mapping[str, Any],
    step: int | None = None,
    *,
    metadata: Mapping[str, str] | None = None,
    **options: Any,
) -> Published | None:
    """Publish a flat mapping of names to torch tensors (or numpy arrays); the options are those of `publish`.

    Tensors are written as they are in memory, one at a time; a tensor on a GPU is copied to the host first.
    UsageError for a value that is no tensor or has a type that safetensors does not know.
    """
    if "name" not in options and step is not None:
        options["name"] = artefact_name(step, ".safetensors")
        options.setdefault("rank", this_rank())
    header = _header(tensors, metadata)
    with publish(directory, step, **options) as file:
        file.write(header)
        for name in _in_order(tensors):
            for chunk in _bytes_of(tensors[name]):
                file.write(chunk)
    return outcome(file)


def _header(tensors: Mapping[str, Any], metadata: Mapping[str, str] | None) -> bytes:
    entries: dict[str, Any] = {"__metadata__": dict(metadata)} if metadata else {}
    at = 0
    for name in _in_order(tensors):
        value = tensors[name]
        end = at + int(value.nbytes)
        entries[name] = {"dtype": _dtype(name, value), "shape": list(value.shape), "data_offsets": [at, end]}
        at = end
    text = json.dumps(entries, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)  # the data begins aligned
    return len(text).to_bytes(8, "little") + text


def _in_order(tensors: Mapping[str, Any]) -> list[str]:
    """Widest types first, so that every tensor is aligned, then by name."""
    return sorted(tensors, key=lambda name: (-_width(name, tensors[name]), name))


def _width(name: str, value: Any) -> int:
    width = getattr(value, "itemsize", None)
    if width is None or not hasattr(value, "nbytes"):
        raise UsageError(f"{name!r} is no tensor", "pass a state dict: names to tensors")
    return int(width)


def _dtype(name: str, value: Any) -> str:
    plain = str(value.dtype).removeprefix("torch.")
    if plain not in TORCH:
        raise UsageError(f"tensor {name!r} has type {plain}, which safetensors does not know", "convert it first")
    return TORCH[plain]


def _bytes_of(value: Any) -> Iterator[memoryview]:
    if value.nbytes == 0:
        return
    if hasattr(value, "detach"):
        import torch

        value = value.detach().to("cpu").contiguous().reshape(-1).view(torch.uint8).numpy()
    else:
        import numpy as np

        value = np.ascontiguousarray(value).reshape(-1).view(np.uint8)
    yield memoryview(value)
