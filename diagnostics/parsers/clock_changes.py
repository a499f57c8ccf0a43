"""Clocks that jump or are not to be trusted: the kernel's clock source, chrony, timesyncd, ntpd.

clocksource: timekeeping watchdog on CPU3: Marking clocksource 'tsc' as unstable because the skew is too large:
chronyd[812]: System clock was stepped by -3599.998 seconds
systemd[1]: Time has been changed

A step of less than a second is what a time daemon does at its start: info.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence.kernel import ClockJump
from ..text import Text
from . import Parser
from ._table import INFO, WARNING, Row, Table

TABLE = Table(
    Row(r"clocksource: .{0,60}Marking clocksource '\w+' as unstable|Clocksource '?\w+'? unstable", "unstable", INFO),
    Row(r"System clock (?:was stepped|wrong) by -?0\.\d+ seconds", "corrected", INFO),
    Row(r"System clock was stepped by -?\d+\.\d+ seconds", "stepped", WARNING),
    Row(r"System clock wrong by -?\d+\.\d+ seconds", "wrong", WARNING),
    Row(r"ntpd?\S{0,12}: .{0,20}(?:time reset|step time server \S+ offset|time slew) ", "stepped", WARNING),
    Row(r"systemd\S{0,12}: Time has been changed|\bTime has been changed$", "changed", INFO),
)


def read(text: Text) -> Iterator[ClockJump]:
    for hit in TABLE.hits(text):
        yield ClockJump(
            source=hit.log.source(hit.line),
            subject=hit.subject,
            stamp=hit.message.stamp,
            severity=hit.row.severity,
            text=hit.message.message[:500],
        )


PARSER = Parser(tool="clock sources and time daemons", medium="kernel-log", footprint=TABLE.footprint, read=read)
