"""NCCL or its plugin could not set up its network: no interface or protocol that works, or a queue pair refused.

No socket interface found, a socket that cannot be made, no usable protocol (OFI, UCX), a plugin that does not load, or ibv_modify_qp and its like that
fail (a wrong GID index, MTU or traffic class, or a peer's port that is not there).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..incident import Incident
from . import Finding, Symptom
from ._reports import findings, said, words_of

WORDS = re.compile(
    r"no (?:socket )?interface found|Socket creation failed|No usable listening interface|Unable to find a protocol that worked"
    r"|Call to ibv_(?:modify_qp|create_qp|reg_mr|open_device)\w* failed|ibv_modify_qp failed|No usable (?:GID|transports)"
    r"|Failed to initialize (?:any )?NET plugin|NET/OFI .{0,80}(?:fail|Unable)|(?:UCX|ucx).{0,60}(?:no usable|not reachable)"
    r"|Unable to find (?:address|interface) for|MTU mismatch"
    r"|\(openib\) BTL failed to initialize|error initializing an OpenFabrics device|memlock limits are set too low|is neither AF_INET\(2\) nor AF_INET6"
    r"|Unable to find a set of common .{0,20}communication interfaces"
    r"|network device '[^']{1,40}' is not available|no (?:active messages|remote registered memory access|auxiliary) transport to",
    re.I,
)


def rule(incident: Incident) -> Iterator[Finding]:
    yield from findings(incident, [(fact, words_of(fact)) for fact in said(incident, WORDS)])


SYMPTOM = Symptom(
    title="the communication library could not set up its network",
    rule=rule,
    leak=0.002,
    because="a job whose network is set up rightly does so at every start",
    command="NCCL_DEBUG=INFO torchrun ... 2>&1 | grep -E 'NET/|ibv|OFI'; show_gids; ip -br link",
    cost_minutes=5,
    may_pass=True,
)
