"""Commands that read the clock: date, date -u, uptime, uptime -s, who -b, timedatectl, /proc/uptime.

    2026-11-29 12:57:19 UTC
    up since 2026-11-29 11:38:17, uptime 4741.99 s

                   Local time: Sun 2026-11-29 20:57:19 CST
               Universal time: Sun 2026-11-29 12:57:19 UTC

A wall time and an uptime read together anchor the kernel's clock to the calendar. A single number or a date alone
in some log is no such reading: the file has to be one, at most a few lines long.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from ..envelope.times import ISO, in_zone, iso_stamp, syslog_stamp
from ..evidence import Clock, Source, Stamp
from ..evidence.kernel import ClockReading
from ..text import Line, Text
from . import Parser

ZONE = r"UTC|MSK|[A-Z]{1,4}T"  # the abbreviations of the others end with T(ime)
# 2026-11-29 12:57:19 UTC                   Local time: Sun 2026-11-29 20:57:19 CST
DATE = re.compile(rf"^(?:date: ?| *(?:Local|Universal) time: ?)?(?:[A-Z][a-z]{{2}} )?({ISO})(?: ({ZONE}))?$")
# Sun Nov 29 14:22:23 UTC 2026
CTIME = re.compile(
    rf"^[A-Z][a-z]{{2}} ([A-Z][a-z]{{2}}) +(\d{{1,2}}) (\d\d:\d\d:\d\d) (?:({ZONE}|[+-]\d\d(?:\d\d)?) )?(\d{{4}})$"
)
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
        rf"^(?:[A-Z][a-z]{{2}} [A-Z][a-z]{{2}} +\d{{1,2}} \d\d:\d\d:\d\d (?:(?:{ZONE}|[+-]\d\d(?:\d\d)?) )?\d{{4}}"
        rf"|\d{{4}}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?: (?:{ZONE})|Z| ?[+-]\d\d:?\d\d))$",
        r"^ *Universal time: ",
    )
)
_LINES = 12
_QUARTER_S = 900.0  # zones are whole quarters of an hour ahead of UTC or behind
_FURTHEST_S = 14 * 3600.0
_APART_S = 5.0  # of two commands that one file holds


def read(text: Text) -> Iterator[ClockReading]:
    lines = list(islice(text.lines(), _LINES))
    walls = {line.number: stamp for line in lines if (stamp := _wall(line.text.rstrip()))}
    zone_s = _zone_s(list(walls.values()))
    wall: Stamp | None = None
    for line in lines:
        said = line.text.rstrip()
        if stamp := walls.get(line.number):
            wall = _placed(stamp, zone_s)
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
    stamp, zone = None, ""
    if found := DATE.match(said):
        stamp, zone = iso_stamp(found[1]), found[2] or ""
    elif found := CTIME.match(said):
        stamp, zone = syslog_stamp(found[1], found[2], found[3], found[5]), found[4] or ""
    return in_zone(stamp, zone) if stamp else None


def _zone_s(walls: Sequence[Stamp]) -> float | None:
    """How far the machine's zone is ahead of UTC: as a reading says, or by `date` beside `date -u`."""
    if said := next((wall.zone_s for wall in walls if wall.zone_s), None):
        return said
    in_utc = [wall.seconds for wall in walls if wall.clock is Clock.UTC]
    for gap_s in (wall.seconds - utc for wall in walls if wall.clock is Clock.LOCAL for utc in in_utc):
        quarters_s = round(gap_s / _QUARTER_S) * _QUARTER_S
        if abs(gap_s - quarters_s) <= _APART_S and abs(quarters_s) <= _FURTHEST_S:
            return quarters_s
    return None


def _placed(wall: Stamp, zone_s: float | None) -> Stamp:
    """A reading with the machine's zone, where that is known."""
    if zone_s is None:
        return wall
    return Stamp(Clock.UTC, wall.seconds - (zone_s if wall.clock is Clock.LOCAL else 0.0), zone_s=zone_s)


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
