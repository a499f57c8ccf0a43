"""`tune2fs -l DEVICE` and `dumpe2fs -h`.

    Filesystem features:      has_journal ext_attr dir_index fast_commit extent 64bit flex_bg
    Filesystem state:         clean with errors

The features are one setting each: a kernel's fault may be one feature's. A state that is not clean, and the
superblock's record of errors, are facts about the filesystem.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Evidence, Severity, Subject
from ..evidence.job import SettingSeen
from ..evidence.storage import ToolError
from ..footprint import footprint_of
from ..text import Line, Text
from . import Parser
from ._snapshot import source

FEATURES = re.compile(r"^Filesystem features: {2,20}(\S.{0,1000})$")
STATE = re.compile(r"^Filesystem state: {2,20}(\S.{0,60})$")
MOUNTED = re.compile(r"^Last mounted on: +(/\S{0,1000})")
ERRORS = re.compile(
    r"^(FS Error count|First error (?:time|function|line #|inode #)|Last error (?:time|function|err)): +(\S.{0,80})$"
)


def read(text: Text) -> Iterator[Evidence]:
    mount: str | None = None
    for line in text.lines():
        row = line.text[:1200].rstrip()
        if found := MOUNTED.match(row):
            mount = found[1]
        elif found := FEATURES.match(row):
            for feature in found[1].split():
                yield SettingSeen(
                    source=source(text, line),
                    subject=Subject(mount=mount),
                    name=f"ext4 feature {feature}",
                    value="on",
                )
        elif (found := STATE.match(row)) and (found[1] != "clean"):
            yield error(text, line, mount, f"filesystem state: {found[1]}")
        elif (found := ERRORS.match(row)) and found[1] == "FS Error count":
            yield error(text, line, mount, f"{found[1]}: {found[2]}")


def error(text: Text, line: Line, mount: str | None, said: str) -> ToolError:
    return ToolError(
        source=source(text, line),
        subject=Subject(mount=mount),
        severity=Severity.WARNING,
        tool="tune2fs",
        error=None,
        text=said,
    )


PARSER = Parser(tool="tune2fs -l", medium="settings", footprint=footprint_of(FEATURES, STATE), read=read)
