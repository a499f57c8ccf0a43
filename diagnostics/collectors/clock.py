"""clock.txt: the wall clock beside the uptime and the local time, so that kernel times and logs can be placed.

2026-11-29 12:57:19 UTC
up since 2026-11-29 11:38:17, uptime 4741.99 s
               Local time: Sun 2026-11-29 20:57:19 CST
           Universal time: Sun 2026-11-29 12:57:19 UTC
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
    text = (
        f"{now:%F %T} UTC\nup since {now - timedelta(seconds=uptime):%F %T}, uptime {uptime} s\n"
        f"               Local time: {now.astimezone():%a %F %T %Z}\n           Universal time: {now:%a %F %T UTC}\n"
    )
    yield Piece("clock.txt", text.encode())


COLLECTOR = Collector("the clocks", collect)
