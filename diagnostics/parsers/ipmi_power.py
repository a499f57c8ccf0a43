"""Whether a machine has power, as its management controller says: `ipmitool power status`, `ipmitool chassis status`,
Redfish.

    Chassis Power is off
    cn101: Chassis Power is off
    System Power         : off
    "PowerState": "Off",

The host is the one before the words, as tools that ask many put it there; else it is not known.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Severity, Source, Subject
from ..evidence.kernel import PowerState
from ..footprint import footprint_of
from ..text import Text
from . import Parser

STATE = re.compile(
    r"^(?:\[?(?P<host>[A-Za-z][\w.-]{0,80})\]?[:,]?\s{1,4})?"
    r"(?:Chassis Power is|System Power\s{1,12}:|\s{0,20}\"PowerState\": ?\")\s{0,2}"
    r"(?P<state>[Oo]n|[Oo]ff)\b"
)


def read(text: Text) -> Iterator[PowerState]:
    for line in text.matching(PARSER.pattern):
        if found := STATE.match(line.text[:300]):
            on = found["state"].lower() == "on"
            yield PowerState(
                source=Source(text.name, line.number, line.quote),
                subject=Subject(host=found["host"]),
                severity=Severity.INFO if on else Severity.WARNING,
                on=on,
            )


PARSER = Parser(
    tool="ipmitool power status",
    medium="firmware-log",
    footprint=footprint_of(STATE),
    read=read,
)
