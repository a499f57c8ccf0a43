"""The kernel's own layers, as dmesg, /dev/kmsg, pstore and serial consoles print them.

[ 4083.414114] message                       [ 4083.414114][ T1946] message
<6>[  123.456789] message                    kern  :info  : [  123.456789] message
[Nov29 11:38] message                        [  +0.000513] message
[Fri Nov 29 12:45:11 2026] message           2026-11-29T12:45:11,113604+00:00 message
[  604.118402 <    0.000513>] message        [<    0.000513>] message
6,1234,421770031,-,caller=T1946;message      kernel:[  123.456789] message
"""

from __future__ import annotations

import re

from ..evidence import Clock, Stamp
from .layer import LEVELS, Envelope, Peel
from .times import iso_stamp, syslog_stamp

_PRIORITY = re.compile(r"^<(\d{1,3})>(?!\d )")
_TIME = re.compile(
    r"^(?: ?kernel: ?)?\[ *(\d{1,8}\.\d{3,9})(?: ?[<+] *-?\d{1,8}\.\d{3,9} ?>?)?\]"
    r"(?:\s?\[ *([TC]) *(\d{1,8})\])? ?(.*)$"
)
_ELAPSED = re.compile(r"^\[ *(?:<|\+) *(-?\d{1,8}\.\d{3,9})>?\](?:\s?\[ *([TC]) *(\d{1,8})\])? ?(.*)$")
_MINUTE = re.compile(r"^\[([A-Z][a-z]{2}) ?(\d{1,2}) (\d\d:\d\d)\] ?(.*)$")
# dmesg -T, also with -d: [Fri Nov 29 12:45:11 2026 <    0.000513>] message
_WALL = re.compile(
    r"^\[[^\W\d_]{2,5}\.? ([^\W\d_]{3,12})\.? +(\d{1,2}) (\d\d:\d\d:\d\d) (\d{4})(?: <[ +]*[\d.]{1,20}>)?\] ?(.*)$"
)
# dmesg --time-format iso: no other program writes a comma, microseconds and a zone
_ISO = re.compile(r"^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d,\d{6}[+-]\d\d:\d\d) (.*)$")
_DECODED = re.compile(
    r"^(kern|user|mail|daemon|auth|syslog|lpr|news|uucp|cron|authpriv|ftp|local\d) *:(\w{3,6}) *: ?(.*)$"
)
_KMSG = re.compile(r"^(\d{1,4}),(\d{1,12}),(\d{1,16}),[-c+](?:,caller=([TC]\d{1,8}))?[^;]{0,200};(.*)$")
_BARE = re.compile(r"^ ?kernel: ?(?!\[ *\d)(.*)$")


def priority(line: Envelope) -> Envelope | None:
    if not (found := _PRIORITY.match(line.message)):
        return None
    return line._replace(message=line.message[found.end() :], level=LEVELS[int(found[1]) & 7])


def time(line: Envelope) -> Envelope | None:
    if not (found := _TIME.match(line.message)):
        return None
    uptime = Stamp(Clock.UPTIME, float(found[1]))
    return line._replace(
        message=found[4],
        program=line.program or "kernel",
        uptime=uptime,
        stamp=line.stamp or uptime,
        caller=f"{found[2]}{found[3]}" if found[2] else line.caller,
    )


def elapsed(line: Envelope) -> Envelope | None:
    if not (found := _ELAPSED.match(line.message)):
        return None
    return line._replace(
        message=found[4],
        program=line.program or "kernel",
        elapsed_s=float(found[1]),
        caller=f"{found[2]}{found[3]}" if found[2] else line.caller,
    )


def minute(line: Envelope) -> Envelope | None:
    found = _MINUTE.match(line.message)
    stamp = syslog_stamp(found[1], found[2], found[3]) if found else None
    if not found or stamp is None:
        return None
    return line._replace(message=found[4], program=line.program or "kernel", stamp=line.stamp or stamp)


def wall(line: Envelope) -> Envelope | None:
    found = _WALL.match(line.message)
    stamp = syslog_stamp(found[1], found[2], found[3], found[4]) if found else None
    if not found or stamp is None:
        return None
    return line._replace(message=found[5], program=line.program or "kernel", stamp=line.stamp or stamp)


def iso(line: Envelope) -> Envelope | None:
    if not (found := _ISO.match(line.message)):
        return None
    return line._replace(message=found[2], program=line.program or "kernel", stamp=line.stamp or iso_stamp(found[1]))


def decoded(line: Envelope) -> Envelope | None:
    found = _DECODED.match(line.message)
    if not found:
        return None
    level = {"warn": "warning"}.get(found[2], found[2])
    program = "kernel" if found[1] == "kern" else line.program
    return line._replace(message=found[3], program=program, level=level) if level in LEVELS else None


def kmsg(line: Envelope) -> Envelope | None:
    if not (found := _KMSG.match(line.message)):
        return None
    uptime = Stamp(Clock.UPTIME, int(found[3]) / 1e6)
    return line._replace(
        message=found[5],
        program="kernel",
        level=LEVELS[int(found[1]) & 7],
        uptime=uptime,
        stamp=line.stamp or uptime,
        caller=found[4] or line.caller,
    )


def bare(line: Envelope) -> Envelope | None:
    found = _BARE.match(line.message)
    return line._replace(message=found[1], program="kernel") if found else None


PRIORITIES: tuple[Peel, ...] = (priority,)
BRACKETS: tuple[Peel, ...] = (time, elapsed, minute, wall)
NUMBERS: tuple[Peel, ...] = (kmsg, iso)
WORDS: tuple[Peel, ...] = (time, bare, decoded)
INDENTED: tuple[Peel, ...] = (time, bare)
