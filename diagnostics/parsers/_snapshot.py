"""When a snapshot was taken: the time that stands beside the output of a tool which prints none itself.

# 2026-11-29 12:53:26
13:01:32 $ timeout 10 stat -f /workspace/mfs/mnt
== pid 30506 (python) 13:01:28
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from ..envelope import unwrap
from ..envelope.times import in_zone, syslog_stamp
from ..evidence import Clock, Severity, Source, Stamp
from ..evidence.storage import MemoryInfo
from ..text import Line, Text

# 13:01:32 $ timeout 10 stat -f /workspace       11/29/2026 01:00:01 PM
TIME_OF_DAY = re.compile(r"^(?:\d\d/\d\d/\d{2,4} )?(\d\d):(\d\d):(\d\d)(?:\.\d{1,9})?(?: ([AP]M)\b|\s|$)")
# == pid 30506 (python) 13:01:28: elsewhere in a line such a word may as well be a duration
HEADING = re.compile(r"^=+ .{0,150} (\d\d):(\d\d):(\d\d)()\s*$")
# Sun Nov 29 13:01:32 UTC 2026
DATE = re.compile(
    r"^[A-Z][a-z]{2} ([A-Z][a-z]{2}) +(\d{1,2}) (\d\d):(\d\d):(\d\d) (?:([AP]M) )?(?:([A-Z]{3,4}) )?(\d{4})\b"
)


def stamp_of(line: str) -> Stamp | None:
    """The time that a line names at its start, or a heading at its end."""
    if found := HEADING.match(line[:200]):
        return _time_of_day(found)
    line = line[:200].lstrip("#=- \t")
    if stamp := unwrap(line).stamp:
        return stamp
    if found := DATE.match(line):
        return _date(found)
    found = TIME_OF_DAY.match(line)
    return _time_of_day(found) if found else None


def stamp_before(text: Text, line: Line, limit: int = 2) -> Stamp | None:
    """The time on the nearest of the lines before a table's header."""
    return next((stamp for each in text.before(line, limit) if (stamp := stamp_of(each.text))), None)


def memory_info(text: Text, head: Line, values_kib: Mapping[str, int]) -> MemoryInfo:
    """The machine's memory as the lines below `head` give it."""
    return MemoryInfo(source=source(text, head), stamp=stamp_before(text, head), values_kib=dict(values_kib))


def source(text: Text, line: Line) -> Source:
    """Where a fact was read."""
    return Source(text.name, line.number, line.quote)


def state_severity(state: str | None) -> Severity:
    """A warning for a process or thread that does not run and cannot go on by itself: in D, stopped, or a zombie."""
    return Severity.WARNING if state in ("D", "Z", "T", "t") else Severity.INFO


def _time_of_day(found: re.Match[str]) -> Stamp:
    hour, minute, second = (int(part) for part in found.groups()[:3])
    if found[4]:
        hour = hour % 12 + (12 if found[4] == "PM" else 0)
    return Stamp(Clock.TIME_OF_DAY, hour * 3600.0 + minute * 60 + second)


def _date(found: re.Match[str]) -> Stamp | None:
    month, day, hour, minute, second, half, zone, year = found.groups()
    if half:
        hour = f"{int(hour) % 12 + (12 if half == 'PM' else 0):02}"
    stamp = syslog_stamp(month, day, f"{hour}:{minute}:{second}", year)
    return in_zone(stamp, zone or "") if stamp else None
