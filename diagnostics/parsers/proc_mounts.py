"""`cat /proc/mounts`.

    mfs\\04310.123.79.1:9421 /workspace/mfs/mnt fuse rw,nosuid,nodev,relatime,user_id=0,group_id=0,allow_other 0 0

A network filesystem is matched by its source, since every FUSE client may call itself plain `fuse`. The
kernel's own filesystems (proc, cgroup ...) are read too: a path under them is not on a disk.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence.storage import Mount
from ..footprint import footprint_of
from ..text import Text
from . import Parser
from ._mounts import mount

# mfs\04310.0.0.1:9421 /workspace fuse rw,nosuid,nodev,relatime 0 0
ROW = re.compile(r"^(\S+) (/\S*) ([A-Za-z][\w.-]*) ((?:rw|ro)(?:,\S*)?) \d+ \d+$")


def read(text: Text) -> Iterator[Mount]:
    for line in text.lines():
        if row := ROW.match(line.text):
            device, point, type_, options = row.groups()
            yield mount(text, line, device, point, type_, options)


PARSER = Parser(
    tool="/proc/mounts",
    medium="mounts",
    footprint=footprint_of(ROW),
    read=read,
)
