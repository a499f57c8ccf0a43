"""clock.txt: the wall clock beside the uptime, so that kernel times can be placed.

2026-11-29 12:57:19 UTC
up since 2026-11-29 11:38:17, uptime 4741.99 s
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from ._collector import Collector, Piece
from ._scope import Scope


def collect(scope: Scope) -> Iterator[Piece]:
    with open("/proc/uptime", encoding="ascii") as file:
        uptime = float(file.read().split()[0])
    now = datetime.now(UTC)
    text = f"{now:%F %T} UTC\nup since {now - timedelta(seconds=uptime):%F %T}, uptime {uptime} s\n"
    yield Piece("clock.txt", text.encode())


COLLECTOR = Collector("the clocks", collect)
