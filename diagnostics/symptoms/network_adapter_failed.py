"""A network adapter reports a failure of its own: its firmware halted, its memory is bad, its cable is refused, it left the bus
(`lspci` reads all ones), or its firmware says why its link is bad (`mlxlink`)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Severity
from ..evidence.kernel import NetworkDeviceTrouble
from ..incident import Incident
from . import Finding, Symptom
from ._reports import findings

WORDS = re.compile(
    r"health compromised|handling bad device|fatal error|synd(?:rome)? 0x[1-9a-f]|device is in error|PCI slot is unavailable"
    r"|Cable error|unsupported cable|Adapter removed|PCIe link lost|Tx Unit Hang|firmware (?:fatal|error)"
    r"|Hardware Error|ECC Err|Unrecoverable Error detected|[Pp]arity errors?\b|(?:MC|Driver) assert|\(rev ff\)|^mlxlink: ",
    re.I,
)


def rule(incident: Incident) -> Iterator[Finding]:
    troubles = (fact for fact in incident.of(NetworkDeviceTrouble) if fact.severity is not Severity.INFO)
    yield from findings(incident, [(fact, fact.text) for fact in troubles if WORDS.search(fact.text)])


SYMPTOM = Symptom(
    title="a network adapter reports its own failure",
    rule=rule,
    leak=0.001,
    because="an adapter that is reset on purpose says so in other words",
    tells_apart=("host",),
    command="sudo dmesg -T | grep -iE 'mlx5_core|bnxt|ixgbe|i40e|irdma'",
)
