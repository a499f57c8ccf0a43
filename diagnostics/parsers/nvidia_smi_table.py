"""`nvidia-smi` without arguments.

    |   0  NVIDIA H200                    On  |   00000000:8B:00.0 Off |                    0 |
    | N/A   38C    P0             70W /  700W |  11409MiB /  143771MiB |      0%      Default |

A GPU takes two or three rows; of one that was cut out or put together in one row (`nvidia-smi | grep MiB`), the memory
and the load are kept. The process table names a holder of memory, or "No running processes found".
A reading that the driver refused ("ERR!", "Unknown Error") is kept as such. Skipped: fan, MIG rows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ..evidence import Evidence, Severity, Stamp, Subject
from ..evidence.gpu import GpuErrorCounts, GpuProcess, GpuProcessesNone, GpuStatus
from ..text import Line, Text, whole_number
from . import Parser
from ._numbers import leading_number
from ._pci import pci_address
from ._snapshot import source, stamp_of

# |   0  NVIDIA H100                    On  |   00000000:1B:00.0 Off |                    0 |
HEAD = re.compile(
    r"^\| {1,4}(\d{1,3}) {1,3}(\S[^|]*?) +(?:On|Off|N/A|ERR!) *\| +([0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.\d)"
    r" +\S+ *\| +(\d+|N/A|Off|ERR!|Enabled|Disabled|\[?Unknown Error\]?|\[?N/A\]?) *\|"
)
# | N/A   38C    P0             70W /  700W |   11409MiB /  95830MiB |      0%      Default |
BODY = re.compile(
    r"^\| *(?:N/A|ERR!|\d+%) +(\d+C?|N/A|ERR!) +(P\d+|N/A|ERR!|Unk\S*) +(\d+W|N/A|ERR!|Unk\S*) */ +"
    r"(\d+W|N/A|ERR!|Unk\S*) *"
    r"\| *(\d+|N/A|ERR!|Unk\S*)(?:MiB)? */ *(\d+|N/A|ERR!|Unk\S*)(?:MiB)? *\| *(\d+%|N/A|ERR!|Unk\S*)"
)
# |   2  NVIDIA A40         |  41211MiB / 46068MiB |      0%      Default |
CUT = re.compile(
    r"^\| {1,4}(?P<gpu>\d{1,3}) {1,4}(?P<name>[A-Za-z][^|]{1,40}?) {0,20}(?:\|[^|]{0,40})?[ |] {0,20}"
    r"(?P<used>\d{1,7})MiB {0,4}/ {0,8}(?P<total>\d{1,7})MiB {0,4}\| {0,8}(?P<busy>\d{1,3})%"
)
# |    1   N/A  N/A         21545      C   python3                                94088MiB |
# |    0     29114    C   Unknown Error                                 5371MiB |
PROCESS = re.compile(
    r"^\| +(\d{1,3}) +(?:(?:N/A|\d{1,3}) +(?:N/A|\d{1,3}) +)?(\d{1,10}) +(C|G|C\+G|M\+C) +(\S[^|]*?) +(\d+MiB|N/A) *\|"
)
NONE = re.compile(r"^\| +No running (?:compute )?processes found *\|")
# |  GPU       PID  Type  Process name                               Usage      |
PROCESSES = re.compile(r"^\| +GPU +.*\bPID\b.*\bProcess name\b")
FAULTY = re.compile(r"ERR!|Unknown Error|GPU is lost|Unk")


@dataclass
class Card:
    """The first row of a GPU, until its second row is read."""

    line: Line
    gpu: int
    name: str
    pci: str
    ecc: str


def read(text: Text) -> Iterator[Evidence]:
    stamp: Stamp | None = None
    card: Card | None = None
    heading: Line | None = None  # of the process table, until a row of it is read
    for line in text.lines():
        row = line.text[:400]
        if heading and row.startswith("+-"):
            yield GpuProcessesNone(source=source(text, heading), stamp=stamp, in_words=False)
        if not row.startswith(("|=", "|  ")):
            heading = None
        if PROCESSES.match(row):
            heading = line
        elif heading and row.startswith("|  ") and "PID" not in row and re.search(r"\d|No running", row):
            heading = None
        if not row.startswith("|"):
            if not row.startswith("+") and (found_stamp := stamp_of(row)):
                stamp = found_stamp
        elif found := HEAD.match(row):
            card = Card(line, int(found[1]), found[2].rstrip("."), pci_address(found[3]), found[4])
            yield from error_count(text, card, stamp)
        elif card and ((found := BODY.match(row)) or FAULTY.search(row)):
            yield status(text, card, found, row, stamp)
            card = None
        elif found := CUT.match(row) or BODY.match(row):
            yield cut_out(text, line, found, stamp)
        elif found := PROCESS.match(row):
            gpu, pid, _, name, memory = found.groups()
            yield GpuProcess(
                source=source(text, line),
                subject=Subject(gpu=int(gpu), pid=int(pid)),
                stamp=stamp,
                name=name,
                memory_mib=leading_number(memory),
            )
        elif NONE.match(row):
            yield GpuProcessesNone(source=source(text, line), stamp=stamp)


def error_count(text: Text, card: Card, stamp: Stamp | None) -> Iterator[Evidence]:
    """The ECC column: uncorrectable errors since the driver was loaded."""
    if (errors := whole_number(card.ecc)) is not None:
        yield GpuErrorCounts(
            source=source(text, card.line),
            subject=Subject(gpu=card.gpu, pci=card.pci),
            stamp=stamp,
            severity=Severity.CRITICAL if errors else Severity.INFO,
            counts={"volatile uncorrectable": errors},
        )


def status(text: Text, card: Card, found: re.Match[str] | None, row: str, stamp: Stamp | None) -> GpuStatus:
    """The readings of a GPU's second row; one that the driver cannot read has none."""
    temperature, _, power, limit, used, total, busy = found.groups() if found else ("",) * 7
    faulty = FAULTY.search(row) or FAULTY.search(card.ecc) or FAULTY.search(card.name)
    return GpuStatus(
        source=source(text, card.line),
        subject=Subject(gpu=card.gpu, pci=card.pci),
        stamp=stamp,
        severity=Severity.CRITICAL if faulty else Severity.INFO,
        name=card.name,
        utilisation_percent=leading_number(busy),
        memory_used_mib=leading_number(used),
        memory_total_mib=leading_number(total),
        temperature_c=leading_number(temperature),
        power_w=leading_number(power),
        power_limit_w=leading_number(limit),
        unreadable=faulty[0] if faulty else None,
    )


def cut_out(text: Text, line: Line, found: re.Match[str], stamp: Stamp | None) -> GpuStatus:
    """What a row tells that stands alone; the second of a GPU's rows does not say which."""
    named = found.groupdict()
    used, total, busy = (found["used"], found["total"], found["busy"]) if named else found.groups()[4:7]
    return GpuStatus(
        source=source(text, line),
        subject=Subject(gpu=int(found["gpu"])) if named else Subject(),
        stamp=stamp,
        name=found["name"].rstrip(". ") if named else "",
        utilisation_percent=leading_number(busy),
        memory_used_mib=leading_number(used),
        memory_total_mib=leading_number(total),
    )


PARSER = Parser(
    tool="nvidia-smi",
    medium="gpu",
    footprint=(
        r"^\| +\d+ +\S.*\| +[0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.\d|^\|[ =]+GPU .*PID .*Process name"
        r"|^\| NVIDIA-SMI \d|^\| +No running (compute )?processes found"
        rf"|{BODY.pattern}"
        rf"|{re.sub('[?]P<[a-z]+>', '?:', CUT.pattern)}"
        r"|^\| +\d{1,3} +((N/A|\d{1,3}) +(N/A|\d{1,3}) +)?\d{1,10} +(C|G|C\+G|M\+C) +\S[^|\n]{0,200} +(\d+MiB|N/A) *\|"
    ),
    read=read,
)
