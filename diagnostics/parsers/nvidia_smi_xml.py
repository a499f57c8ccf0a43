"""`nvidia-smi -q -x`: the full query as XML, once or again and again (-l).

    <gpu id="00000000:19:00.0">
        <product_name>NVIDIA H100 80GB HBM3</product_name>
        <ecc_errors>
            <volatile>
                <dram_uncorrectable>1</dram_uncorrectable>
        <clocks_event_reasons>
            <clocks_event_reason_hw_slowdown>Active</clocks_event_reason_hw_slowdown>

The file is hostile until proven otherwise: a document that declares entities is left where it does, and no DTD is
loaded. A torn document counts as far as it goes. Before driver 535 the reasons were "clocks_throttle_reasons".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.parsers import expat

from ..evidence import Evidence, Stamp
from ..text import Line, Text, whole_number
from . import Parser
from ._gpu_card import Card, Holder, throttle, told
from ._pci import pci_address
from ._snapshot import stamp_of
from .nvidia_smi_csv import throttle_name

# the end of an element's path -> a quantity of the GPU
STATUS = {
    "utilization/gpu_util": "utilisation_percent",
    "fb_memory_usage/used": "memory_used_mib",
    "fb_memory_usage/total": "memory_total_mib",
    "temperature/gpu_temp": "temperature_c",
    "gpu_power_readings/power_draw": "power_w",
    "gpu_power_readings/instant_power_draw": "power_w",
    "power_readings/power_draw": "power_w",
    "gpu_power_readings/current_power_limit": "power_limit_w",
    "power_readings/power_limit": "power_limit_w",
    "clocks/sm_clock": "sm_clock_mhz",
}
# -> the counter's name in the text form
COUNTS = {
    "remapped_rows/remapped_row_corr": "remapped correctable error",
    "remapped_rows/remapped_row_unc": "remapped uncorrectable error",
    "remapped_rows/remapped_row_pending": "remapped pending",
    "remapped_rows/remapped_row_failure": "remapped remapping failure occurred",
    "retired_pages/pending_retirement": "retired pending page blacklist",
    "double_bit_retirement/retired_count": "retired double bit ecc",
    "multiple_single_bit_retirement/retired_count": "retired single bit ecc",
}
# volatile/dram_uncorrectable      aggregate/sram_uncorrectable_parity      volatile/double_bit/total
ECC = re.compile(r"\b(volatile|aggregate)/(\w{1,40}(?:/\w{1,40})?)$")
REASON = re.compile(r"\bclocks_(?:throttle|event)_reasons/clocks_(?:throttle|event)_reason_(\w{1,60})$")
FABRIC = re.compile(r"\bfabric/(state|status)$")
_DEPTH = 30  # elements; the query has seven


class Refused(Exception):
    """The document declares entities, or nests without end."""


class Query:
    """One document while it is read, line by line."""

    def __init__(self, text: Text) -> None:
        self.text = text
        self.line = Line(0, "", "")
        self.stamp: Stamp | None = None
        self.card: Card | None = None
        self.found: list[Evidence] = []
        self._path: list[str] = []
        self._said = ""
        self._expat = expat.ParserCreate()
        self._expat.StartElementHandler = self._start
        self._expat.EndElementHandler = self._end
        self._expat.CharacterDataHandler = self._hear
        self._expat.EntityDeclHandler = self._refuse

    def feed(self, line: Line) -> bool:
        """Read a line; False when the document is broken here, or refused."""
        self.line = line
        try:
            self._expat.Parse(line.text + "\n", False)
        except (expat.ExpatError, Refused):
            return False
        return True

    def facts(self) -> Iterator[Evidence]:
        """What the document said so far."""
        self._close()
        yield from self.found

    def _refuse(self, *_: object) -> None:
        raise Refused

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        if len(self._path) >= _DEPTH:
            raise Refused
        self._path.append(tag)
        self._said = ""
        if tag == "gpu" and self.card is None:
            self.card = Card(pci_address(attributes.get("id", "")), self.line)

    def _hear(self, said: str) -> None:
        self._said = (self._said + said)[:500]

    def _end(self, tag: str) -> None:
        path, said = "/".join(self._path), self._said.strip()
        self._path.pop()
        self._said = ""
        if tag == "timestamp" and self.card is None:
            self.stamp = stamp_of(said)
        elif tag == "gpu":
            self._close()
        elif self.card:
            self._note(self.card, tag, path, said)

    def _close(self) -> None:
        if self.card:
            self.found += told(self.text, self.card, self.stamp)
        self.card = None

    def _note(self, card: Card, tag: str, path: str, said: str) -> None:
        end = "/".join(path.split("/")[-2:])
        if reason := REASON.search(path):
            name = throttle_name(reason[1])
            if said in ("Active", "Not Active"):
                card.note_reason(name, said == "Active", self.line)
            if said == "Active":
                self.found.append(throttle(self.text, self.line, card, name, self.stamp))
        elif key := STATUS.get(end):
            card.note_value(key, said)
        elif key := COUNTS.get(end):
            card.note_count(key, said, self.line)
        elif ecc := ECC.search(path):
            card.note_count(f"{ecc[1]} {ecc[2].replace('/', ' ').replace('_', ' ')}", said, self.line)
        elif fabric := FABRIC.search(path):
            card.note_fabric(fabric[1].capitalize(), said, self.line)
        elif tag in ("product_name", "uuid"):
            card.name, card.uuid = (said, card.uuid) if tag == "product_name" else (card.name, said)
        elif tag == "minor_number" and len(said) < 5 and (index := whole_number(said)) is not None:
            card.index = index
        else:
            _note_holder(card, tag, said, self.line)


def _note_holder(card: Card, tag: str, said: str, line: Line) -> None:
    if tag == "pid" and len(said) < 11 and (pid := whole_number(said)) is not None:
        card.holders.append(Holder(line, pid))
    elif tag == "process_name" and card.holders:
        card.holders[-1].name = said
    elif tag == "used_memory" and card.holders and (found := re.match(r"\d{1,9}", said)):
        card.holders[-1].memory_mib = float(found[0])
    elif tag == "processes" and not card.holders:
        card.unheld = line


def read(text: Text) -> Iterator[Evidence]:
    query: Query | None = None
    for line in text.lines():
        if line.text.lstrip().startswith(("<?xml", "<nvidia_smi_log")) and (query is None or "<?xml" in line.text[:40]):
            if query:
                yield from query.facts()
            query = Query(text)
        if query and not query.feed(line):
            yield from query.facts()
            query = None
    if query:
        yield from query.facts()


PARSER = Parser(
    tool="nvidia-smi -q -x", medium="gpu", footprint=r"<nvidia_smi_log>|<!DOCTYPE nvidia_smi_log\b", read=read
)
