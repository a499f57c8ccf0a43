"""A network port that the job itself names is down.

Servers have ports that are down all their lives; one that the job's own log speaks of (NCCL's list of devices, its
complaint, a setting) was meant to carry traffic. So was one of whose error NCCL was told, or of which another
library says that it went down. And so is the port of an accelerator: it carries nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from ..evidence import Evidence
from ..evidence.collective import NcclMessage
from ..evidence.job import SettingSeen
from ..evidence.network import PortState
from ..incident import Incident
from ._network import is_down
from ._registry import findings_of
from ._reports import said, words_of
from ._symptom import Finding, Symptom

# NET/IB : mlx5_3:1 Got async event : port error
LOST = re.compile(r"\b(?P<port>[a-z]\w{1,20}):\d{1,2} Got (?:non-fatal )?async(?:hronous)? event ?: ?port error", re.I)

# Action: mlx5_bond_4 down     device bnxt_re0:1 went down
SAID_DOWN = re.compile(
    r"\b(?P<port>mlx\d(?:_bond)?_\d{1,3}|(?:bnxt_re|irdma|hns_|erdma_)\d{1,3})(?::\d{1,2})?,? (?:port )?"
    r"(?:(?:is|went|has gone|link) )?down\b",
    re.I,
)

# EJ0002: [PID: 40079] 2025-06-30-07:12:19.118.402 The network port is down.     (Ascend's runtime)
SAYS_SO = re.compile(r"\bEJ0002\b.{0,120}network port is down", re.I)
OF_ACCELERATOR = "npu"  # its port carries collectives and nothing else


def rule(incident: Incident) -> Iterator[Finding]:
    for message in incident.of(NcclMessage):
        if lost := LOST.search(message.text):
            subject = replace(message.subject, interface=lost["port"])
            yield Finding(subject, (message,), f"NCCL was told that its port {lost['port']} is in error")
    for fact in said(incident, SAID_DOWN):
        if lost := SAID_DOWN.search(words_of(fact)):
            subject = replace(fact.subject, interface=lost["port"])
            yield Finding(subject, (fact,), f"the job says that {lost['port']} went down")
    for port in incident.of(PortState):
        if port.fabric == OF_ACCELERATOR and port.state == "down":
            yield is_down(port)
    for fact in said(incident, SAYS_SO):
        yield Finding(fact.subject, (fact,), words_of(fact)[:160])
    down = [finding for finding in findings_of(incident, "link-down") if finding.present and finding.subject.interface]
    down += [is_down(port) for port in incident.of(PortState) if port.disabled and port.state == "down"]
    if not down:
        return
    spoken = [*incident.of(NcclMessage), *said(incident, re.compile("")), *incident.of(SettingSeen)]
    for finding in down:
        name = re.compile(rf"\b{re.escape(finding.subject.interface or '')}\b")
        naming = next((fact for fact in spoken if name.search(_words(fact))), None)
        if naming is not None:
            yield Finding(finding.subject, (*finding.evidence, naming), f"{finding.note}, and the job speaks of it")


def _words(fact: Evidence) -> str:
    return fact.value if isinstance(fact, SettingSeen) else words_of(fact)


SYMPTOM = Symptom(
    title="a port that the job uses is down",
    rule=rule,
    leak=0.001,
    because="a job that names a port was set up when that port worked",
    tells_apart=("host", "interface"),
    command="ibstat; ip -br link; NCCL_DEBUG=INFO torchrun ... 2>&1 | grep NET/",
)
