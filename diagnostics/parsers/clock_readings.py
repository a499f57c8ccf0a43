"""Commands that read the clock: date, uptime, uptime -s, who -b, timedatectl, /proc/uptime.

    2026-11-29 12:57:19 UTC
    up since 2026-11-29 11:38:17, uptime 4741.99 s

A wall time and an uptime read together anchor the kernel's clock to the calendar. A single number or a date alone
in some log is no such reading: the file has to be one, at most a few lines long.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..envelope.times import ISO, iso_stamp, syslog_stamp
from ..evidence import Clock, Source, Stamp
from ..evidence.kernel import ClockReading
from ..text import Line, Text
from . import Parser

# 2026-11-29 12:57:19 UTC
DATE = re.compile(rf"^(?:date: ?|(?:Local|Universal) time: ?)?\s*(?:[A-Z][a-z]{{2}} )?({ISO})(?: [A-Z]{{2,5}})?$")
# Sun Nov 29 14:22:23 UTC 2026      Sun 29 Nov 2026 02:22:23 PM UTC
CTIME = re.compile(r"^[A-Z][a-z]{2} ([A-Z][a-z]{2}) +(\d{1,2}) (\d\d:\d\d:\d\d) (?:([A-Z]{2,5}|[+-]\d\d) )?(\d{4})$")
# up since 2026-11-29 11:38:17, uptime 4741.99 s
SINCE = re.compile(rf"^(?:up|booted|boot) (?:since|at|time):? ({ISO})(?:,? uptime:? (\d{{1,12}}(?:\.\d{{1,6}})?) ?s)?")
#  14:22:40 up 12 min,  0 user,  load average: 0.61, 0.37, 0.20
UPTIME = re.compile(r"^ ?(\d\d:\d\d:\d\d) up (?:(\d+) days?, +)?(?:(\d+):(\d\d)|(\d+) min|(\d+) hrs?)?,? ")
#          system boot  2026-11-29 11:38
WHO = re.compile(r"^ +system boot +(\d{4}-\d\d-\d\d \d\d:\d\d)$")
# 4741.99 9000.12
PROC = re.compile(r"^(\d{1,12}\.\d\d) \d{1,14}\.\d\d$")
FOOTPRINT = "|".join(
    (
        r"^(?:up|booted|boot) (?:since|at|time):? \d{4}-",
        r"^ ?\d\d:\d\d:\d\d up .{1,40}load average",
        r"^ +system boot +\d{4}-",
        r"^\d{1,12}\.\d\d \d{1,14}\.\d\d$",
        r"^(?:[A-Z][a-z]{2} [A-Z][a-z]{2} +\d{1,2} \d\d:\d\d:\d\d (?:[A-Z]{2,5} )?\d{4}"
        r"|\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?: UTC|Z|[+-]\d\d:?\d\d))$",
    )
)
_LINES = 12


def read(text: Text) -> Iterator[ClockReading]:
    wall: Stamp | None = None
    for number, line in enumerate(text.lines()):
        if number >= _LINES:
            return
        said = line.text.rstrip()
        if stamp := _wall(said):
            wall = stamp
            if not _is_paired(text, line):
                yield _reading(text, line, wall, None, None)
        elif since := SINCE.match(said):
            boot = iso_stamp(since[1])
            yield _reading(text, line, wall, float(since[2]) if since[2] else None, boot.seconds if boot else None)
        elif boot_time := WHO.match(said):
            boot = iso_stamp(f"{boot_time[1]}:00")
            yield _reading(text, line, wall, None, boot.seconds if boot else None)
        elif proc := PROC.match(said):
            yield _reading(text, line, wall, float(proc[1]), None)
        elif up := UPTIME.match(said):
            yield _reading(text, line, wall, _elapsed(up), None)


def _wall(said: str) -> Stamp | None:
    if found := DATE.match(said):
        return iso_stamp(found[1])
    if found := CTIME.match(said):
        stamp = syslog_stamp(found[1], found[2], found[3], found[5])
        return stamp._replace(clock=Clock.UTC) if stamp and found[4] in ("UTC", "GMT") else stamp
    return None


def _is_paired(text: Text, line: Line) -> bool:
    """True when the next line says the uptime that belongs to this wall time."""
    following = next(iter(text.after(line, limit=1)), None)
    if following is None:
        return False
    return any(pattern.match(following.text) for pattern in (SINCE, PROC, UPTIME, WHO))


def _elapsed(up: re.Match[str]) -> float:
    days, hours, minutes, only_minutes, only_hours = (int(value or 0) for value in up.groups()[1:6])
    return float(days * 86_400 + (hours or only_hours) * 3600 + (minutes + only_minutes) * 60)


def _reading(text: Text, line: Line, wall: Stamp | None, uptime_s: float | None, boot_s: float | None) -> ClockReading:
    return ClockReading(
        source=Source(text.name, line.number, line.quote),
        stamp=wall,
        wall_s=wall.seconds if wall else None,
        uptime_s=uptime_s,
        boot_s=boot_s,
        utc=wall is not None and wall.clock is Clock.UTC,
    )


PARSER = Parser(tool="date and uptime", medium="clock", footprint=FOOTPRINT, read=read)
