"""Intel's kernel drivers for GPUs, xe and i915: engines whose reset failed, devices that are given up.

    xe 0000:09:00.0: [drm] *ERROR* GT0: GuC engine reset request failed on 0:0 because 0x0
    xe 0000:09:00.0: [drm] *ERROR* device wedged, all IOCTLs return -ECANCELED
    i915 0000:33:00.0: [drm] *ERROR* GT0: GUC: Engine reset request failed on 0:0 (rcs0) because 0x0

What is skipped: an engine that was reset and goes on, which is how a program that does not end is stopped.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence.kernel import GpuDriverMessage
from ..text import Text
from . import Parser
from ._table import CRITICAL, FATAL, Row, Table

_DEVICE = r"\b(?:xe|i915) (?P<pci>[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2})\.[0-7]: "
TABLE = Table(
    # xe 0000:09:00.0: [drm] *ERROR* CRITICAL: Xe has declared device 0000:09:00.0 as wedged.
    Row(rf"{_DEVICE}.{{0,40}}(?:device wedged, all IOCTLs|Xe has declared device \S{{1,20}} as wedged)",
        "queues", FATAL),
    # GT0: GuC engine reset request failed on 0:0 because 0x0      GT0: GUC: Engine reset request failed on 0:0 (rcs0)
    Row(rf"{_DEVICE}.{{0,60}}[Ee]ngine reset request failed", "queues", CRITICAL),
    Row(rf"{_DEVICE}.{{0,40}}(?:Resetting chip for GuC failed to reset|Failed to reset chip|GPU recovery timed out)",
        "queues", CRITICAL),
)  # fmt: skip


def read(text: Text) -> Iterator[GpuDriverMessage]:
    for hit in TABLE.hits(text):
        yield GpuDriverMessage(
            source=hit.log.source(hit.line),
            subject=hit.subject,
            stamp=hit.message.stamp,
            severity=hit.row.severity,
            about=hit.row.about,
            text=hit.message.message[:500],
        )


PARSER = Parser(tool="xe and i915", medium="kernel-log", footprint=TABLE.footprint, read=read)
