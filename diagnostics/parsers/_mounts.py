"""A mount as a fact, whichever tool listed it."""

from __future__ import annotations

from ..evidence import Stamp, Subject
from ..evidence.storage import Mount
from ..filesystems import identify
from ..mounttable import unescape
from ..text import Line, Text
from ._snapshot import source


def mount(
    text: Text, line: Line, device: str, point: str, type_: str, options: str, stamp: Stamp | None = None
) -> Mount:
    """The fact; octal and hexadecimal escapes in names are undone."""
    device, point = (unescape(word) for word in (device, point))
    filesystem = identify(device, type_)
    return Mount(
        source=source(text, line),
        subject=Subject(mount=point, device=device, server=filesystem.server(device)),
        stamp=stamp,
        device=device,
        type=type_,
        filesystem=filesystem.name,
        network=filesystem.network,
        options=tuple(option for option in options.split(",") if option),
    )
