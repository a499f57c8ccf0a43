"""`nvidia-smi -q`, whole or by -d ECC, ROW_REMAPPER, PERFORMANCE, old and new names.

    GPU 00000000:52:00.0
        ECC Errors
            Volatile
                DRAM Uncorrectable            : 1
        Remapped Rows
            Pending                           : Yes
        Clocks Throttle Reasons
            HW Power Brake Slowdown           : Active
        Fabric
            State                             : In Progress

Indentation is the structure. Error counts of one GPU are one fact, quoted at the worst of its lines; an active
reason is one each. Before driver 530 the reasons were called "Clocks Throttle Reasons". An excerpt without the
GPU's heading belongs to a GPU that is not known.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Evidence, Stamp
from ..text import Line, Text, whole_number
from . import Parser
from ._gpu_card import Card, Holder, throttle, told
from ._pci import pci_address
from ._snapshot import stamp_of

# GPU 00000000:52:00.0
GPU = re.compile(r"^GPU ([0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.\d)\s*$")
#         DRAM Uncorrectable            : 1
ROW = re.compile(r"^( *)(\S[^:]{0,60}?) *(?:: (.*))?$")
REASONS = re.compile(r"^Clocks (?:Throttle|Event) Reasons$")
# reasons that no other section has: they tell themselves where a filter took the heading
REASON = re.compile(r"^(?:HW (?:Thermal |Power Brake )?|SW Thermal )Slowdown$")
COUNTED = re.compile(
    "Correctable|Uncorrectable|Single Bit|Double Bit|Parity|SEC-DED|Total|Pending|Failure|Error|Threshold|Repair"
    "|Unrepairable|Retirement"
)
STATUS = {
    ("Utilization", "Gpu"): "utilisation_percent",
    ("FB Memory Usage", "Used"): "memory_used_mib",
    ("FB Memory Usage", "Total"): "memory_total_mib",
    ("Temperature", "GPU Current Temp"): "temperature_c",
    ("Power Readings", "Power Draw"): "power_w",
    ("GPU Power Readings", "Power Draw"): "power_w",
    ("GPU Power Readings", "Average Power Draw"): "power_w",
    ("Power Readings", "Power Limit"): "power_limit_w",
    ("GPU Power Readings", "Current Power Limit"): "power_limit_w",
    ("Clocks", "SM"): "sm_clock_mhz",
}


def read(text: Text) -> Iterator[Evidence]:
    stamp: Stamp | None = None
    card = Card()
    path: list[tuple[int, str]] = []
    for line in text.lines():
        row = line.text[:300].rstrip()
        if found := GPU.match(row):
            yield from told(text, card, stamp)
            card, path = Card(pci_address(found[1]), line), []
        elif row.startswith("Timestamp"):
            stamp = stamp_of(row.partition(": ")[2])
        elif found := ROW.match(row):
            depth, name, value = len(found[1]), found[2], found[3]
            while path and path[-1][0] >= depth:
                path.pop()
            sections = [section for _, section in path]
            if value is None:
                path.append((depth, name))
            else:
                if reason := note(card, line, sections, name, value.strip()):
                    yield throttle(text, line, card, reason, stamp)
                path.append((depth, name))
    yield from told(text, card, stamp)


def note(card: Card, line: Line, sections: list[str], name: str, value: str) -> str | None:
    """Write down a value; gives back the throttle reason that it shows to be active."""
    if any(REASONS.match(section) for section in sections) or REASON.match(name):
        if value in ("Active", "Not Active"):
            card.note_reason(name, value == "Active", line)
        return name if value == "Active" else None
    if name == "Processes" or "Processes" in sections:
        note_holder(card, line, name, value)
    elif name == "Product Name":
        card.name = value
    elif name == "GPU UUID":
        card.uuid = value
    elif name == "Minor Number" and (index := whole_number(value)) is not None:
        card.index = index  # the number in /dev/nvidiaN, which is nvidia-smi's index as a rule
    elif sections[-1:] == ["Fabric"] and name in ("State", "Status"):
        card.note_fabric(name, value, line)
    elif key := STATUS.get((sections[-1] if sections else "", name)):
        card.note_value(key, value)
    elif key := counter(sections, name):
        card.note_count(key, value, line)
    return None


def note_holder(card: Card, line: Line, name: str, value: str) -> None:
    """A line of the list of processes."""
    if name == "Processes" and value == "None":
        card.unheld = line
    elif name == "Process ID" and (pid := whole_number(value)) is not None:
        card.holders.append(Holder(line, pid))
    elif card.holders and name == "Name":
        card.holders[-1].name = value
    elif card.holders and name == "Used GPU Memory" and (found := re.match(r"\d{1,9}", value)):
        card.holders[-1].memory_mib = float(found[0])


def counter(sections: list[str], name: str) -> str | None:
    """A counter's name with its section: "volatile dram uncorrectable", "remapped pending"."""
    if not COUNTED.search(name):
        return None
    if "Remapped Rows" in sections and "Bank Remap Availability Histogram" not in sections:
        return f"remapped {name.lower()}"
    if "Retired Pages" in sections:
        return (
            f"retired {' '.join([*(s.lower() for s in sections[sections.index('Retired Pages') + 1 :]), name.lower()])}"
        )
    if "ECC Errors" in sections:
        return " ".join(word.lower() for word in [*sections[sections.index("ECC Errors") + 1 :], name])
    return None


PARSER = Parser(
    tool="nvidia-smi -q",
    medium="gpu",
    footprint=(
        r"^[ \t]*(ECC Errors|Remapped Rows|Clocks (Throttle|Event) Reasons|FB Memory Usage|Retired Pages|Fabric"
        r"|Processes)[ \t]*\r?$"
        r"|^[ \t]*(HW (Thermal |Power Brake )?|SW Thermal )Slowdown *: (Not )?Active[ \t]*\r?$"
        r"|^GPU [0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.\d[ \t]*\r?$"
    ),
    read=read,
)
