"""`cat /proc/self/mountinfo`.

    36 35 98:0 / /mnt/ckpt rw,noatime master:1 - nfs4 nas01:/export rw,vers=4.2,hard

The options of the mount and of its superblock are joined; a bind mount's root is not kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence.storage import Mount
from ..footprint import footprint_of
from ..text import Text
from . import Parser
from ._mounts import mount

# 36 35 98:0 / /mnt/ckpt rw,noatime master:1 - nfs4 nas01:/export rw,vers=4.2,hard
ROW = re.compile(
    r"^\d{1,7} \d{1,7} \d{1,5}:\d{1,7} \S+ (/\S*) (\S+)(?: (?:shared|master|propagate_from|unbindable)(?::\d+)?)* - "
    r"(\S+) (\S+) (\S+)\s*$"
)


def read(text: Text) -> Iterator[Mount]:
    for line in text.lines():
        if found := ROW.match(line.text[:10_000]):
            point, own, type_, device, shared = found.groups()
            options = dict.fromkeys([*own.split(","), *shared.split(",")])
            if "ro" in options:  # either half suffices
                options.pop("rw", None)
            yield mount(text, line, device, point, type_, ",".join(options))


PARSER = Parser(
    tool="/proc/PID/mountinfo",
    medium="mounts",
    footprint=footprint_of(ROW),
    read=read,
)
