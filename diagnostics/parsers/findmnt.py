"""`findmnt`, as a tree or a list (-l), as pairs (-P) or raw (-r).

    TARGET                  SOURCE              FSTYPE OPTIONS
    /                       /dev/nvme0n1p2      ext4   rw,relatime
    └─/mnt/ckpt             nas01:/export/ckpt  nfs4   rw,relatime,hard

The header names the columns; the tree's drawing is stripped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence.storage import Mount
from ..footprint import footprint_of
from ..text import Text
from . import Parser
from ._mounts import mount

HEADER = re.compile(r"^TARGET +SOURCE +FSTYPE(?: +OPTIONS)?\b")
# └─/mnt/ckpt             nas01:/export/ckpt  nfs4   rw,relatime,hard
ROW = re.compile(r"^[│├└─|`\s-]*(/\S*) +(\S+) +([\w.-]{1,40})(?: +((?:rw|ro)\S*))?\s*$")
# TARGET="/" SOURCE="/dev/vda" FSTYPE="ext4" OPTIONS="rw,relatime"
PAIRS = re.compile(r'^TARGET="(/[^"]*)" SOURCE="([^"]*)" FSTYPE="([^"]*)"(?: OPTIONS="([^"]*)")?')


def read(text: Text) -> Iterator[Mount]:
    table = False
    for line in text.lines():
        row = line.text[:10_000]
        if found := PAIRS.match(row):
            pass
        elif HEADER.match(row):
            table = True
            continue
        elif not table or not (found := ROW.match(row)):
            table = table and bool(row.strip())
            continue
        point, device, type_, options = found.groups()
        # a bind mount's source carries its root in brackets
        yield mount(text, line, device.partition("[")[0], point, type_, options or "")


PARSER = Parser(tool="findmnt", medium="mounts", footprint=footprint_of(HEADER, PAIRS), read=read)
