"""Sizes of files by other tools than ls: `stat -c '%s %n'`, `wc -c`, `du -b`, `aws s3 ls`, `gsutil ls -l`.

    $ stat -c '%s %n' /src/model.safetensors /dst/model.safetensors
    4976698672 /src/model.safetensors
    $ aws s3 ls s3://b/ckpt/step_9000/
    2025-01-01 10:00:01 26953789120 optimizer.pt
       411041792  2025-01-01T10:00:01Z  gs://b/ckpt/step_9000/optimizer.pt

Rows of a number and a path count only below such a command; sums ("total") are skipped.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.storage import FileEntry
from ..footprint import footprint_of
from ..text import Line, Text
from . import Parser
from ._snapshot import source

COMMAND = re.compile(r"(?:^|[$#>] ?|\s)(?:stat (?:-L )?(?:-c|--format|--printf)[ =]['\"]?%s %n|wc -c |du -b)")
BUCKET = re.compile(r"\baws s3 ls (?:--\S{1,40} ){0,4}(s3://\S{1,800})")
# 2025-01-01 10:00:01 26953789120 optimizer.pt
OBJECT = re.compile(r"^(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d) {1,20}(\d{1,16}) (\S.{0,800})$")
GS_OBJECT = re.compile(r"^ {0,20}(\d{1,16}) {2,4}(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ) {2,4}(gs://\S{1,1000})")
ROW = re.compile(r"^ {0,20}(\d{1,16})[ \t]{1,8}(\S.{0,1000})$")


def read(text: Text) -> Iterator[FileEntry]:
    bucket, listed = "", False
    for line in text.lines():
        row = line.text[:2000]
        if found := BUCKET.search(row):
            bucket, listed = found[1].rpartition("/")[0], False
        elif COMMAND.search(row):
            listed, bucket = True, ""
        elif found := GS_OBJECT.match(row):
            yield _entry(text, line, found[3], found[1], found[2])
        elif bucket and (found := OBJECT.match(row)):
            yield _entry(text, line, posixpath.join(bucket, found[3]), found[2], found[1])
        elif listed and (found := ROW.match(row)) and found[2] != "total":
            yield _entry(text, line, found[2].strip(), found[1], None)
        elif row.strip():
            listed = False


def _entry(text: Text, line: Line, path: str, size: str, modified: str | None) -> FileEntry:
    return FileEntry(source=source(text, line), subject=Subject(path=path), size=int(size), modified=modified)


PARSER = Parser(
    tool="stat -c, wc -c, du -b, aws s3 ls, gsutil ls -l",
    medium="listing",
    footprint=footprint_of(COMMAND, BUCKET, GS_OBJECT),
    read=read,
)
