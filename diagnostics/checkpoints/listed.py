"""Checksum files that people keep beside checkpoints: `md5sum * > MD5SUMS`, `model.pt.sha256`, BSD's --tag.

74b87337452204d4d33f80c4663dc5e5  model-00001.safetensors
MD5 (model-00001.safetensors) = 74b87337452204d4d33f80c4663dc5e5
"""

from __future__ import annotations

import os
import re
from pathlib import Path

LISTS = {
    "md5": ("MD5SUMS", "md5sum.txt", "md5sums.txt", "checksums.md5", "md5.txt"),
    "sha256": ("SHA256SUMS", "sha256sum.txt", "checksums.sha256", "checksums.txt"),
    "blake3": ("B3SUMS", "b3sum.txt"),
}
DIGITS = {"md5": 32, "sha256": 64, "blake3": 64}
LARGEST = 16 << 20  # bytes
PLAIN = re.compile(r"\\?([0-9a-fA-F]{32,128}) [ *](.+)")
TAGGED = re.compile(r"[A-Z0-9-]+ \((.+)\) = ([0-9a-fA-F]{32,128})")
BARE = re.compile(r"([0-9a-fA-F]{32,128})\s*")


def listed_digest(path: Path) -> tuple[str, str, str]:
    """The algorithm, the hash and the list that names it; three empty strings when no list names `path`."""
    for algorithm, lists in LISTS.items():
        for name in (f"{path.name}.{algorithm}", f"{path.name}.{algorithm}sum", *lists):
            digest = _digest_in(path.with_name(name), path.name, DIGITS[algorithm])
            if digest:
                return algorithm, digest, name
    return "", "", ""


def _digest_in(source: Path, name: str, digits: int) -> str:
    try:
        with os.fdopen(os.open(source, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:
            text = file.read(LARGEST).decode("utf-8", "surrogateescape")
    except OSError:
        return ""
    found = ""
    for line in text.splitlines():
        if plain := PLAIN.fullmatch(line):
            digest, listed = plain[1], plain[2]
        elif tagged := TAGGED.fullmatch(line):
            digest, listed = tagged[2], tagged[1]
        elif (bare := BARE.fullmatch(line)) and source.name.startswith(name):
            digest, listed = bare[1], name
        else:
            continue
        if listed.removeprefix("./") == name and len(digest) == digits:
            found = digest.lower()
    return found
