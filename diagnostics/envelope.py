"""What other programs put around a line: times, hosts, ranks, levels, and the wrapping of log drivers.

`unwrap` peels one line to the message that its own program printed, and keeps what the peels said. Layers
nest (a container log around a syslog line around a kernel line), so each peel is tried again until none fits.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import NamedTuple

from .evidence import Clock, Stamp

MONTHS = {
    name: number for number, name in enumerate("jan feb mar apr may jun jul aug sep oct nov dec".split(), start=1)
}


class Envelope(NamedTuple):
    """A line without its wrapping. `stamp` is the most precise time that any layer gave."""

    message: str
    stamp: Stamp | None = None
    host: str | None = None
    program: str | None = None  # the syslog tag: "kernel", "mfsmount", "systemd"
    pid: int | None = None
    rank: int | None = None
    level: str | None = None
    uptime: Stamp | None = None  # a kernel line inside syslog carries both clocks


def unwrap(line: str) -> Envelope:
    """Peel every known layer off a line; a line without one comes back as it is."""
    found = Envelope(line)
    for _ in range(6):
        peeled = next((peeled for peel in _PEELS if (peeled := peel(found)) is not None), None)
        if peeled is None:
            break
        found = peeled
    return found


def _stamp(text: str) -> Stamp | None:
    """An ISO-like time with or without a zone, with a dot or a comma before the fraction."""
    match = _ISO.fullmatch(text.strip())
    if not match:
        return None
    year, month, day, hour, minute, second, fraction, zone = match.groups()
    try:
        moment = datetime(int(year), int(month), int(day), int(hour), int(minute), min(int(second), 59), tzinfo=UTC)
    except ValueError:
        return None
    seconds = moment.timestamp() + (float(f"0.{fraction}") if fraction else 0.0)
    if not zone:
        return Stamp(Clock.LOCAL, seconds)
    if zone not in ("Z", "UTC"):
        sign = -1 if zone[0] == "-" else 1
        digits = zone[1:].replace(":", "").ljust(4, "0")
        seconds -= sign * (int(digits[:2]) * 3600 + int(digits[2:4]) * 60)
    return Stamp(Clock.UTC, seconds)


_ISO = re.compile(
    r"(\d{4})[-/](\d\d)[-/](\d\d)[T ](\d\d):(\d\d):(\d\d)(?:[.,](\d{1,9}))?\s?(Z|UTC|[+-]\d\d:?\d\d|[+-]\d\d)?"
)
_ISO_TEXT = r"\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z| UTC|[+-]\d\d:?\d\d)?"

# {"log":"...\n","stream":"stderr","time":"2024-05-01T12:00:00.000000000Z"}
_DOCKER = re.compile(r'^\{"log":')
# 2024-05-01T12:00:00.000000000Z stderr F message
_CRI = re.compile(rf"^({_ISO_TEXT}) (?:stdout|stderr) [FP] (.*)$")
# <6>[  123.456] message     and rsyslog's <34>1 2024-...
_PRIORITY = re.compile(r"^<(\d{1,3})>(?!\d )")
# [ 4083.414114] message   [ 4083.414114][ T1946] message
_KERNEL = re.compile(r"^(?:kernel: ?)?\[ *(\d{1,8}\.\d{3,9})\](?:\s?\[ *([TC]\d+)\])? ?(.*)$")
# [Fri Nov 29 12:45:11 2026] message
_CTIME = re.compile(r"^\[?([A-Z][a-z]{2}) ([A-Z][a-z]{2}) +(\d{1,2}) (\d\d:\d\d:\d\d)(?:[.,]\d+)? (\d{4})\]? ?(.*)$")
# Nov 29 12:44:54 vm mfsmount[25425]: message
_SYSLOG = re.compile(
    r"^([A-Za-z]{3,9})\.? +(\d{1,2}) (\d\d):(\d\d):(\d\d)(\.\d+)? (\S+) ([\w./@()-]+?)(?:\[(\d+)\])?: ?(.*)$"
)
# 2026-11-29T12:44:54+0000 vm kernel: message
_ISO_SYSLOG = re.compile(rf"^({_ISO_TEXT}) (\w[\w.-]*) ([\w./@()-]+?)(?:\[(\d+)\])?: ?(.*)$")
# 2026-11-29 12:45:11,505 INFO train: message     [2021-08-10 20:14:11,221] [INFO] message
_LOGGER = re.compile(
    rf"^\[?({_ISO_TEXT})\]?[ :,-]*(?:\[?(DEBUG|INFO|NOTICE|WARNING|WARN|ERROR|CRITICAL|FATAL)\b\]?)?[ :-]*(.*)$"
)
# [rank3]: message   [default0]: message   3: message (srun -l)
_RANK = re.compile(r"^\[(?:rank|default|Rank )(\d+)\]:? ?(.*)$|^(\d{1,5}): (.+)$")


def _peel_docker(line: Envelope) -> Envelope | None:
    if not _DOCKER.match(line.message):
        return None
    try:
        record = json.loads(line.message)
        return line._replace(
            message=str(record["log"]).rstrip("\n"), stamp=_stamp(_to_microseconds(record["time"])) or line.stamp
        )
    except (ValueError, KeyError, TypeError):
        return None


def _to_microseconds(text: str) -> str:
    return re.sub(r"(\.\d{6})\d+", r"\1", str(text))


def _peel_cri(line: Envelope) -> Envelope | None:
    found = _CRI.match(line.message)
    return line._replace(message=found[2], stamp=_stamp(found[1])) if found else None


def _peel_priority(line: Envelope) -> Envelope | None:
    found = _PRIORITY.match(line.message)
    if not found:
        return None
    levels = "emerg alert crit err warning notice info debug".split()
    return line._replace(message=line.message[found.end() :], level=levels[int(found[1]) & 7])


def _peel_kernel(line: Envelope) -> Envelope | None:
    found = _KERNEL.match(line.message)
    if not found:
        return None
    uptime = Stamp(Clock.UPTIME, float(found[1]))
    return line._replace(message=found[3], program="kernel", uptime=uptime, stamp=line.stamp or uptime)


def _peel_ctime(line: Envelope) -> Envelope | None:
    found = _CTIME.match(line.message)
    if not found or found[2].lower() not in MONTHS:
        return None
    stamp = _stamp(f"{found[5]}-{MONTHS[found[2].lower()]:02}-{int(found[3]):02} {found[4]}")
    return line._replace(message=found[6], stamp=line.stamp or stamp)


def _peel_syslog(line: Envelope) -> Envelope | None:
    found = _SYSLOG.match(line.message)
    if not found or found[1][:3].lower() not in MONTHS:
        return None
    month, day, hour, minute, second, fraction, host, program, pid, message = found.groups()
    try:
        moment = datetime(1972, MONTHS[month[:3].lower()], int(day), int(hour), int(minute), int(second), tzinfo=UTC)
    except ValueError:
        return None
    stamp = Stamp(Clock.NO_YEAR, moment.timestamp() + float(fraction or 0))
    return line._replace(
        message=message, stamp=line.stamp or stamp, host=host, program=program, pid=int(pid) if pid else None
    )


def _peel_iso_syslog(line: Envelope) -> Envelope | None:
    found = _ISO_SYSLOG.match(line.message)
    if not found or found[2] in _LEVELS:
        return None
    pid = int(found[4]) if found[4] else None
    return line._replace(
        message=found[5], stamp=line.stamp or _stamp(found[1]), host=found[2], program=found[3], pid=pid
    )


_LEVELS = frozenset("DEBUG INFO NOTICE WARNING WARN ERROR CRITICAL FATAL".split())


def _peel_logger(line: Envelope) -> Envelope | None:
    found = _LOGGER.match(line.message)
    if not found:
        return None
    return line._replace(message=found[3], stamp=line.stamp or _stamp(found[1]), level=found[2] or line.level)


def _peel_rank(line: Envelope) -> Envelope | None:
    found = _RANK.match(line.message)
    if not found or line.rank is not None:
        return None
    return line._replace(message=found[2] if found[1] else found[4], rank=int(found[1] or found[3]))


_PEELS: tuple[Callable[[Envelope], Envelope | None], ...] = (
    _peel_docker,
    _peel_cri,
    _peel_priority,
    _peel_kernel,
    _peel_ctime,
    _peel_syslog,
    _peel_iso_syslog,
    _peel_logger,
    _peel_rank,
)

__all__ = ["Envelope", "unwrap"]
