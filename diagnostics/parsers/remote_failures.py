"""A rank says that somebody else is gone or cannot be reached: gloo, NCCL, TCPStore, sockets, name resolution.

    RuntimeError: [...gloo/transport/tcp/pair.cc:553] Connection closed by peer [127.0.0.1]:4765. This is typically ...
    n1:63025:66048 [0] misc/socket.cc:49 NCCL WARN socketProgress: Connection closed by remote peer n1-ib<51159>
    torch.distributed.DistNetworkError: The client socket has timed out after 60000ms while trying to connect to (10.0.0.4, 29500).
    NET/OFI Request 0x7f02a45b11c0 completed with error. RC: 113. Error: 2 (UNDELIVERABLE). Completed length: 0

The writer is usually the victim. Only lines of a distributed job are read: a tool that cannot reach a web site is none.
"""  # noqa: E501

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Evidence, Severity
from ..evidence.collective import RemoteFailure
from ..text import Text
from . import Parser
from ._job_lines import Words, messages

# a line counts when it speaks of the machinery between ranks
BETWEEN_RANKS = re.compile(
    r"(?i)gloo|nccl|rccl|tcpstore|c10d|\brank ?\d|dist(?:network|store|backend)?error|process ?group|socket|store\b"
    r"|rendezvous|mpi\b|\bmca_|btl_tcp|oob_tcp|connect to all addresses|coordination service|\b(?:ORTE|PRTE)\b|ucx"
    r"|libfabric|net/ofi|\bpeer\b|master_addr|horovod|\bray\b|rpc"
)
NAMED_PEER = r"(?P<peer>\[?[\w.:-]{2,80}\]?(?::\d{1,5}|<\d{1,6}>)?)"
PATTERNS = (
    ("peer-closed", re.compile(f"(?i)connection closed by (?:remote )?peer,? ?{NAMED_PEER}?"
        r"|connection reset by peer|\bbroken pipe\b|closed by localrank \d|remote process exited"
        f"|peer (?:closed|gone|lost|disconnected)|recv, 0 bytes|EOF from peer|socket .{0,40}closed")),
    ("aborted", re.compile("(?i)NCCL communicator was aborted|ncclRemoteError|ncclSystemError.{0,80}remote"
        "|remote process has terminated|Process group .{0,60}aborted|collective .{0,40}aborted")),
    ("wrong-peer", re.compile(r"received unexpected process identifier")),
    ("refused", re.compile(r"(?i)connection refused|connect(?:ion)? to .{1,120} refused")),
    ("name", re.compile("(?i)name or service not known|temporary failure in name resolution|could not resolve"
        "|nodename nor servname|gai error|unknown host")),
    ("unreachable", re.compile("(?i)no route to host|network is unreachable|host is (?:down|unreachable)"
        r"|\bRC: -?1(?:01|13)\b|\bUNDELIVERABLE\b|FI_E(?:HOST|NET)UNREACH\b")),
    ("timed-out", re.compile("(?i)(?:client )?socket (?:has )?timed? ?out.{0,80}?"
        r"(?:connect to \(?(?P<peer>[\w.:-]{2,80}(?:, ?\d{1,5})?)\)?)?|socket timeout"
        "|connect(?:ion)? (?:to .{1,80} )?timed? ?out|rendezvous.{0,60}(?:timed? ?out|timeout)"
        r"|store.{0,80}(?:timed? ?out|timeout)|RPC call .{0,60}timed out|wait timeout after \d")),
)  # fmt: skip
TO = re.compile(
    r"connect(?:\(\))? to (?:the )?\(?([\w.:\[\]-]{2,80})(?:, ?|:)?(\d{1,5})?\)?"
    r"|completion from peer ([\w.:]{2,80})<|(?:peer|addr(?:ess)?)[ =:]{1,2}\[?([\w.-]{3,80})\]?"
)


def read(text: Text) -> Iterator[Evidence]:
    for message in messages(text, INTERESTING):
        if not BETWEEN_RANKS.search(message.line.text[:4096]):
            continue
        for about, pattern in PATTERNS:
            if found := pattern.search(message.text):
                peer = found.groupdict().get("peer") or _peer(message.text)
                yield RemoteFailure(
                    **message.facts(text),
                    severity=Severity.WARNING,
                    about=about,
                    text=message.text,
                    peer=peer.replace("]", "").strip("[(). ,") if peer else None,
                )
                break


INTERESTING = Words(
    "closed|reset by|broken pipe|peer|abort|remote|refused|not known|name resolution|resolve|servname|gai error"
    "|unknown host|no route|unreachable|host is down|timed out|timeout|time out|recv, 0 bytes|eof from|unexpected "
    "process|rc: 1|rc: -1|undeliverable|unreach"
)


def _peer(text: str) -> str | None:
    found = TO.search(text)
    return next((group for group in found.groups() if group and not group.isdigit()), None) if found else None


PARSER = Parser(
    tool="torch.distributed",
    medium="collectives",
    footprint=(
        "(?i)connection (closed by|reset by|refused)|communicator was aborted|ncclremoteerror|socket timeout"
        "|socket has timed out"
        "|no route to host|network is unreachable|name or service not known|failure in name resolution"
        "|connect timeout|closed by localrank"
        r"|undeliverable|fi_e(?:host|net)unreach|\brc: -?1(?:01|13)\b"
        r"|received unexpected process identifier|recv, 0 bytes|rpc call .{0,60}timed out|wait timeout after"
    ),
    read=read,
)
