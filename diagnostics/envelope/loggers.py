"""What job logs put before a message: Python's logging, ctime stamps, bare clocks, ranks.

2026-11-29 12:45:11,505 INFO train: message          [2021-08-10 20:14:11,221] [INFO] message
Fri Nov 29 12:45:11 2026 message                     12:45:11 INFO message
11/29 12:45:11 - mmengine - INFO - message           11-29 12:45:11.505 INFO message
2026-11-29,12:45:11 | INFO | message                 2026-11-29 12:45:11.505 | ERROR    | app.run:main:12 - message
2026-11-29 12:45:11 | INFO | rank 1 | message        2026-11-29T12:45:11.505 | INFO | r1 | message
[rank3]: message     [rank 3/8] message     [default0]: message     3: message (srun -l)
trainer-1  | message (docker compose logs)
"""

from __future__ import annotations

import re

from .layer import Envelope, Peel
from .times import ISO, day_stamp, iso_stamp, month_number, syslog_stamp

# 2026-11-29 12:45:11.505 | ERROR    | app.run:main:12 - message     2026-11-29 12:45:11 | INFO | app.run | message
_BARS = re.compile(
    rf"^({ISO}) {{1,4}}\| {{0,4}}(DEBUG|INFO|SUCCESS|NOTICE|WARNING|WARN|ERROR|CRITICAL|FATAL) {{0,8}}\| "
    rf"(?:[\w.<>-]{{1,120}}:[\w<>]{{1,80}}:\d{{1,6}} - |[A-Za-z_]\w{{0,40}}(?:\.\w{{1,40}}){{1,6}} \| )?"
    r"(?:(?:r|[Rr]ank ?)(\d{1,6}) {1,4}\| {1,4})?(.*)$"
)
_LOGGER = re.compile(
    rf"^\[?({ISO})\]?[ \t:,-]*(?:\[?(DEBUG|INFO|NOTICE|WARNING|WARN|ERROR|CRITICAL|FATAL)\b(?: {{0,5}}\])?)?[ \t:-]*"
    "(.*)$"
)
_CTIME = re.compile(
    r"^\[?[^\W\d_]{2,5}\.? ([^\W\d_]{3,12})\.? +(\d{1,2}) (\d\d:\d\d:\d\d(?:[.,]\d{1,9})?) (\d{4})"
    r"\]? ?(.*)$"
)
_NO_YEAR = re.compile(r"^\[?(\d\d)[-/](\d\d) (\d\d:\d\d:\d\d(?:[.,]\d{1,9})?)\]?[ :,-]*(.*)$")
_CLOCK = re.compile(r"^\[?(\d\d:\d\d:\d\d(?:[.,]\d{1,9})?)\]?(?: +(.*))?$")
# INFO message     [INFO   ] message     INFO - message     INFO: message
_LEVEL = re.compile(r"^\[?(DEBUG|INFO|NOTICE|WARNING|WARN|ERROR|CRITICAL|FATAL)\b(?: {0,5}\])?(?P<colon>:?)[ :-]*(.*)$")
_RANK = re.compile(r"^\[(?:[Rr]ank(?:: ?| )?|default)(\d{1,6})(?:/\d{1,6})?\]:? ?(.*)$")
_SRUN = re.compile(r"^(\d{1,5}): (.+)$")
# trainer-1  | message     a table has one space before its bar
_COMPOSE = re.compile(r"^[a-z0-9][\w.-]{0,80}[-_]\d{1,4} {2,40}\| (.*)$")


def bars(line: Envelope) -> Envelope | None:
    if not (found := _BARS.match(line.message)):
        return None
    rank = line.rank if found[3] is None else int(found[3])
    return line._replace(message=found[4], stamp=line.stamp or iso_stamp(found[1]), level=found[2], rank=rank)


def logger(line: Envelope) -> Envelope | None:
    if not (found := _LOGGER.match(line.message)):
        return None
    # the kernel's own "INFO: task ..." keeps its first word
    message = line.message[found.start(2) :] if found[2] and line.message[found.end(2) :].startswith(":") else found[3]
    return line._replace(message=message, stamp=line.stamp or iso_stamp(found[1]), level=found[2] or line.level)


def ctime(line: Envelope) -> Envelope | None:
    found = _CTIME.match(line.message)
    if not found or month_number(found[1]) is None:
        return None
    stamp = syslog_stamp(found[1], found[2], found[3], found[4])
    return line._replace(message=found[5], stamp=line.stamp or stamp)


def no_year(line: Envelope) -> Envelope | None:
    found = _NO_YEAR.match(line.message) if line.stamp is None else None
    stamp = syslog_stamp(found[1], found[2], found[3]) if found else None
    return _leveled(line._replace(message=found[4], stamp=stamp)) if found and stamp else None


def clock(line: Envelope) -> Envelope | None:
    found = _CLOCK.match(line.message)
    stamp = day_stamp(found[1]) if found and line.stamp is None else None
    return _leveled(line._replace(message=found[2] or "", stamp=stamp)) if found and stamp else None


def _leveled(line: Envelope) -> Envelope:
    """A line without the level at its start; the kernel's own "INFO: task ..." keeps its first word."""
    found = _LEVEL.match(line.message)
    if not found:
        return line
    return line._replace(message=line.message if found["colon"] else found[3], level=found[1])


def rank(line: Envelope) -> Envelope | None:
    found = _RANK.match(line.message)
    return line._replace(message=found[2], rank=int(found[1])) if found and line.rank is None else None


def srun(line: Envelope) -> Envelope | None:
    found = _SRUN.match(line.message)
    return line._replace(message=found[2], rank=int(found[1])) if found and line.rank is None else None


def compose(line: Envelope) -> Envelope | None:
    found = _COMPOSE.match(line.message)
    return line._replace(message=found[1]) if found else None


BRACKETS: tuple[Peel, ...] = (logger, ctime, no_year, clock, rank)
NUMBERS: tuple[Peel, ...] = (bars, logger, no_year, clock, srun)
WORDS: tuple[Peel, ...] = (ctime, compose)
