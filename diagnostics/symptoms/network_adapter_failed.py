"""A network adapter reports a failure of its own: its firmware halted, its memory is bad, its cable is refused, it left
the bus (`lspci` reads all ones), its firmware says why its link is bad (`mlxlink`), or its driver finds that it takes
packets and sends none. The last says nothing of the adapter where the kernel reports a stuck processor, which sends
none either.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Severity
from ..evidence.kernel import HardLockup, NetworkDeviceTrouble, RcuStall, SoftLockup
from ..incident import Incident
from ._reports import findings
from ._symptom import Finding, Symptom

WORDS = re.compile(
    "health compromised|handling bad device|fatal error|synd(?:rome)? 0x[1-9a-f]|device is in error"
    "|PCI slot is unavailable"
    r"|Cable error|unsupported cable|Adapter removed|PCIe link lost|firmware (?:fatal|error)"
    r"|Hardware Error|ECC Err|Unrecoverable Error detected|[Pp]arity errors?\b|(?:MC|Driver) assert|\(rev ff\)"
    "|^mlxlink: ",
    re.I,
)
# igb 0000:02:00.1 enp2s0f1: Detected Tx Unit Hang
SENDS_NOTHING = re.compile(
    r"Unit Hang|[Tt]x [Hh]ang (?:\d{1,4} )?detected|Hung TX queue|tx_timeout recovery level|Reset adapter unexpectedly"
    r"|initiating reset due to tx timeout|rtl_txhang_cond|TX timeout (?:detected|on queue)|Keep alive watchdog timeout"
)


def rule(incident: Incident) -> Iterator[Finding]:
    troubles = (fact for fact in incident.of(NetworkDeviceTrouble) if fact.severity is not Severity.INFO)
    stuck = bool(incident.of(SoftLockup, HardLockup, RcuStall))
    said = [
        (fact, fact.text)
        for fact in troubles
        if WORDS.search(fact.text) or (not stuck and SENDS_NOTHING.search(fact.text))
    ]
    yield from findings(incident, said)


SYMPTOM = Symptom(
    title="a network adapter reports its own failure",
    rule=rule,
    leak=0.001,
    because="an adapter that is reset on purpose says so in other words",
    tells_apart=("host",),
    command="sudo dmesg -T | grep -iE 'mlx5_core|bnxt|ixgbe|i40e|irdma'",
)
