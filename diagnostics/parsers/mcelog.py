"""Records of mcelog.

    Hardware event. This is not a software error.
    MCE 0
    CPU 10 BANK 8
    Uncorrected error
    MCA: MEMORY CONTROLLER RD_CHANNEL2_ERR
    Transaction: Memory read error

One fact a record, at its first line. Registers and times are skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Evidence, Severity, Source, Subject
from ..evidence.kernel import HostMemoryError, MachineCheck
from ..footprint import footprint_of
from ..text import Line, Text
from . import Parser

FIRST = re.compile(r"^Hardware event\. This is not a software error")
# MCA: MEMORY CONTROLLER RD_CHANNEL2_ERR    Transaction: Memory read error
MEMORY = re.compile(r"MEMORY CONTROLLER|Memory (?:read|write|scrub\w*) error|\bDIMM\b")
# CPU 10 BANK 8
PLACE = re.compile(r"^CPU (\d{1,5}) (?:BANK|\d)", re.M)
CHANNEL = re.compile(r"(?:CHANNEL|channel )(\d{1,2})")
RECORD = 30  # lines


def read(text: Text) -> Iterator[Evidence]:
    for line in text.matching(FIRST):
        yield _record(text, line)


def _record(text: Text, line: Line) -> Evidence:
    body: list[str] = []
    for each in text.after(line, RECORD):
        if FIRST.match(each.text):
            break
        body.append(each.text[:200])
    said = "\n".join(body)
    corrected = "Uncorrected" not in said and "UNCORRECTED" not in said
    source = Source(text.name, line.number, line.quote)
    severity = Severity.WARNING if corrected else Severity.FATAL
    words = next((each.strip() for each in body if "exceeded threshold" in each), "")
    words = words or next((each.strip() for each in body if each.startswith(("MCA:", "Transaction:"))), "")
    if MEMORY.search(said):
        channel, place = CHANNEL.search(said), PLACE.search(said)
        named = [f"CPU {place[1]}"] if place else []
        named += [f"channel {channel[1]}"] if channel else []
        device = Subject(device=", ".join(named)) if named else Subject()
        return HostMemoryError(source=source, subject=device, severity=severity, corrected=corrected, text=words)
    return MachineCheck(source=source, severity=severity, corrected=corrected, text=words)


PARSER = Parser(tool="mcelog", medium="kernel-log", footprint=footprint_of(FIRST), read=read)
