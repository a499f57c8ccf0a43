"""Small real checkpoints, and a module that would notice if anything were unpickled."""

from __future__ import annotations

import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from diagnostics.checkpoints import publish_bytes


def torch_file(seed: int, size: int = 60_000) -> bytes:
    """A zip as torch.save writes it (stored entries, CRCs), without needing torch."""
    import io

    pattern = bytes((seed * 31 + n * 7) % 251 for n in range(251))
    content = (pattern * (size // 251 + 1))[:size]
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("archive/data.pkl", b"\x80\x02}q\x00.")
        archive.writestr("archive/data/0", content)
        archive.writestr("archive/version", b"3\n")
    return buffer.getvalue()


def safetensors_file(seed: int, count: int = 2_000) -> bytes:
    header = b'{"weight":{"dtype":"F32","shape":[%d],"data_offsets":[0,%d]}}' % (count, 4 * count)
    header += b" " * (-len(header) % 8)
    return struct.pack("<Q", len(header)) + header + struct.pack(f"<{count}f", *(float(seed + n) for n in range(count)))


CONTENT: dict[str, Callable[[int], bytes]] = {".pt": torch_file, ".safetensors": safetensors_file}


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A directory with whole checkpoints of steps 100, 200 and 300."""
    directory = tmp_path / "run"
    for step in (100, 200, 300):
        publish_bytes(directory, torch_file(step), step)
    return directory


def names(directory: Path) -> list[str]:
    return sorted(each.name for each in directory.iterdir())


def visible(directory: Path) -> list[str]:
    return [name for name in names(directory) if not name.startswith(".")]


def hidden(directory: Path, ending: str) -> list[str]:
    return [name for name in names(directory) if name.startswith(".") and name.endswith(ending)]
