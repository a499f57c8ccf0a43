"""`rocm-smi`: the concise table of old and new versions, and the lines of --showuse, --showmeminfo, --showtemp,
--showpower.

    Device  Node  IDs              Temp        Power     Partitions          SCLK     MCLK     Fan  Perf  PwrCap  VRAM%  GPU%
    0       1     0x74b5,   21947  67.0°C      737.0W    NPS1, SPX, 0        1280Mhz  1100Mhz  0%   auto  750.0W  49%    100%

    GPU[0]          : GPU use (%): 99
    GPU[0]          : VRAM Total Used Memory (B): 7028736

The lines of one GPU are one fact, quoted at the first of them. Product, topology and set-up lines are skipped.
"""  # noqa: E501

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from ..evidence import Evidence, Stamp, Subject
from ..evidence.gpu import GpuStatus
from ..text import Line, Text
from . import Parser
from ._snapshot import source, stamp_before

# ======================= ROCm System Management Interface =======================
HEADING = re.compile(r"^=+ ROCm System Management Interface =+\s*$")
# 0    33.0c  9.0W    500Mhz  96Mhz  255%  auto  186.0W    0%   16%
ROW = re.compile(
    r"^(\d{1,3})\s.{0,60}?\s(\d{1,3}\.\d)\s?°?[cC]\s+(\d{1,4}(?:\.\d{1,3})?)W\s.{0,60}?(\d{1,5})M[hH]z\s.{0,80}?\s"
    r"(\d{1,4}(?:\.\d{1,3})?)W\s+(?:\d{1,3}%|N/A)\s+(\d{1,3})%\s*$"
)
#   0   84.0c   151.0W   1138Mhz  945Mhz   40.0%    auto      0%      (before ROCm 1.9)
OLD = re.compile(
    r"^\s{0,4}(\d{1,3})\s+(\d{1,3}\.\d)c\s+(\d{1,4}(?:\.\d{1,3})?)W\s+(\d{1,5})M[hH]z\s+\d{1,5}M[hH]z\s+\d{1,3}"
    r"(?:\.\d)?%\s+\w{2,10}\b"
)
# GPU[0]		: Temperature (Sensor junction) (C): 83.0
VALUE = re.compile(r"^GPU\[(\d{1,3})\]\s*: ([A-Z][^:]{1,80}):\s*(\S.{0,120}?)\s*$")
NAMES = (
    (re.compile(r"^GPU use \(%\)"), "utilisation_percent", 1.0),
    (re.compile(r"^VRAM Total Used Memory \(B\)"), "memory_used_mib", 2.0**-20),
    (re.compile(r"^VRAM Total Memory \(B\)"), "memory_total_mib", 2.0**-20),
    (re.compile(r"^Temperature \(Sensor junction\) \(C\)"), "temperature_c", 1.0),
    (re.compile(r"^(?:Average|Current Socket) Graphics Package Power \(W\)"), "power_w", 1.0),
    (re.compile(r"^Max Graphics Package Power \(W\)"), "power_limit_w", 1.0),
)
NUMBER = re.compile(r"\d{1,18}(?:\.\d{1,6})?")


@dataclass
class Card:
    """What the lines of one GPU say."""

    line: Line
    stamp: Stamp | None
    name: str = ""
    values: dict[str, float] = field(default_factory=dict)


def read(text: Text) -> Iterator[Evidence]:
    cards: dict[int, Card] = {}
    stamp: Stamp | None = None
    for line in text.lines():
        row = line.text[:400]
        if HEADING.match(row):
            yield from told(text, cards)
            cards, stamp = {}, stamp_before(text, line)
        elif (found := ROW.match(row)) or (found := OLD.match(row)):
            yield concise(text, line, found, stamp)
        elif found := VALUE.match(row):
            note(cards.setdefault(int(found[1]), Card(line, stamp)), found[2], found[3])
    yield from told(text, cards)


def concise(text: Text, line: Line, found: re.Match[str], stamp: Stamp | None) -> GpuStatus:
    gpu, temperature, power, clock, *newer = (float(value) for value in found.groups())
    limit, busy = newer or (None, None)
    return GpuStatus(
        source=source(text, line),
        subject=Subject(gpu=int(gpu)),
        stamp=stamp,
        temperature_c=temperature,
        power_w=power,
        sm_clock_mhz=clock,
        power_limit_w=limit,
        utilisation_percent=busy,
    )


def note(card: Card, name: str, said: str) -> None:
    if name.lower().startswith("card series"):
        card.name = said
    for pattern, column, scale in NAMES:
        if pattern.match(name) and (found := NUMBER.fullmatch(said)):
            card.values.setdefault(column, float(found[0]) * scale)


def told(text: Text, cards: dict[int, Card]) -> Iterator[GpuStatus]:
    for gpu, card in cards.items():
        if card.values:
            yield GpuStatus(
                source=source(text, card.line),
                subject=Subject(gpu=gpu),
                stamp=card.stamp,
                name=card.name,
                **card.values,  # type: ignore[arg-type]
            )


PARSER = Parser(
    tool="rocm-smi",
    medium="gpu",
    footprint=(
        r"^=+ ROCm System Management Interface =+|^\s{0,4}\d{1,3}\s+\d{1,3}\.\dc\s+\d{1,4}"
        r"(\.\d{1,3})?W\s+\d{1,5}M[hH]z\s|^GPU\[\d{1,3}\]\s*: "
        r"(GPU use|VRAM Total|Temperature \(Sensor|(Average|Current Socket|Max) Graphics)"
    ),
    read=read,
)
