"""A card's temperature and clock as people and their scripts write them down: a row for each setting or moment.

    limit_w,s_per_clip,mem_temp_c,min_sm_mhz
    200,611,88,1410
    300,640,96,960

    min   gpu   core temp (C)   sm clock (MHz)
    0     2     61              1980

A heading names both with their units, in columns that commas, bars, tabs or two blanks part. The temperature of the
memory is told apart from the card's own; the hotter of two columns counts, and the first of two clocks. A column of
watts that is called a cap or a limit is the power limit. Rows without a number for both are skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Source, Subject
from ..evidence.gpu import GpuStatus
from ..footprint import footprint_of
from ..text import Text
from . import Parser

_OF = r"(?<![A-Za-z])(?:hbm|vram|temp(?:erature)?|core|gpu|junction|hot ?spot|edge|die)"
_END = r"[)\]]?[ \t]{0,40}(?:[,|]| {2}|\t|$)"
# limit_w,s_per_clip,mem_temp_c,min_sm_mhz
HEADING = re.compile(
    rf"^(?=[^\n]{{0,200}}{_OF}[a-z_ ]{{0,12}}[_ (\[]{{1,2}}°?c{_END})"
    r"(?=[^\n]{0,200}(?<![A-Za-z])(?:sm|core|gpu|gfx|graphics|sclk|clock|clk)"
    rf"[a-z_ ]{{0,12}}[_ (\[]{{1,2}}mhz{_END})",
    re.I,
)
PARTED = re.compile(r" {0,40}[,|] {0,40}|\t[\t ]{0,40}| {2,80}")
WORD = re.compile(r"[a-z]{1,20}")
NUMBER = re.compile(r"\d{1,6}(?:\.\d{1,4})?")
HEAT = frozenset({"hbm", "vram", "temp", "temperature", "core", "gpu", "junction", "hotspot", "spot", "edge", "die"})
CLOCK = frozenset({"sm", "core", "gpu", "gfx", "graphics", "sclk", "clock", "clk"})
MEMORY = frozenset({"hbm", "vram", "mem", "memory", "mclk"})
LIMIT = frozenset({"cap", "limit", "tdp", "pl"})
INDEX = frozenset({"gpu", "idx", "index", "device", "card"})


def read(text: Text) -> Iterator[GpuStatus]:
    fields: list[str] = []
    for line in text.lines():
        row = line.text[:400].strip().strip("|").strip()
        cells = PARTED.split(row)
        if HEADING.match(row):
            fields = [_field(cell.lower()) for cell in cells]
        elif row and len(cells) == len(fields):
            values: dict[str, float] = {}
            for field, cell in zip(fields, cells, strict=True):
                if field and NUMBER.fullmatch(cell):
                    hotter = max(values.get(field, 0.0), float(cell))
                    values[field] = hotter if field.endswith("_c") else values.get(field, float(cell))
            index = values.pop("gpu", None)
            if "sm_clock_mhz" in values and any(field.endswith("_c") for field in values):
                yield GpuStatus(
                    source=Source(text.name, line.number, line.quote),
                    subject=Subject(gpu=None if index is None else int(index)),
                    power_limit_w=values.get("power_limit_w"),
                    temperature_c=values.get("temperature_c"),
                    memory_temperature_c=values.get("memory_temperature_c"),
                    sm_clock_mhz=values["sm_clock_mhz"],
                )


def _field(name: str) -> str:
    """What a column holds: a field of the status, "gpu" for its index, or nothing."""
    words = WORD.findall(name)
    unit, said = words[-1] if words else "", set(words[:-1])
    if len(words) == 1:
        return "gpu" if unit in INDEX else ""
    if unit == "w" and LIMIT & said:
        return "power_limit_w"
    if "cpu" in said:
        return ""
    if unit == "c" and (HEAT | MEMORY) & said and not {"limit", "threshold"} & said:
        return "memory_temperature_c" if MEMORY & said else "temperature_c"
    return "sm_clock_mhz" if unit == "mhz" and CLOCK & said and not MEMORY & said else ""


PARSER = Parser(
    tool="tables of a card's clock and temperature",
    medium="gpu",
    footprint=footprint_of(HEADING),
    read=read,
)
