"""syslog (RFC 3164 and 5424), rsyslog's files and journalctl's `-o short*` forms.

Nov 29 12:44:54 vm mfsmount[25425]: message          2026-11-29T12:44:54+0000 vm kernel: message
<6>1 2026-03-04T07:19:10.770031Z vm kernel - - - message
Wed 2026-03-04 07:19:10 UTC vm kernel: message       1772608750.770031 vm kernel: message
[  421.770031] vm kernel: message                    (the kernel's peel leaves "vm kernel: message")

`ts` of moreutils puts the same time before a line of any program: Nov 29 12:45:11 step 12: loss 4.1
"""

from __future__ import annotations

import re

from ..evidence import Clock, Stamp
from .layer import LEVELS, Envelope, Peel
from .times import ISO, MONTH, in_zone, iso_stamp, syslog_stamp

_TAG = r"([\w./@()-]+?)(?:\[(\d{1,10})\])?: ?(.*)$"
_HOST = r"(?:([\w.-]+) )?"
_CLASSIC = re.compile(rf"^({MONTH}) +(\d{{1,2}})\.? (?:(\d{{4}}) )?(\d\d:\d\d:\d\d(?:[.,]\d{{1,9}})?) {_HOST}{_TAG}")
_STAMPED = re.compile(rf"^({MONTH}) +(\d{{1,2}})\.? (?:(\d{{4}}) )?(\d\d:\d\d:\d\d(?:[.,]\d{{1,9}})?)(?: (.*))?$")
_DATED = re.compile(rf"^\[?{ISO}")
_ISO_LINE = re.compile(rf"^({ISO}) (\w[\w.-]*) {_TAG}")
_FULL = re.compile(
    rf"^[^\W\d_]{{2,5}}\.? (\d{{4}}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{{1,9}})?) "
    rf"([A-Z]{{2,5}}|[+-]\d\d(?:\d\d)?) {_HOST}{_TAG}"
)
_UNIX = re.compile(rf"^(\d{{10}}\.\d{{6}}) {_HOST}{_TAG}")
_RFC5424 = re.compile(
    rf"^<(\d{{1,3}})>1 ({ISO}|-) (\S{{1,255}}) (\S{{1,48}}) (\S{{1,128}}) \S{{1,32}} "
    rf"(?:-|\[[^\]]{{0,4096}}\]) ?\ufeff?(.*)$"
)
_MONOTONIC = re.compile(rf"^([\w.-]+) (?=kernel: ){_TAG}")
_WORDS_OF_LOGGERS = frozenset("DEBUG INFO NOTICE WARNING WARN ERROR CRITICAL FATAL".split())
# what stands where a host or a program would, in a line that neither wrote: Saved checkpoint: x     Epoch 3: loss 1.2
_NO_HOST = re.compile(r"[A-Z][a-z]+|\d{4}[-/]\d\d[-/]\d\d")
_NO_PROGRAM = re.compile(r"\d+|[\w.]*[A-Za-z](?:Error|Exception|Interrupt|Warning)")


def classic(line: Envelope) -> Envelope | None:
    found = _CLASSIC.match(line.message)
    if not found or not _wrote(found[5], found[6]):
        return stamped(line)
    stamp = syslog_stamp(found[1], found[2], found[4], found[3])
    return _replace(line, stamp, *found.groups()[4:]) if stamp else None


def _wrote(host: str | None, program: str) -> bool:
    """True when a host and a program of these names may have written a line."""
    if (host or program) in _WORDS_OF_LOGGERS or _NO_PROGRAM.fullmatch(program):
        return False
    return not (host and _NO_HOST.fullmatch(host))


def stamped(line: Envelope) -> Envelope | None:
    """A time alone; one without a year gives way to the date that the program itself wrote."""
    found = _STAMPED.match(line.message)
    stamp = syslog_stamp(found[1], found[2], found[4], found[3]) if found else None
    if not found or not stamp:
        return None
    said = found[5] or ""
    return line._replace(message=said, stamp=line.stamp or (None if _DATED.match(said) else stamp))


def iso(line: Envelope) -> Envelope | None:
    found = _ISO_LINE.match(line.message)
    if not found or not _wrote(found[2], found[3]):
        return None
    return _replace(line, iso_stamp(found[1]), *found.groups()[1:])


def full(line: Envelope) -> Envelope | None:
    if not (found := _FULL.match(line.message)):
        return None
    stamp = iso_stamp(found[1])
    return _replace(line, in_zone(stamp, found[2]) if stamp else None, *found.groups()[2:])


def unix(line: Envelope) -> Envelope | None:
    found = _UNIX.match(line.message)
    return _replace(line, Stamp(Clock.UTC, float(found[1])), *found.groups()[1:]) if found else None


def rfc5424(line: Envelope) -> Envelope | None:
    if not (found := _RFC5424.match(line.message)):
        return None
    number, when, host, program, pid, message = found.groups()
    read = _replace(line, iso_stamp(when), host, program, pid if pid.isdecimal() else None, message)
    return read._replace(level=LEVELS[int(number) & 7])


def monotonic(line: Envelope) -> Envelope | None:
    """`journalctl -o short-monotonic` has host and tag behind the uptime."""
    if line.uptime is None or line.host is not None or not (found := _MONOTONIC.match(line.message)):
        return None
    return _replace(line, None, *found.groups())


def _replace(
    line: Envelope, stamp: Stamp | None, host: str | None, program: str, pid: str | None, message: str
) -> Envelope:
    return line._replace(
        message=message, stamp=line.stamp or stamp, host=host, program=program, pid=int(pid) if pid else None
    )


PRIORITIES: tuple[Peel, ...] = (rfc5424,)
NUMBERS: tuple[Peel, ...] = (iso, unix, classic)
WORDS: tuple[Peel, ...] = (monotonic, classic, full)
