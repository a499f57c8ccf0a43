"""The driver says that a processor inside the GPU does not answer or has halted.

Xid 119 and 120 (GSP, the system processor that initialises and manages the device), 38, 61 and 62 (the power-management
controller and its like), 122 and 123, or the driver's own time-out of a remote call, or of a processor that starts the
card (FSP, SEC2). ABSENT where a kernel log long enough to speak is silent.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..incident import Incident
from ._reports import gpu_reports
from ._symptom import Finding, Symptom

CODES = (38, 61, 62, 119, 120, 122, 123)
WORDS = re.compile(r"Timeout waiting for RPC from GSP|GSP (?:RM|task|firmware) (?:error|timeout|crash)", re.I)


def rule(incident: Incident) -> Iterator[Finding]:
    yield from gpu_reports(incident, codes=CODES, driver=("rpc-timeout",), words=WORDS)


SYMPTOM = Symptom(
    title="a processor inside the GPU does not answer",
    rule=rule,
    leak=0.001,
    because="the driver waits for seconds before it says so",
    tells_apart=("host", "pci"),
    command="sudo dmesg -T | grep -E 'Xid.*(119|120|62)|GSP'",
)
