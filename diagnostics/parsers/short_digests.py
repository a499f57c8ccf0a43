"""Digests that a person cut short, beside the files that they are of, with their sizes where said.

    local   model.safetensors  14483322118 bytes  sha256 4e11...
    s3 get  model.safetensors  14483322118 bytes  sha256 9ad0...

    0: 3f7c2a91e0b4...d1  /local/nvme/tokens.bin
    2: a90be4417c02...5e  /local/nvme/tokens.bin

A digest is hexadecimal, with a letter and a digit, and ends in dots, or stands in an artefact that names a kind of
digest. One that is whole has parsers of its own. Files that are named once are skipped: there is nothing to
compare.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from ..evidence import Source, Subject
from ..evidence.storage import Checksum
from ..text import Line, Text
from . import Parser

KIND = re.compile(r"\b(?P<kind>md5|sha\d{1,3}|xxh\d{0,3}|crc32c?|b2|b3|blake[23]\w?)(?:sum)?\b", re.I)
CUT = r"[0-9a-f]{4,31}\.{2,3}[0-9a-f]{0,8}"
DIGEST = re.compile(rf"(?<![\w./-])(?P<digest>{CUT}|(?=[0-9]{{0,12}}[a-f])[0-9a-f]{{6,31}})(?=[\s,)]|$)")
NAME = re.compile(
    r"(?<![\w.=/-])(?P<path>/?(?:[\w+-][\w.+-]{0,100}/){0,12}[\w+-][\w.+-]{0,100}\.[A-Za-z]\w{0,12})(?=[\s,:)]|$)"
)
SIZE = re.compile(r"\b(?P<size>\d{1,15}) bytes\b")
COUNTS = re.compile(r"\b(?:step|rank|epoch|iter|iteration|checkpoint|global_step)s?[_-]?\d{1,9}(?=/)", re.I)
LARGEST = 64 << 10  # bytes: nobody cuts more by hand


def read(text: Text) -> Iterator[Checksum]:
    if len(text.data) > LARGEST:
        return
    lines = [line for line in text.lines() if len(line.text) < 400]
    kind = next((said["kind"].lower() for line in lines if (said := KIND.search(line.text))), None)
    found = [row for line in lines if (row := _row(line, kind))]
    named = Counter(path.rpartition("/")[2] for _, path, _, _ in found)
    if len({COUNTS.findall(path)[-1] for _, path, _, _ in found if COUNTS.search(path)}) > 1:
        return  # files of one name in the folders of several steps or ranks are different files
    for line, path, digest, size in found:
        if named[path.rpartition("/")[2]] > 1:
            yield Checksum(
                source=Source(text.name, line.number, line.quote),
                subject=Subject(path=path),
                algorithm=f"{kind or 'digest'}, cut",
                digest=digest,
                size=size,
            )


def _row(line: Line, kind: str | None) -> tuple[Line, str, str, int | None] | None:
    """The line with its path, digest and size; None unless it has one path and one digest."""
    digests = [each["digest"] for each in DIGEST.finditer(line.text) if re.search(r"\d", each["digest"])]
    digests = [each for each in digests if re.search(r"[a-f]", each) and (kind or ".." in each)]
    paths = [each["path"] for each in NAME.finditer(line.text) if not DIGEST.fullmatch(each["path"])]
    if len(digests) != 1 or len(paths) != 1 or line.text.lstrip().startswith("$"):
        return None
    size = SIZE.search(line.text)
    return line, paths[0], digests[0], int(size["size"]) if size else None


PARSER = Parser(
    tool="digests that were cut short",
    medium="checksums",
    footprint=rf"(^|[\s(:]){CUT}([\s,)]|$)|\b(md5|sha\d{{1,3}}|xxh\d{{0,3}})(sum)?\b.{{0,200}}\b[0-9a-f]{{6,31}}\b",
    read=read,
)
