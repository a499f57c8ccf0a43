"""Log drivers and collectors: docker, containerd, journald's and other JSON records, CloudWatch.

{"log":"...\\n","stream":"stderr","time":"2024-05-01T12:00:00.000000000Z"}
2024-05-01T12:00:00.000000000Z stderr F message
{"__REALTIME_TIMESTAMP": "1772608750770031", "PRIORITY": "6", "MESSAGE": "...", ...}
{"timestamp": 1714564800000, "message": "...", "ingestionTime": 1714564801000}

A JSON object that was printed over several lines is read by its message line alone.
"""

from __future__ import annotations

import json
import re
from typing import Any

from ..evidence import Clock, Stamp
from ..text import MESSAGE_KEYS, as_shown, whole_number
from .layer import LEVELS, Envelope, Peel
from .times import ISO, iso_stamp

_RECORD_LIMIT = 1 << 18
_TIMES = ("__REALTIME_TIMESTAMP", "time", "timestamp", "@timestamp", "ts")


def record(line: Envelope) -> Envelope | None:
    """One JSON object a line, with a message in it."""
    text = line.message.strip().rstrip(",")
    if not text.endswith("}") or len(text) > _RECORD_LIMIT:
        return None
    try:
        said = json.loads(text)
    except (ValueError, RecursionError):
        return None
    message = next((_text(said[name]) for name in MESSAGE_KEYS if name in said), None)
    if message is None:
        return None
    when = next((_record_stamp(said[name]) for name in _TIMES if name in said), None)
    return line._replace(
        message=as_shown(message).rstrip("\n"),
        stamp=line.stamp or when,
        host=_word(said.get("_HOSTNAME") or said.get("host") or said.get("hostname")) or line.host,
        program=_word(said.get("SYSLOG_IDENTIFIER")) or line.program,
        pid=_number(said.get("_PID") or said.get("SYSLOG_PID")) or line.pid,
        level=_level(said.get("PRIORITY", said.get("pri"))) or line.level,
        uptime=line.uptime or _monotonic(said),
    )


def _text(value: Any) -> str | None:
    """journald writes a message that is not UTF-8 as an array of bytes."""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(item, int) and 0 <= item < 256 for item in value):
        return bytes(value).decode("utf-8", errors="replace")
    return None


def _record_stamp(value: Any) -> Stamp | None:
    if isinstance(value, str) and not value.strip().replace(".", "", 1).isdigit():
        return iso_stamp(value)
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    for unit in (1e9, 1e6, 1e3, 1.0):  # nano-, micro-, milliseconds or seconds since the epoch
        if 1e9 <= number / unit < 1e10:
            return Stamp(Clock.UTC, number / unit)
    return Stamp(Clock.UPTIME, number) if 0 <= number < 1e9 else None


def _monotonic(said: dict[str, Any]) -> Stamp | None:
    if (value := _number(said.get("_SOURCE_MONOTONIC_TIMESTAMP") or said.get("__MONOTONIC_TIMESTAMP"))) is None:
        return None
    return Stamp(Clock.UPTIME, value / 1e6)


def _level(value: Any) -> str | None:
    number = _number(value)
    return None if number is None else LEVELS[number & 7]


def _number(value: Any) -> int | None:
    return whole_number(str(value))


def _word(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


#          "msg": "nfs: server nas01 not responding, still trying"
_FIELD = re.compile(r'^\s*"(?:msg|message|MESSAGE|log)" ?: ?(".*"),?$')


def field(line: Envelope) -> Envelope | None:
    """The message line of an object printed over several lines (`dmesg --json`, `aws logs`)."""
    if not (found := _FIELD.match(line.message)):
        return None
    try:
        return line._replace(message=str(json.loads(found[1])).rstrip("\n"))
    except ValueError:
        return None


#     MESSAGE=nfs: server nas01 not responding, still trying
_EXPORT = re.compile(r"^ {0,8}MESSAGE=(.*)$")


def export(line: Envelope) -> Envelope | None:
    """`journalctl -o export` and `-o verbose`."""
    found = _EXPORT.match(line.message)
    return line._replace(message=found[1]) if found else None


_CRI = re.compile(rf"^({ISO}) (?:stdout|stderr) [FP] (.*)$")


def cri(line: Envelope) -> Envelope | None:
    """containerd and CRI-O."""
    found = _CRI.match(line.message)
    return line._replace(message=found[2], stamp=line.stamp or iso_stamp(found[1])) if found else None


RECORDS: tuple[Peel, ...] = (record,)
FIELDS: tuple[Peel, ...] = (field, export)
STAMPED: tuple[Peel, ...] = (cri,)
WORDS: tuple[Peel, ...] = (export,)
