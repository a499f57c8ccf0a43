"""Manifests of checksums as JSON, as one writes them beside a checkpoint or a data set.

    {"model-00001.safetensors": "61be55a8e2f6b4e172338bddf184d6dbee29c98853e0a0485ecee7f27b9af0b4"}
    [{"name": "shard_0001.bin", "size": 1048576, "sha256": "61be55a8e2f6b4e172338bddf184d6dbee29c98853e0a0485ecee7f27b9af0b4"}]

Entries may lie deeper in the document ("files": [...]). In a mapping the key has to look like a file, since other
documents map names to identifiers too; in a list an entry needs a name and a hash that says what it is. The algorithm
is told by the key or a prefix ("sha256:..."), else by the length of the hash.
"""  # noqa: E501

from __future__ import annotations

import json
import re
from collections import defaultdict, deque
from collections.abc import Iterator
from typing import Any, NamedTuple

from ..evidence import Source, Subject
from ..evidence.storage import Checksum
from ..text import Line, Text
from . import Parser
from .checksum_lists import BY_LENGTH

# 61be55a8...   sha256:61be55a8...   sha256-61be...
DIGEST = re.compile(r"^(?:(md5|sha\d{1,3}|blake2b|blake3|xxh\d{2,3})[:-])?([0-9a-fA-F]{16,128})$")
SIZED = frozenset((16, 32, 40, 56, 64, 96, 128))
LOOKS_LIKE_A_FILE = re.compile(r"[\w)\]-]\.[A-Za-z]\w{0,11}$|/")
NAMES = ("path", "name", "file", "filename", "file_name", "key", "rfilename")
HASHES = (
    "sha256",
    "sha512",
    "sha1",
    "md5",
    "blake3",
    "blake2b",
    "xxh64",
    "xxh3",
    "xxh128",
    "checksum",
    "digest",
    "hash",
)
SIZES = ("size", "bytes", "size_bytes", "length")
_DEPTH = 20
_LIMIT = 64 << 20  # bytes


class Entry(NamedTuple):
    """One file of a manifest."""

    name: str
    algorithm: str
    digest: str
    size: int | None


def read(text: Text) -> Iterator[Checksum]:
    if len(text.data) > _LIMIT:
        return
    try:
        document = json.loads(text.plain)
    except (ValueError, RecursionError):
        return
    lines = _lines_by_digest(text)
    for entry in entries(document):
        line = lines[entry.digest].popleft() if lines[entry.digest] else Line(1, "", "")
        yield Checksum(
            source=Source(text.name, line.number, line.quote),
            subject=Subject(path=entry.name.removeprefix("./")),
            algorithm=entry.algorithm,
            digest=entry.digest.lower(),
            size=entry.size,
        )


def entries(node: object, depth: int = 0) -> Iterator[Entry]:
    """The files that a document lists, in its order."""
    if depth > _DEPTH:
        return
    if isinstance(node, list):
        for each in node:
            yield from entries(each, depth + 1)
    elif isinstance(node, dict):
        if named := _of_record(node, None):
            yield named
            return
        for key, value in node.items():
            if isinstance(value, str) and LOOKS_LIKE_A_FILE.search(key) and (hashed := _digest(value, "")):
                yield Entry(key, *hashed, None)
            elif isinstance(value, dict) and (named := _of_record(value, key)):
                yield named
            else:
                yield from entries(value, depth + 1)


def _of_record(record: dict[str, Any], key: str | None) -> Entry | None:
    """{"name": ..., "size": ..., "sha256": ...}; the name may be the key under which the record stands."""
    name = next((record[each] for each in NAMES if isinstance(record.get(each), str)), key)
    if not name or (name == key and not LOOKS_LIKE_A_FILE.search(name)):
        return None
    for each in HASHES:
        value = record.get(each)
        if isinstance(value, str) and (hashed := _digest(value, each)):
            size = next((record[s] for s in SIZES if type(record.get(s)) is int and 0 <= record[s] < 1 << 63), None)
            return Entry(name, *hashed, size)
    return None


def _digest(value: str, key: str) -> tuple[str, str] | None:
    """(algorithm, hexadecimal digits) of a hash."""
    found = DIGEST.match(value)
    if not found or len(found[2]) not in SIZED:
        return None
    told = found[1] or (key if key not in ("checksum", "digest", "hash") else "")
    return told or BY_LENGTH[len(found[2])], found[2]


def _lines_by_digest(text: Text) -> dict[str, deque[Line]]:
    found: dict[str, deque[Line]] = defaultdict(deque)
    for line in text.lines():
        for digits in re.findall(r"[0-9a-fA-F]{16,128}", line.text):
            found[digits].append(line)
    return found


PARSER = Parser(
    tool="a manifest of checksums",
    medium="checksums",
    footprint=(
        r"\"(sha\d{1,3}|md5|blake3|blake2b|xxh\d{1,3}|checksum|digest"
        r"|hash)\"\s*: ?\"[a-z0-9:-]{0,10}[0-9a-fA-F]{16,128}\""
        r"|\"[^\"\n]{1,300}[./][^\"\n]{1,300}\"\s*: ?\"[a-z0-9:-]{0,10}[0-9a-fA-F]{32,128}\""
    ),
    read=read,
)
