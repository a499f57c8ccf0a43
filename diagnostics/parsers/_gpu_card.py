"""What the full query of nvidia-smi says of one GPU, as text (-q) or as XML (-q -x), while it is read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from ..evidence import Evidence, Severity, Stamp, Subject
from ..evidence.gpu import (
    GpuErrorCounts,
    GpuNotThrottled,
    GpuProcess,
    GpuProcessesNone,
    GpuStatus,
    GpuThrottle,
    GpuToolError,
)
from ..text import Line, Text, whole_number
from ._numbers import leading_number
from ._snapshot import source

# harmless by themselves: nothing to do, or a limit that somebody set
NORMAL = frozenset(
    "Idle|GPU Idle|Applications Clocks Setting|SW Power Cap|Sync Boost|Display Clock Setting|Display Clocks "
    "Setting".split("|")
)
BUSY_PERCENT = 80.0  # an idle GPU has no clocks to hold down
HELD_BY = re.compile(r"hw.?slowdown|thermal", re.I)
# a GPU that has no NVSwitches beside it has no fabric to join
_WITHOUT_FABRIC = ("N/A", "Not Supported", "")


@dataclass
class Holder:
    """One entry of a GPU's list of processes."""

    line: Line
    pid: int
    name: str = ""
    memory_mib: float | None = None


@dataclass
class Card:
    """One GPU's section."""

    pci: str | None = None
    line: Line | None = None
    counts: dict[str, int] = field(default_factory=dict)
    worst: Line | None = None
    first: Line | None = None
    values: dict[str, float] = field(default_factory=dict)
    name: str = ""
    uuid: str | None = None
    index: int | None = None
    holders: list[Holder] = field(default_factory=list)
    unheld: Line | None = None
    fabric: dict[str, str] = field(default_factory=dict)  # "State" and "Status" of joining the NVSwitches' fabric
    fabric_line: Line | None = None
    reasons: dict[str, bool] = field(default_factory=dict)  # for lower clocks, and whether each is active
    reasons_line: Line | None = None

    def note_reason(self, name: str, active: bool, line: Line) -> None:
        """Keep whether a reason for lower clocks is active."""
        self.reasons[name] = active
        self.reasons_line = self.reasons_line or line

    @property
    def is_free(self) -> bool:
        """True where the GPU is busy, and neither heat nor power holds its clocks down."""
        held = any(active for name, active in self.reasons.items() if name not in NORMAL)
        asked = any(HELD_BY.search(name) for name in self.reasons)
        return asked and not held and self.values.get("utilisation_percent", 0.0) >= BUSY_PERCENT

    def note_value(self, key: str, value: str) -> None:
        """Keep the first number of a quantity."""
        if (number := leading_number(value)) is not None:
            self.values.setdefault(key, number)

    def note_count(self, key: str, value: str, line: Line) -> None:
        """Keep a counter; `Yes` counts as one."""
        count = {"Yes": 1, "No": 0}.get(value, whole_number(value))
        if count is None:
            return
        self.first = self.first or line
        self.counts[key] = count
        if count and is_bad(key) and self.worst is None:
            self.worst = line

    def note_fabric(self, name: str, value: str, line: Line) -> None:
        """Keep how far the GPU has joined its fabric."""
        self.fabric[name] = value
        self.fabric_line = self.fabric_line or line

    @property
    def unjoined(self) -> str | None:
        """What is said of a fabric that the GPU has not joined, or that has refused it; CUDA does not start on it
        then.
        """
        state, status = self.fabric.get("State", ""), self.fabric.get("Status", "")
        if state in _WITHOUT_FABRIC or (state == "Completed" and status in ("Success", *_WITHOUT_FABRIC)):
            return None
        return f"Fabric State: {state}, Status: {status}"


def is_bad(counter_: str) -> bool:
    """True for what is not repaired by itself: uncorrectable errors, and repairs that failed or wait for a reset."""
    return any(
        word in counter_ for word in ("uncorrectable", "double bit", "pending", "failure", "unrepairable", "threshold")
    )


def told(text: Text, card: Card, stamp: Stamp | None) -> Iterator[Evidence]:
    subject = Subject(pci=card.pci, gpu=card.index)
    if card.first:
        yield GpuErrorCounts(
            source=source(text, card.worst or card.first),
            subject=subject,
            stamp=stamp,
            severity=Severity.CRITICAL if card.worst else Severity.INFO,
            counts=dict(card.counts),
        )
    if card.line and (card.values or card.name):
        yield GpuStatus(
            source=source(text, card.line),
            subject=subject,
            stamp=stamp,
            name=card.name,
            uuid=card.uuid,
            **card.values,  # type: ignore[arg-type]
        )
    if card.reasons_line and card.is_free:
        yield GpuNotThrottled(source=source(text, card.reasons_line), subject=subject, stamp=stamp)
    if card.fabric_line and (text_ := card.unjoined):
        yield GpuToolError(
            source=source(text, card.fabric_line),
            subject=subject,
            stamp=stamp,
            severity=Severity.CRITICAL,
            about="other" if card.fabric.get("State") == "Completed" else "not-ready",
            text=text_,
        )
    if card.unheld:
        yield GpuProcessesNone(source=source(text, card.unheld), subject=subject, stamp=stamp)
    for holder in card.holders:
        yield GpuProcess(
            source=source(text, holder.line),
            subject=Subject(pid=holder.pid, pci=card.pci, gpu=card.index),
            stamp=stamp,
            name=holder.name,
            memory_mib=holder.memory_mib,
        )


def throttle(text: Text, line: Line, card: Card, reason: str, stamp: Stamp | None) -> GpuThrottle:
    return GpuThrottle(
        source=source(text, line),
        subject=Subject(pci=card.pci, gpu=card.index),
        stamp=stamp,
        severity=Severity.INFO if reason in NORMAL else Severity.WARNING,
        reason=reason,
    )
