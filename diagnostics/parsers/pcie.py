"""PCI Express errors: AER, DPC, hot-plug.

    pcieport 0000:3a:00.0: AER: Uncorrected (Fatal) error received: 0000:3b:00.0
    nvidia 0000:3b:00.0: PCIe Bus Error: severity=Corrected, type=Physical Layer, (Receiver ID)
    pcieport 0000:3a:00.0: DPC: containment event, status:0x1f01 source:0x0000
    pcieport 0000:3a:00.0: pciehp: Slot(4): Link Down
    {3}[Hardware Error]:   section_type: PCIe error

A corrected error lost nothing: it is info, however often; the rule that counts them judges.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.kernel import PcieError
from ..text import Text
from . import Parser
from ._table import CRITICAL, FATAL, INFO, Hit, Row, Table

_AT = r"(?P<pci>[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])"
TABLE = Table(
    Row(rf"{_AT}: PCIe Bus Error: severity=Corrected", "corrected", INFO),
    Row(rf"{_AT}: PCIe Bus Error: severity=Uncorrect(?:ed|able) \(Non-Fatal\)", "non-fatal", CRITICAL),
    Row(rf"{_AT}: PCIe Bus Error: severity=Uncorrect(?:ed|able) \(Fatal\)", "fatal", FATAL),
    Row(rf"{_AT}: AER: (?:Multiple )?Correct(?:ed|able) error (?:message )?received", "corrected", INFO),
    Row(rf"{_AT}: AER: (?:Multiple )?Uncorrect(?:ed|able) \(Non-Fatal\) error (?:message )?received",
        "non-fatal", CRITICAL),
    Row(rf"{_AT}: AER: (?:Multiple )?Uncorrect(?:ed|able) \(Fatal\) error (?:message )?received", "fatal", FATAL),
    Row(rf"{_AT}: AER: (?:[Dd]evice recovery failed|can't recover)", "fatal", FATAL),
    # before kernel 5.4; printed while an uncorrected error of the device or of its port is handled
    Row(rf"(?:nvidia|amdgpu|nouveau) {_AT}: device has no AER-aware driver", "fatal", FATAL),
    Row(r"\[Hardware Error\]: .{0,20}section_type: PCIe error", "firmware"),
    Row(rf"{_AT}: DPC: (?:containment event|unmasked uncorrectable|ERR_FATAL|ERR_NONFATAL)", "fatal", FATAL),
    Row(rf"{_AT}: pciehp: Slot\([\w-]{{1,20}}\): (?:Link Down|Card not present)", "link-down", CRITICAL),
    Row(f"{_AT}: (?:Unable to change power state from D3cold to D0, device inaccessible"
        rf"|not ready \d+ms after .{{1,40}}; giving up)", "link-down", FATAL),
    Row(rf"{_AT}: .{{0,40}}(?:PCIe link lost|device lost from bus|config space .{{0,20}}inaccessible)",
        "link-down", FATAL),
)  # fmt: skip
# pcieport 0000:3a:00.0: AER: Corrected error received: 0000:3b:00.0   (the port speaks; the address at the end is
# meant)
_MEANT = re.compile(r"received: (?:id=[0-9a-f]{4}$)?([0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])")


# {3}[Hardware Error]:   device_id: 0000:5e:00.0
_OF = re.compile(r"\[Hardware Error\]:\s{1,8}device_id: ([0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])")
_TYPE = re.compile(r"\[Hardware Error\]: .{0,20}(?:type|severity): (corrected|recoverable|fatal)")
_LEVELS = {"corrected": ("corrected", INFO), "recoverable": ("non-fatal", CRITICAL), "fatal": ("fatal", FATAL)}


def read(text: Text) -> Iterator[PcieError]:
    for hit in TABLE.hits(text):
        if hit.row.about == "firmware":
            yield from _of_firmware(hit)
            continue
        meant = _MEANT.search(hit.message.message)
        yield PcieError(
            source=hit.log.source(hit.line),
            subject=Subject(host=hit.message.host, pci=_device(meant[1] if meant else hit.match["pci"])),
            stamp=hit.message.stamp,
            severity=hit.row.severity,
            level=hit.row.about,
            text=hit.message.message[:500],
        )


def _of_firmware(hit: Hit) -> Iterator[PcieError]:
    """A report that the firmware made (APEI): its severity stands above the section, the device below."""
    around = hit.log.text
    device = next((found[1] for line in around.after(hit.line, limit=12) if (found := _OF.search(line.text))), None)
    types = [found[1] for line in around.before(hit.line, limit=3) if (found := _TYPE.search(line.text))]
    if device and types:
        level, severity = _LEVELS[types[-1]]
        yield PcieError(
            source=hit.log.source(hit.line),
            subject=Subject(host=hit.message.host, pci=_device(device)),
            stamp=hit.message.stamp,
            severity=severity,
            level=level,
            text=f"{hit.message.message[:200]} of {device}",
        )


def _device(address: str) -> str:
    """Without the function, as a GPU's own reports write it."""
    return address.rpartition(".")[0]


PARSER = Parser(
    tool="the kernel's PCI Express error reporting", medium="kernel-log", footprint=TABLE.footprint, read=read
)
