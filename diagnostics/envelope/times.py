"""Times as logs write them, turned into stamps."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from ..evidence import Clock, Stamp
from ..text import whole_number

ISO = r"\d{4}[-/]\d\d[-/]\d\d[T ,]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z| UTC| ?[+-]\d\d:?\d\d| ?[+-]\d\d)?"
_ISO = re.compile(
    r"(\d{4})[-/](\d\d)[-/](\d\d)[T ,](\d\d):(\d\d):(\d\d)(?:[.,](\d{1,9}))?\s?(Z|UTC|[+-]\d\d:?\d\d|[+-]\d\d)?"
)

# journalctl and syslog print the month in the machine's language; one row a language, January first
_MONTHS = """
    jan feb mar apr may jun jul aug sep oct nov dec
    jan feb mär apr mai jun jul aug sep okt nov dez
    jän feb mrz apr mai jun jul aug sep okt nov dez
    janv févr mars avr mai juin juil août sept oct nov déc
    ene feb mar abr may jun jul ago sep oct nov dic
    gen feb mar apr mag giu lug ago set ott nov dic
    jan fev mar abr mai jun jul ago set out nov dez
    jan feb mrt apr mei jun jul aug sep okt nov dec
    jan feb mar apr maj jun jul aug sep okt nov des
    tammi helmi maalis huhti touko kesä heinä elo syys loka marras joulu
    sty lut mar kwi maj cze lip sie wrz paź lis gru
    led úno bře dub kvě červn červe srp zář říj lis pro
    янв фев мар апр мая июн июл авг сен окт ноя дек
    янв фев мар апр май июн июл авг сен окт ноя дек
    січ лют бер кві тра чер лип сер вер жов лис гру
    oca şub mar nis may haz tem ağu eyl eki kas ara
    jan febr márc ápr máj jún júl aug szept okt nov dec
"""
MONTHS: dict[str, int] = {}
for _row in _MONTHS.split("\n"):
    for _number, _name in enumerate(_row.split(), start=1):
        MONTHS.setdefault(_name, _number)

# Hours ahead of UTC of the zones that `date` and journalctl name by letters. What several countries call theirs
# (CST, IST, BST) tells no zone; PST and CDT are North America's, though Manila and Havana say so as well.
_HOURS = {
    "Z": 0, "UTC": 0, "GMT": 0, "WET": 0, "WEST": 1, "WAT": 1, "CET": 1, "MET": 1, "CEST": 2, "MEST": 2, "CAT": 2,
    "SAST": 2, "EET": 2, "EEST": 3, "EAT": 3, "MSK": 3, "PKT": 5, "WIB": 7, "HKT": 8, "AWST": 8, "JST": 9, "KST": 9,
    "ACST": 9.5, "AEST": 10, "ACDT": 10.5, "AEDT": 11, "NZST": 12, "NZDT": 13, "HST": -10, "AKST": -9, "AKDT": -8,
    "PST": -8, "PDT": -7, "MST": -7, "MDT": -6, "CDT": -5, "EST": -5, "EDT": -4,
}  # fmt: skip

MONTH = r"[^\W\d_]{3,12}\.?|\d{1,2}[月월]"


def month_number(name: str) -> int | None:
    """The month that a localised name or its abbreviation stands for."""
    if name[-1:] in "月월":
        number = int(name[:-1])
        return number if 1 <= number <= 12 else None
    name = name.lower().rstrip(".")
    return next((MONTHS[name[:n]] for n in range(min(len(name), 6), 2, -1) if name[:n] in MONTHS), None)


def iso_stamp(text: str) -> Stamp | None:
    """An ISO-like time with or without a zone, with a dot or a comma before the fraction.

    One in UTC says nothing of the writer's own zone: many programs write UTC everywhere.
    """
    match = _ISO.fullmatch(text.strip())
    if not match:
        return None
    year, month, day, hour, minute, second, fraction, zone = match.groups()
    seconds = _seconds(int(year), int(month), int(day), int(hour), int(minute), int(second))
    if seconds is None:
        return None
    seconds += float(f"0.{fraction}") if fraction else 0.0
    if not zone:
        return Stamp(Clock.LOCAL, seconds)
    offset_s = _offset_s(zone) or 0.0
    return Stamp(Clock.UTC, seconds - offset_s, zone_s=offset_s or None)


def in_zone(stamp: Stamp, zone: str) -> Stamp:
    """A wall clock's time in UTC by the zone that stands beside it, as CET or +0100; as it is where that tells none."""
    offset_s = _offset_s(zone)
    if stamp.clock is not Clock.LOCAL or offset_s is None:
        return stamp
    return Stamp(Clock.UTC, stamp.seconds - offset_s, zone_s=None if zone == "Z" else offset_s)


def _offset_s(zone: str) -> float | None:
    """How far a zone is ahead of UTC, in seconds; None where its name tells none."""
    if zone[:1] in ("+", "-"):
        digits = zone[1:].replace(":", "").ljust(4, "0")
        return float(f"{zone[0]}1") * (int(digits[:2]) * 3600 + int(digits[2:4]) * 60)
    hours = _HOURS.get(zone)
    return None if hours is None else hours * 3600.0


def syslog_stamp(month: str, day: str, clock: str, year: str | None = None) -> Stamp | None:
    """`Mar  4 07:22:13` with or without a year; `clock` may have a fraction or lack its seconds; months may be
    numbers.
    """
    number = month_number(month) if (written := whole_number(month)) is None else written
    hour, minute, second = [*clock.split(":"), "0"][:3]
    if number is None:
        return None
    whole, _, fraction = second.replace(",", ".").partition(".")
    # 1972 was a leap year: 29 February has a place in it
    seconds = _seconds(int(year or 1972), number, int(day), int(hour), int(minute), int(whole))
    if seconds is None:
        return None
    return Stamp(Clock.LOCAL if year else Clock.NO_YEAR, seconds + (float(f"0.{fraction}") if fraction else 0.0))


def day_stamp(clock: str) -> Stamp | None:
    """`07:22:13.118` of an unknown day."""
    hour, minute, second = clock.replace(",", ".").split(":")
    seconds = int(hour) * 3600 + int(minute) * 60 + float(second)
    return Stamp(Clock.TIME_OF_DAY, seconds) if seconds < 86_400 else None


def _seconds(year: int, month: int, day: int, hour: int, minute: int, second: int) -> float | None:
    try:  # a leap second is written as 60
        return datetime(year, month, day, hour, minute, min(second, 59), tzinfo=UTC).timestamp()
    except (ValueError, OverflowError):
        return None
