"""How many of a storage client's request slots are in use, in a person's or a monitor's words.

    RPC slots in use: 128 of 128, backlog rising
    osc.scratch-OST0004: RPCs in flight 8/8
    tcp slot table: 65/65 used

What has no limit beside it is skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence.storage import IoStatistics
from ..footprint import footprint_of
from ..text import Text
from . import Parser
from ._snapshot import source

_OF = r"(?P<used>\d{1,6}) ?(?:of|/|out of) ?(?P<all>\d{1,6})\b"
# RPC slots in use: 128 of 128      tcp slot table: 65/65 used      RPCs in flight 8/8
SLOTS = re.compile(
    r"(?i)\b(?:(?:RPC|xprt|NFS|tcp|rdma|request|session)[ _-](?:request[ _-])?slots?(?:[ _-]table)?"
    "(?:[ _-](?:entries|in[ _]use|used|busy|occupied))?"
    rf"|(?:RPCs?|requests)[ _]in[ _]flight)[ \t]{{0,20}}[:=]?[ \t]{{0,20}}{_OF}"
)


def read(text: Text) -> Iterator[IoStatistics]:
    for line in text.lines():
        found = SLOTS.search(line.text[:600])
        if found and int(found["all"]):
            values = {"rpc_slots": float(found["all"]), "rpc_slots_used": float(found["used"])}
            yield IoStatistics(source=source(text, line), values=values)


PARSER = Parser(
    tool="request slots",
    medium="io-statistics",
    footprint=footprint_of(SLOTS),
    read=read,
)
