"""Ask each format what it proves about an artefact."""

from __future__ import annotations

import functools
import importlib
import os
import pkgutil
from pathlib import Path
from types import ModuleType

from . import formats
from .digest import open_plain
from .finding import Finding, altered, truncated, unlisted, unreadable

HEAD, SHORTEST = 64, 8  # bytes
TORCH = (".pt", ".pth", ".ckpt")


@functools.cache
def known_formats() -> tuple[ModuleType, ...]:
    names = sorted(module.name for module in pkgutil.iter_modules(formats.__path__))
    return tuple(importlib.import_module(f"{formats.__name__}.{name}") for name in names)


def prove(path: Path, deep: bool = False) -> Finding:
    """What the artefact's own format proves; never raises for what is in it."""
    if path.is_symlink():
        return unreadable("it is a symbolic link, which is not followed")
    return prove_directory(path, deep) if path.is_dir() else prove_file(path, deep)


def prove_file(path: Path, deep: bool = False) -> Finding:
    try:
        with os.fdopen(open_plain(path), "rb") as file:
            head = file.read(HEAD)
        if len(head) < SHORTEST:
            return truncated(f"{len(head)} bytes are too few for any format" if head else "it is empty")
        if not head.strip(b"\0") and path.suffix in TORCH:
            return altered("it starts with zeros where a torch file has its signature")
        return _ask(path, head, deep) or unlisted("no manifest, and its format proves nothing")
    except OSError as error:
        return unreadable(f"it cannot be read ({error.strerror})")


def prove_directory(path: Path, deep: bool = False) -> Finding:
    try:
        return _ask(path, b"", deep) or unlisted("no manifest, and no format that this program knows")
    except OSError as error:
        return unreadable(f"it cannot be read ({error.strerror})")


def _ask(path: Path, head: bytes, deep: bool) -> Finding | None:
    for module in known_formats():
        if module.recognises(path, head):
            finding: Finding = module.prove(path, deep)
            return finding
    return None


def is_checkpoint_directory(path: Path) -> bool:
    """Whether a directory holds one checkpoint in a format of its own."""
    try:
        return any(module.recognises(path, b"") for module in known_formats())
    except OSError:
        return False
