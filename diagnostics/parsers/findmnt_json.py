"""`findmnt -J`.

{"filesystems": [{"target": "/", "source": "/dev/vda", "fstype": "ext4", "options": "rw,relatime",
                  "children": [{"target": "/mnt/ckpt", "source": "nas01:/export", "fstype": "nfs4", ...}]}]}
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from ..evidence.storage import Mount
from ..text import Line, Text
from . import Parser
from ._mounts import mount

TARGET = re.compile(r'"target"\s*:')
DEPTH_LIMIT = 50


def read(text: Text) -> Iterator[Mount]:
    try:
        tree = json.loads(text.plain)
    except (ValueError, RecursionError):
        return
    found = list(entries(tree.get("filesystems") if isinstance(tree, dict) else None))
    lines = [line for line in text.lines() if TARGET.search(line.text)]
    first = next(text.lines(), Line(1, "", ""))
    for number, entry in enumerate(found):
        line = lines[number] if len(lines) == len(found) else first
        device = str(entry.get("source") or "none").partition("[")[0]
        yield mount(text, line, device, entry["target"], str(entry.get("fstype")), str(entry.get("options") or ""))


def entries(filesystems: object, depth: int = 0) -> Iterator[dict[str, Any]]:
    """Every mount of the tree, parents first, as findmnt prints them."""
    if not isinstance(filesystems, list) or depth > DEPTH_LIMIT:
        return
    for entry in filesystems:
        if isinstance(entry, dict) and isinstance(entry.get("target"), str):
            yield entry
            yield from entries(entry.get("children"), depth + 1)


PARSER = Parser(tool="findmnt -J", medium="mounts", footprint=r'"filesystems"[ \t]*:[ \t]*\[', read=read)
