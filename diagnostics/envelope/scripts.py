"""Times as `date`, scripts and servers write them, at the start of a line or behind the name of who writes.

Sun Nov 29 12:45:11 UTC 2026 message                 Sun 29 Nov 2026 12:45:11 PM CET message
[29/Nov/2026:12:45:11 +0100] message                 29-Nov-2026 12:45:11.505 message
29.11.2026 12:45:11 message                          2026.11.29 12:45:11 message
20261129T124511Z message     20261129-12:45:11: message     [1795956311] message     1795956311.505 message
[watchdog 2026-11-29 12:45:11] message               [watchdog] 2026-11-29 12:45:11 message
INFO 2026-11-29 12:45:11 message                     rank0: 2026-11-29 12:45:11 message
[INFO|trainer.py:2128] 2026-11-29 12:45:11,505 >> message
"""

from __future__ import annotations

import re

from ..evidence import Clock, Stamp
from .layer import Envelope, Peel
from .times import ISO, in_zone, iso_stamp, month_number

_CLOCK = r"(?P<clock>\d\d:\d\d:\d\d(?:[.,]\d{1,9})?)(?: (?P<half>[AP]M))?"
_ZONE = r"(?: (?P<zone>[A-Z]{1,5}|[+-]\d\d(?::?\d\d)?))?"
_WEEKDAY, _MONTH = r"[^\W\d_]{2,5}\.?", r"(?P<month>[^\W\d_]{3,12})\.?"
_DAY, _YEAR = r"(?P<day>\d{1,2})", r"(?P<year>20\d\d)"
_DATES = tuple(
    re.compile(form)
    for form in (
        rf"{_WEEKDAY} {_MONTH} {{1,2}}{_DAY} {_CLOCK}{_ZONE} {_YEAR}\b",  # Sun Nov 29 12:45:11 UTC 2026
        rf"{_WEEKDAY} {_DAY}\.? {_MONTH} {_CLOCK}{_ZONE} {_YEAR}\b",  # Sun 29 Nov 12:45:11 UTC 2026
        rf"{_WEEKDAY} {_DAY}\.? {_MONTH} {_YEAR} {_CLOCK}{_ZONE}",  # Sun 29 Nov 2026 12:45:11 PM UTC
        rf"{_DAY}[/-]{_MONTH}[/-]{_YEAR}[: ]{_CLOCK}{_ZONE}",  # 29/Nov/2026:12:45:11 +0100
        rf"{_DAY}\.(?P<month>\d\d)\.{_YEAR},? {_CLOCK}",  # 29.11.2026 12:45:11
        rf"{_YEAR}\.(?P<month>\d\d)\.(?P<day>\d\d)[ T-]{_CLOCK}",  # 2026.11.29 12:45:11
        rf"{_YEAR}(?P<month>\d\d)(?P<day>\d\d)[T _-](?P<clock>\d\d:?\d\d:?\d\d)(?P<zone>Z)?(?!\d)",  # 20261129T124511Z
    )
)
_ISO = re.compile(ISO)
_EPOCH = re.compile(r"(1[5-9]\d{8}(?:\.\d{1,9})?)(?=\]|: | [^\d ])")
_BRACKET = re.compile(r"\[(?=\d{10}|\d\d/[A-Z]|\d\d-[A-Z]|\d\d\.\d\d\.\d|20\d\d\.\d|20\d{6}|[A-Z][a-z]{2} )")
# [watchdog 2026-11-29 12:45:11] text     a name and its time in one bracket
_NAMED = re.compile(r"\[(?P<name>[A-Za-z][\w.-]{1,40})[ |,](?=\d)")
# [watchdog] 2026-11-29 12:45:11 text     [INFO|trainer.py:2128] 2026-11-29 12:45:11,505 >> text
_BEHIND = re.compile(
    r"(?:\[(?:(?P<level>[A-Z]{4,8})(?:\|[\w./-]{1,80}:\d{1,6})?|(?P<name>[A-Za-z][\w.:-]{1,60}))\]"
    r"|(?P<word>DEBUG|INFO|NOTICE|WARNING|WARN|ERROR|CRITICAL|FATAL):?"
    r"|[Rr]ank ?(?P<rank>\d{1,6})(?: ?[:|])?) {1,8}(?=\d)"
)
_AFTER = re.compile(r"\]?(?: ?[:|>-]{1,2})? {0,8}")


def _time_at_start(text: str) -> tuple[Stamp, int] | None:
    """A time that a text begins with, and where it ends."""
    if found := _ISO.match(text):
        stamp = iso_stamp(found[0])
    elif found := _EPOCH.match(text):
        stamp = Stamp(Clock.UTC, float(found[1]))
    elif found := next((found for form in _DATES if (found := form.match(text))), None):
        stamp = _dated(found.groupdict())
    else:
        return None
    return (stamp, found.end()) if stamp else None


def _dated(said: dict[str, str | None]) -> Stamp | None:
    month, clock, zone = said["month"] or "", said["clock"] or "", said.get("zone") or ""
    number = int(month) if month.isdecimal() else month_number(month)
    if ":" not in clock:
        clock = f"{clock[:2]}:{clock[2:4]}:{clock[4:]}"
    if half := said.get("half"):
        clock = f"{int(clock[:2]) % 12 + (12 if half == 'PM' else 0):02}{clock[2:]}"
    stamp = iso_stamp(f"{said['year']}-{number or 0:02}-{int(said['day'] or 0):02} {clock}")
    return in_zone(stamp, zone) if stamp else None


def dated(line: Envelope) -> Envelope | None:
    """A time at the start."""
    begin = 1 if _BRACKET.match(line.message) else 0
    found = _time_at_start(line.message[begin:])
    return _without(line, "", found, begin) if found else None


def named(line: Envelope) -> Envelope | None:
    """A name and its time in one bracket; the name stays in the message, since it says who speaks."""
    said = _NAMED.match(line.message)
    found = _time_at_start(line.message[said.end() :]) if said else None
    return _without(line, f"[{said['name']}] ", found, said.end()) if said and found else None


def behind(line: Envelope) -> Envelope | None:
    """A time behind a level, a rank or a name."""
    said = _BEHIND.match(line.message)
    found = _time_at_start(line.message[said.end() :]) if said else None
    if not said or not found:
        return None
    name = f"[{said['name']}] " if said["name"] else ""
    rank = int(said["rank"]) if said["rank"] else line.rank
    level = said["level"] or said["word"] or line.level
    return _without(line, name, found, said.end())._replace(rank=rank, level=level)


def _without(line: Envelope, name: str, found: tuple[Stamp, int], begin: int) -> Envelope:
    stamp, end = found
    rest = line.message[begin + end :]
    return line._replace(message=name + rest[_AFTER.match(rest).end() :], stamp=line.stamp or stamp)  # type: ignore[union-attr]


BRACKETS: tuple[Peel, ...] = (dated, named, behind)
NUMBERS: tuple[Peel, ...] = (dated,)
WORDS: tuple[Peel, ...] = (dated, behind)
