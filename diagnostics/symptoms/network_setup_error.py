"""NCCL or its plugin could not set up its network: no interface or protocol that works, or a queue pair refused.

No socket interface found, a socket that cannot be made (that its port is taken is another symptom), no usable protocol
(OFI, UCX), a plugin that does not load, or ibv_modify_qp and its like that
fail (a wrong GID index, MTU or traffic class, or a peer's port that is not there). Verbs that were refused memory count
where locked memory is seen to be limited, or the library itself says that it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence.job import SettingSeen
from ..evidence.process import ResourceLimit
from ..incident import Incident
from ._network import IN_USE, NO_ADDRESS_LEFT
from ._reports import findings, said, words_of
from ._symptom import Finding, Symptom

WORDS = re.compile(
    "no (?:socket )?interface found|Socket creation failed|No usable listening interface"
    "|Unable to find a protocol that worked"
    r"|Call to ibv_(?:modify_qp|create_qp|reg_mr|open_device)\w* failed|ibv_modify_qp failed"
    "|No usable (?:GID|transports)"
    "|Failed to initialize (?:any )?NET plugin|NET/OFI .{0,80}(?:fail|Unable)"
    "|(?:UCX|ucx).{0,60}(?:no usable|not reachable)"
    r"|Unable to find (?:address|interface) for|MTU mismatch"
    r"|\(openib\) BTL failed to initialize|error initializing an OpenFabrics device|memlock limits are set too low"
    r"|(?:Failed|unable) to (?:modify|transition|move) (?:the )?(?:QP|queue pair)\b.{0,12}\bto (?:INIT|RTR|RTS)\b"
    r"(?!.{0,40}timed out)"
    r"|is neither AF_INET\(2\) nor AF_INET6"
    r"|Unable to find a set of common .{0,20}communication interfaces"
    r"|server socket has failed to listen on any local network address"
    "|network device '[^']{1,40}' is not available"
    "|no (?:active messages|remote registered memory access|auxiliary) transport to",
    re.I,
)
# ibv_create_cq(cqe=4096) failed: Cannot allocate memory      Call to ibv_reg_mr failed with error Cannot allocate
# memory
REFUSED = re.compile(
    r"\b(?:ibv_(?:create_(?:cq|qp|srq|comp_channel|ah)|reg_mr|alloc_pd|open_device)\w{0,20}|mlx5dv_\w{1,40}"
    r"|fi_mr_reg\w{0,10})\b.{0,160}(?:Cannot allocate memory|ENOMEM|errno[ =:]{1,3}12\b)"
    # Open MPI tells the errno some lines below, in a text of its own
    r"|Failed to create a completion queue \(CQ\)"
)
# Gloo meets its peers at the addresses that they gave, and where none answers there it has no errno to tell
OF_GLOO = re.compile(r"Gloo connectFullMesh failed with \[.{1,200}\] no error")
LIMITED = re.compile(
    r"RLIMIT_MEMLOCK is \d{1,9} bytes|[Pp]lease set max locked memory|memlock.{0,20} too (?:low|small)", re.I
)
LOCKED = ("max locked memory", "locked memory")


def rule(incident: Incident) -> Iterator[Finding]:
    tight = [limit for limit in incident.of(ResourceLimit) if limit.resource in LOCKED and limit.soft is not None]
    for fact in said(incident, REFUSED) if tight else ():
        yield Finding(fact.subject, (fact, tight[0]), words_of(fact)[:200])
    facts = {id(fact): fact for pattern in (WORDS, LIMITED) for fact in said(incident, pattern)}
    if not _names_are_known(incident):
        facts |= {id(fact): fact for fact in said(incident, OF_GLOO)}
    said_of = [(fact, words_of(fact)) for fact in facts.values()]
    if any(said(incident, IN_USE)):
        said_of = [(fact, words) for fact, words in said_of if not NO_ADDRESS_LEFT.search(words)]
    yield from findings(incident, said_of)


def _names_are_known(incident: Incident) -> bool:
    """True where a list of names was read, and gives none of the hosts an address of loopback."""
    names = [each for each in incident.of(SettingSeen) if each.name.startswith("address of ")]
    names = [each for each in names if not each.name.endswith("localhost")]
    return bool(names) and not any(each.value.startswith(("127.", "::1")) for each in names)


SYMPTOM = Symptom(
    title="the communication library could not set up its network",
    rule=rule,
    leak=0.002,
    because="a job whose network is set up rightly does so at every start",
    command="NCCL_DEBUG=INFO torchrun ... 2>&1 | grep -E 'NET/|ibv|OFI'; show_gids; ip -br link",
    cost_minutes=5,
    may_pass=True,
)
