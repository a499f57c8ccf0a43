"""`cat /proc/mounts`.

    mfs\\04310.123.79.1:9421 /workspace/mfs/mnt fuse rw,nosuid,nodev,relatime,user_id=0,group_id=0,allow_other 0 0

A network filesystem is matched by its source, since every FUSE client may call itself plain `fuse`. The
kernel's own filesystems (proc, cgroup ...) are read too: a path under them is not on a disk.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Source, Subject
from ..evidence.storage import Mount
from ..filesystems import identify
from ..text import Text
from . import Parser

# mfs\04310.0.0.1:9421 /workspace fuse rw,nosuid,nodev,relatime 0 0
ROW = re.compile(r"^(\S+) (/\S*) ([A-Za-z][\w.-]*) ((?:rw|ro)(?:,\S*)?) \d+ \d+$")
ESCAPE = re.compile(r"\\([0-7]{3})")


def read(text: Text) -> Iterator[Mount]:
    for line in text.lines():
        if row := ROW.match(line.text):
            device, mount, type_, options = row.groups()
            device, mount = (ESCAPE.sub(lambda code: chr(int(code[1], 8)), word) for word in (device, mount))
            filesystem = identify(device, type_)
            yield Mount(
                source=Source(text.name, line.number, line.quote),
                subject=Subject(mount=mount, device=device, server=filesystem.server(device)),
                device=device,
                type=type_,
                filesystem=filesystem.name,
                network=filesystem.network,
                options=tuple(options.split(",")),
            )


PARSER = Parser(
    tool="/proc/mounts",
    medium="mounts",
    footprint=r"^\S+ /\S* [A-Za-z][\w.-]* (rw|ro)(,\S*)? \d+ \d+$",
    read=read,
)
