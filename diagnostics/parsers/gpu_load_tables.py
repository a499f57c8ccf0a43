r"""Tables of GPUs under load that people and scripts write: a heading that says what was measured, a GPU a row.

    GPU            util   temp idle->load   clock
    A40 #0         99 %   38 -> 79 C        1740 -> 1740 MHz
    A40 #1         98 %   40 -> 93 C        1740 -> 1005 MHz

    | card | SM%  | HBM temp | power |
    | 3    | 97 % | 81 C     | 292 W |

    time      gpu   util   pcie gen   max gen   width
    09:14:20  0     97 %   4          4         x16
    09:14:20  1      0 %   1          4         x16

Columns are two blanks, a tab or a bar apart, and the first names the GPU, or the second beside the time of the look;
two at least are a load, a temperature, a clock or a power with its unit, or what its PCIe link runs at. Of
"38 -> 79 C" the last counts, and where a clock changed too both are a look at the GPU. A column of limits and margins
is skipped, and so is a row with more or fewer cells than the heading.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ..evidence import Stamp, Subject
from ..evidence.gpu import GpuStatus
from ..footprint import footprint_of
from ..text import Line, Text
from . import Parser
from ._snapshot import source, stamp_of
from ._trial_words import short_lines

_QUANTITY = r"(?:temp\w{0,8}|hbm|hot ?spot|junction|sm ?%|(?:gpu[ -])?util\w{0,9}|load|busy|clocks?|power)"
# GPU     SM%   power   HBM idle->load      | card | temp | clock |
HEADING = re.compile(
    rf"^[ \t|]{{0,8}}(?:time(?:stamp)?[ \t]{{0,40}}(?: [ \t]|\t|\|)[ \t]{{0,40}})?"
    rf"(?:gpus?|cards?|devices?)(?: (?:index|name|#|no))?[ \t]{{0,40}}(?: [ \t]|\t|\|)[^\n_]{{0,160}}?"
    f"(?<![A-Za-z_]){_QUANTITY}(?![A-Za-z_])",
    re.I,
)
OF_TOOLS = re.compile(r"SCLK|PwrCap|VRAM%|Bus-Id|Device ID|GPU_|_CLK")
SPLIT = re.compile(r"[ \t]{0,40}\|[ \t]{0,40}|\t[\t ]{0,40}| {2,80}")
RULE = re.compile(r"^[-:=+| ]{3,240}$")
NOT_MEASURED = re.compile(r"\b(?:margin|headroom|limit|max\w{0,4}|cap|rated|slowdown|throttles? at|threshold)\b", re.I)
TIMED = re.compile(r"time", re.I)
# a column's words, the unit of its cells, the field
COLUMNS = (
    (
        re.compile(r"\b(?:hbm|vram|mem(?:ory)?)\b.{0,40}(?:->|temp|\bC\b|$)", re.I),
        r"\u00b0? ?C\b",
        "memory_temperature_c",
    ),
    (re.compile(r"temp|hot ?spot|junction|\bcore\b.{0,12}\bC\b", re.I), r"\u00b0? ?C\b", "temperature_c"),
    (re.compile(r"\bsm ?%|util|\bload\b|\bbusy\b", re.I), r" ?%", "utilisation_percent"),
    (re.compile(r"clock|\bMHz\b", re.I), r" ?MHz\b", "sm_clock_mhz"),
    (re.compile(r"\b(?:pcie|link)?[ ._]?gen(?:eration)?\b", re.I), r"(?:\.0)?$", "pcie_generation"),
    (re.compile(r"\bwidth\b|\blanes\b", re.I), r" ?x?$", "pcie_width"),
    (re.compile(r"power|\bdraw\b", re.I), r" ?W\b", "power_w"),
)
NUMBER = r"(\d{1,5}(?:\.\d{1,3})?)"
WAS = re.compile(rf"{NUMBER}[^\d\n]{{0,6}}?(?:->|\u2192|=>)")
INDEX = re.compile(r"(?:\b(?:gpu|idx|cuda|card|device)[ :#]{0,2}|#)(\d{1,2})\b|^(\d{1,2})$", re.I)
FEWEST = 2  # quantities of a row


def read(text: Text) -> Iterator[GpuStatus]:
    fields: list[tuple[str, str] | None] = []
    timed = False
    for line in short_lines(text):
        if HEADING.match(line.text) and not OF_TOOLS.search(line.text):
            names = _cells(line)
            timed = TIMED.match(names[0]) is not None
            fields = [_field(name) for name in names[timed:]]
        elif fields and not RULE.match(line.text):
            when, *cells = _cells(line) if timed else ["", *_cells(line)]
            if len(cells) != len(fields):
                fields = []
            else:
                yield from _looks(text, line, fields, cells, stamp_of(when))


def _cells(line: Line) -> list[str]:
    return SPLIT.split(line.text.strip().strip("|").strip())


def _field(name: str) -> tuple[str, str] | None:
    """What a column holds, with the unit of its cells."""
    if NOT_MEASURED.search(name):
        return None
    return next(((field, unit) for words, unit, field in COLUMNS if words.search(name)), None)


def _looks(
    text: Text, line: Line, fields: Sequence[tuple[str, str] | None], cells: Sequence[str], stamp: Stamp | None
) -> Iterator[GpuStatus]:
    """The GPU as it was measured, after how it was before where its clock changed with its temperature."""
    before: dict[str, float] = {}
    now: dict[str, float] = {}
    for column, cell in list(zip(fields, cells, strict=True))[1:]:
        found = re.search(rf"{NUMBER}{column[1]}", cell) if column else None
        if column and found:
            now[column[0]] = float(found[1])
            if was := WAS.search(cell):
                before[column[0]] = float(was[1])
    if len(now) < FEWEST:
        return
    index = INDEX.search(cells[0])
    subject = Subject(gpu=int(index[1] or index[2]) if index else None)
    changed = "sm_clock_mhz" in before and len(before) >= FEWEST
    for values in (before, now) if changed else (now,):
        yield GpuStatus(
            source=source(text, line),
            subject=subject,
            stamp=stamp,
            name=cells[0],
            **values,  # type: ignore[arg-type]
        )


PARSER = Parser(tool="tables of GPUs under load", medium="gpu", footprint=footprint_of(HEADING), read=read)
