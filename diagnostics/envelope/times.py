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

MONTH = r"[^\W\d_]{3,12}\.?|\d{1,2}[月월]"


def month_number(name: str) -> int | None:
    """The month that a localised name or its abbreviation stands for."""
    if name[-1:] in "月월":
        number = int(name[:-1])
        return number if 1 <= number <= 12 else None
    name = name.lower().rstrip(".")
    return next((MONTHS[name[:n]] for n in range(min(len(name), 6), 2, -1) if name[:n] in MONTHS), None)


def iso_stamp(text: str) -> Stamp | None:
    """An ISO-like time with or without a zone, with a dot or a comma before the fraction."""
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
    if zone not in ("Z", "UTC"):
        digits = zone[1:].replace(":", "").ljust(4, "0")
        seconds -= (-1 if zone[0] == "-" else 1) * (int(digits[:2]) * 3600 + int(digits[2:4]) * 60)
    return Stamp(Clock.UTC, seconds)


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
