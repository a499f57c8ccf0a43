"""The library: incidents whose cause became known, each a few artefacts with their labels.

One text file per cause, of blocks like

    ### storage-client-evicted, network-filesystem-fault
    source: nfs-ganesha/nfs-ganesha#1234
    --- dmesg.txt
    [ 8123.1] ceph: mds0 session blocklisted

The first line names what an expert accepts as the cause, the best first, or `insufficient` or `healthy`. `source` is
the public thread whose cause became known and whose machine-printed lines these are, with hosts, users, numbers and
paths changed; `printed form` where only the form of a tool's lines was taken.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent / "library"
_HEADING = re.compile(r"^### (?=[a-z])", re.MULTILINE)
_PUBLIC = re.compile(r"https://[^\s,]+|[\w.-]+/[\w.-]+#\d+")
_ARTEFACT = re.compile(r"^--- ([\w.@+=-]+)\n", re.MULTILINE)


@dataclass(frozen=True)
class Precedent:
    """An incident whose cause became known: `labels` best first, `artefacts` by name."""

    labels: tuple[str, ...]
    source: str
    artefacts: dict[str, str]

    @property
    def is_public(self) -> bool:
        """True when `source` is a thread or page that anybody can read."""
        return bool(_PUBLIC.match(self.source))

    @property
    def thread(self) -> str:
        """What `source` names, without what is said of the lines."""
        return found[0] if (found := _PUBLIC.match(self.source)) else self.source

    @property
    def lines(self) -> Iterator[str]:
        """The names and lines of its artefacts."""
        for name, text in self.artefacts.items():
            yield name
            yield from text.splitlines()


def precedents(folder: Path = FOLDER) -> Iterator[Precedent]:
    """Every incident of the library, in the order of the files' names."""
    for file in sorted(folder.glob("*.txt")):
        yield from precedents_in(file)


def precedents_in(file: Path) -> Iterator[Precedent]:
    """The incidents of one file of the library. Raises ValueError where it is not of the form above."""
    for block in _HEADING.split(file.read_text(encoding="utf-8"))[1:]:
        yield read_precedent(block)


def read_precedent(block: str) -> Precedent:
    """A block without its `### `. Raises ValueError for one that is not of the form above."""
    heading, *parts = _ARTEFACT.split(block)
    labels, _, source = heading.strip().partition("\nsource: ")
    if not source or not parts:
        raise ValueError(f"a precedent has labels, a source and artefacts: {block[:200]!r}")
    names, texts = parts[::2], parts[1::2]
    if len(set(names)) < len(names):
        raise ValueError(f"two artefacts of one name: {names}")
    return Precedent(tuple(each.strip() for each in labels.split(",")), source, dict(zip(names, texts, strict=True)))


def digest(folder: Path = FOLDER) -> str:
    """A hash of all that the library holds."""
    found = hashlib.sha256()
    for file in sorted(folder.glob("*.txt")):
        found.update(file.name.encode() + b"\0" + file.read_bytes())
    return found.hexdigest()
