"""The management controller's sensors: `ipmitool sdr`, with or without `type`, `elist` or `list`.

    PS2 Status       | C9h | ok  | 10.2 | Presence detected, Failure detected
    FAN3             | 0 RPM             | cr
    GPU1 Temp        | 94 degrees C      | cr

Only what is wrong is a fact: a supply that says so, and fans and temperatures beyond their critical (cr) or
non-recoverable (nr) threshold.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Severity, Source
from ..evidence.kernel import ThermalOrPowerMessage
from ..footprint import footprint_of
from ..text import Text
from . import Parser

# PS2 Status       | C9h | ok  | 10.2 | Presence detected, Failure detected
LONG = re.compile(
    r"^(?P<name>\S[^|]{0,30}?) *\| [0-9A-Fa-f]{2}h \| (?P<state>ok|cr|nc|nr|ns) *\| +\d{1,3}\.\d{1,3} \| ?"
    "(?P<reading>[^|]{0,120})$"
)
# FAN3             | 0 RPM             | cr
SHORT = re.compile(r"^(?P<name>\S[^|]{0,30}?) *\| (?P<reading>[^|]{1,40}?) *\| (?P<state>ok|cr|nc|nr|ns)\s*$")
SUPPLY = re.compile(r"\bPS(?:U)?[ _]?\d?\b|power supply", re.I)
SUPPLY_TROUBLE = re.compile(r"failure detected|AC lost|input lost|out-of-range|predictive failure", re.I)
HEAT = re.compile(r"temp|fan", re.I)
BEYOND = ("cr", "nr")


def read(text: Text) -> Iterator[ThermalOrPowerMessage]:
    for line in text.matching(PARSER.pattern):
        row = line.text[:300].rstrip()
        found = LONG.match(row) or SHORT.match(row)
        if not found:
            continue
        name, reading = found["name"], found["reading"].strip()
        power = SUPPLY.search(name) and SUPPLY_TROUBLE.search(reading)
        if power or (HEAT.search(name) and found["state"] in BEYOND):
            yield ThermalOrPowerMessage(
                source=Source(text.name, line.number, line.quote),
                severity=Severity.CRITICAL,
                about="power" if power else "thermal",
                text=f"Power Supply {name}: {reading}" if power else f"{name}: {reading}",
            )


PARSER = Parser(
    tool="ipmitool sdr",
    medium="firmware-log",
    footprint=footprint_of(LONG, SHORT),
    read=read,
)
