"""NCCL's own log (NCCL_DEBUG=INFO or WARN), RCCL's likewise.

    n1:63025:66048 [0] misc/socket.cc:49 NCCL WARN socketProgress: Connection closed by remote peer n1-ib<51159>
    node-b:4152:4206 [0] NCCL INFO NET/Socket : Using [0]lo:127.0.0.1<0>

Versions before 2.4 leave NCCL's name out of it: their lines are known by their place or by the three numbers before
them.

INFO lines about rings, channels and versions are counted by nobody and skipped; those about transport, interfaces
and connections are kept, and where each call is logged, the first in which two ranks differ. "file.cc:749 -> 6" lines
(an error on its way up) are kept as "other".
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Evidence, Severity
from ..evidence.collective import NcclMessage
from ..footprint import footprint_of
from ..text import Text
from . import Parser
from ._job_lines import messages
from ._nccl_calls import Calls

# a source file or a function's signature: misc/socket.cc:49    int handle_error(nccl_net_ofi_context_t*, uint16_t):46
_PLACE = r"(?:((?:[\w./]{1,120}|[\w:~<>&*, ]{1,120}\([\w:~<>&*, ]{0,200}\)):\d{1,6}) )?"
# host:pid:tid [gpu] file:line NCCL LEVEL text     newer: [2026-03-04 07:47:36] host:pid:tid [gpu] file:line NCCL WARN
# text [56] host:pid:tid ...: the launcher's rank before it
LINE = re.compile(
    rf"^(?:\[\d{{1,6}}\] (?=[\w.-]{{1,120}}:\d))?(?:([\w.-]{{1,120}}):(\d{{1,9}}):(\d{{1,9}}) )?\["
    rf"(-?\d{{1,4}})\] {_PLACE}(?:NCCL|RCCL) (WARN|INFO|TRACE|VERSION|ABORT) ?(.*)$"
)
BARE = re.compile(
    rf"^(?:([\w.-]{{1,120}}):(\d{{1,9}}):(\d{{1,9}}) )?(?:\[(-?\d{{1,4}})\] )?{_PLACE}NCCL "
    "(WARN|INFO|TRACE|VERSION|ABORT) ?(.*)$"
)
# host:pid:tid [0] include/socket.h:311 WARN Socket creation failed     host:pid:tid [0] INFO NET : Using interface
# eth0:192.0.2.4<0> include/socket.h:344 WARN Socket creation failed : Address family not supported by protocol
_OLD_PLACE = (
    r"(?:include|misc|transport|init|bootstrap|enqueue|rings|ring|group|channel|graph)(?:/\w{1,30})?\."
    r"(?:cu|cc|h|hpp):\d{1,6}"
)
OLD = re.compile(
    rf"^(?:\[\d{{1,6}}\] (?=[\w.-]{{1,120}}:\d))?(?:([\w.-]{{1,120}}):(\d{{1,9}}):(\d{{1,9}}) \[(-?\d{{1,4}})\] "
    f"(?:({_OLD_PLACE}) )?|({_OLD_PLACE}) )(WARN|INFO|ABORT) (.*)$"
)
# Using interface eth0:192.0.2.240<0>     Using [0]lo:127.0.0.1<0>     [0]mlx5_0:1/IB
INTERFACE = re.compile(
    r"(?:Using (?:interface )?|\[\d{1,3}\])(?:\[\d{1,3}\])?([a-z][\w.@-]{0,30}):(?:[\d.a-f:]{2,60}|\d{1,3}/)",
    re.IGNORECASE,
)

# about -> wording; the first that fits counts
ABOUT = (
    ("memory", re.compile("(?i)out of memory|Failed to CUDA (?:c|m)alloc|Failed to (?:c|m)alloc|cudaMalloc"
        "|shared memory|/dev/shm")),
    ("ib", re.compile(r"(?i)NET/IB|async event|ibv_|\bGID\b|completion (?:from|with)|mlx\d|RoCE|GPU ?Direct RDMA")),
    ("connection", re.compile("(?i)connect|socket|closed by|peer|recv failed|send failed|Connection re|timed? ?out"
        "|refused|unreachable|accept")),
    ("interface", re.compile("(?i)using interface|interfaces? found|NET/Socket|IP Interfaces|Bootstrap : Using"
        r"|NCCL_SOCKET_IFNAME|no (?:usable|socket) interface|\bNET ?: ")),
    ("transport", re.compile(r"(?i)\bvia (?:P2P|SHM|NET|CUMEM)|Using network|P2P is disabled|transport/"
        "|Using non-device")),
    ("plugin", re.compile(r"(?i)plugin|libnccl-net|aws-ofi|\bOFI\b|sharp")),
    ("topology", re.compile(r"(?i)topo|nvlink|\bNVLS\b|affinity|\bgraph\b|Trees?\b|Ring")),
)  # fmt: skip
KEPT_OF_INFO = re.compile(
    "(?i)connect|closed|abort|fail|error|timeout|-> [1-9]|interface|using network|NET/|plugin|disabled|via NET"
    r"|Bootstrap : Using|P2P|no device|warn|\bcomm .{0,60}(?:rank|Init)"
)


def read(text: Text) -> Iterator[Evidence]:
    calls = Calls()
    for message in messages(text, INTERESTING):
        if parts := _parts(message.text):
            host, pid, gpu, place, level, said = parts
            if level == "INFO" and pid:
                calls.note((host or "", pid), gpu or "", said, message)
            if level == "INFO" and (": opCount " in said or not KEPT_OF_INFO.search(said)):
                continue
            interface = INTERFACE.search(said)
            known = {"host": host or message.host, "pid": int(pid) if pid else message.pid}
            known |= {"gpu": int(gpu)} if gpu and int(gpu) >= 0 else {}
            known |= {"interface": interface[1]} if interface else {}
            yield NcclMessage(
                **message.facts(text, **known),
                severity=Severity.WARNING if level in ("WARN", "ABORT") else Severity.INFO,
                level=level,
                about=_about(said, place or ""),
                text=said,
            )
    yield from calls.mismatches(text)


INTERESTING = re.compile(
    rf"\b[NR]CCL (?:WARN|INFO|TRACE|VERSION|ABORT)|:\d{{1,9}}:\d{{1,9}} \[-?\d{{1,4}}\] (?:{_OLD_PLACE} )?"
    f"(?:WARN|INFO|ABORT) |^{_OLD_PLACE} (?:WARN|INFO|ABORT) "
)


def _parts(text: str) -> tuple[str | None, str | None, str | None, str | None, str, str] | None:
    """A line's host, pid, GPU, place, level and text."""
    if found := LINE.match(text) or BARE.match(text):
        host, pid, _, gpu, place, level, said = found.groups()
    elif found := OLD.match(text):
        host, pid, _, gpu, place, alone, level, said = found.groups()
        place = place or alone
    else:
        return None
    return host, pid, gpu, place, level, said


def _about(said: str, place: str) -> str:
    named = next((about for about, pattern in ABOUT if pattern.search(said)), None)
    if named is None or named == "connection":
        where = {"net_ib": "ib", "ib_plugin": "ib", "alloc.h": "memory", "socket": "connection"}
        return next((about for part, about in where.items() if part in place and named is None), named or "other")
    return named


PARSER = Parser(tool="NCCL", medium="collectives", footprint=footprint_of(INTERESTING), read=read)
