"""Tables that scripts and monitors write of GPUs, with a column of the reasons for lower clocks.

    time,gpu,sm_mhz,power_w,reasons
    10:05,0,420,61,0x0000000000000088

    minute  graphics clock (MHz)  SW Thermal Slowdown  it/s
    3       405                   Active               3.1

Cells are a comma, a bar, a tab or two blanks apart. A column may hold the bits of NVML's mask or the names of reasons,
or be named by one reason and say Active. What is skipped: reasons that are part of normal work (idle, a power cap), and
the columns of nvidia-smi itself, which another parser reads.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Severity, Subject
from ..evidence.gpu import GpuThrottle
from ..text import Text, whole_number
from . import Parser
from ._snapshot import source
from ._trial_words import short_lines
from .nvidia_smi_csv import HEADER, MASK, NORMAL_REASONS, REASON_BITS, column_names, throttle_name

_LIST = r"(?:clocks?[ _.])?(?:(?:throttl\w{1,5}|event|slowdown)[ _.])?reasons?(?:[ _.]active)?"
_ONE = (
    r"(?:clocks_(?:throttle|event)_reasons\.|throttle )?(?:(?:hw|sw)[ _])?"
    r"(?:thermal[ _]slowdown|power[ _]brake(?:[ _]slowdown)?|slowdown)|(?:throttle )?sw[ _]thermal"
)
LIST = re.compile(rf"{_LIST}", re.I)
ONE = re.compile(_ONE, re.I)
HEADING = re.compile(rf"(?i)(?:[,|\t]|  ) {{0,80}}(?:{_LIST}|{_ONE})\s{{0,80}}(?:$|[,|\t]|  )")
SPLIT = re.compile(r"[ \t]{0,40}[,|][ \t]{0,40}|\t[\t ]{0,40}| {2,80}")
RULE = re.compile(r"^[-:=+| ]{3,240}$")
# a mask is one of clocks where the table tells of clocks, temperatures or watts
MEASURED = re.compile(r"clock|mhz|temp|_c\b|power|(?:^|_)w\b", re.I)
NAMED = re.compile(r"\b[HS]W (?:Thermal |Power Brake )?Slowdown\b", re.I)
NUMBER = re.compile(r"^[\d.:]{1,20}$")
GPU = re.compile(r"^(?:gpu|index|gpu[ _](?:index|id))$", re.I)


def read(text: Text) -> Iterator[GpuThrottle]:
    heading: list[str] = []
    for line in short_lines(text):
        cells = SPLIT.split(line.text.strip().strip("|").strip())
        if HEADING.search(line.text) and not any(NUMBER.match(cell) for cell in cells):
            heading = [] if HEADER.match(line.text) and column_names(line.text) else cells
        elif heading and not RULE.match(line.text):
            if len(cells) != len(heading):
                heading = []
                continue
            row = list(zip(heading, cells, strict=True))
            gpu = next((whole_number(cell) for name, cell in row if GPU.match(name)), None)
            for reason in dict.fromkeys(_reasons(row)):
                yield GpuThrottle(
                    source=source(text, line), subject=Subject(gpu=gpu), severity=Severity.WARNING, reason=reason
                )


def _reasons(row: list[tuple[str, str]]) -> Iterator[str]:
    """What holds the clocks down by one row: heat and power, by the names that nvidia-smi gives them."""
    measured = any(MEASURED.search(name) for name, _ in row)
    for name, cell in row:
        if ONE.fullmatch(name) and cell.lower() == "active":
            said = name.rpartition(".")[2].replace("_", " ").lower().removeprefix("throttle ")
            said = "hw slowdown" if said == "slowdown" else said
            yield throttle_name((said if "slowdown" in said else f"{said} slowdown").replace(" ", "_"))
        elif LIST.fullmatch(name) and measured and MASK.match(cell):
            bits = [reason for bit, reason in enumerate(REASON_BITS) if int(cell, 16) >> bit & 1]
            yield from (throttle_name(reason) for reason in bits if reason not in NORMAL_REASONS)
        elif LIST.fullmatch(name):
            yield from (throttle_name(found.lower().replace(" ", "_")) for found in NAMED.findall(cell))


PARSER = Parser(tool="tables of GPUs with reasons for lower clocks", medium="gpu", footprint=HEADING.pattern, read=read)
