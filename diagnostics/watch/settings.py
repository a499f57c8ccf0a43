"""What a watch is told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Settings:
    """What a watch is told. `keep` captures are kept; `every_s` is how often it looks."""

    out: Path
    log: str | None = None
    folders: Sequence[str] = ()
    keep: int = 5
    factor: float = 6.0
    least_s: float = 5.0
    startup_s: float = 300.0
    every_s: float = 0.5
    again_s: float = 300.0
