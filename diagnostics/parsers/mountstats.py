"""`cat /proc/self/mountstats`: what the NFS client counted since the mount was made.

    device nas01:/export/ckpt mounted on /mnt/ckpt with fstype nfs4 statvers=1.1
            age:    7340
            xprt:   tcp 843 0 2 0 11 9120 9101 0 88120 412 128 71 992
                   WRITE: 21456 25610 12 22507159224 3001440 18112000 17720112 35001920 12

An operation's numbers are: requests, transmissions, time-outs, bytes sent and received, and the sums of
milliseconds that requests queued, travelled and took. A device whose
options are printed is a mount as well; those without are not worth one. A transport's row tells how many requests were
sent and answered, the slots, and how many requests waited for one at each call (`bklog_u` by what was sent); it is
read without its device, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from ..evidence import Evidence, Severity, Subject
from ..evidence.storage import IoStatistics
from ..filesystems import identify
from ..footprint import footprint_of
from ..mounttable import unescape
from ..text import Line, Text
from . import Parser
from ._mounts import mount
from ._snapshot import source

#         xprt:   tcp 843 0 2 0 11 9120 9101 0 88120 412 128 71 992
XPRT = re.compile(
    r"^\s{0,20}xprt:\s+(?:tcp|rdma)(?: \d{1,20}){5} (?P<sent>\d{1,20}) (?P<received>\d{1,20}) \d{1,20} \d{1,20} "
    r"(?P<backlog>\d{1,20}) (?P<slots>\d{1,8})(?: \d{1,20}){2}"
)
# device nas01:/export/ckpt mounted on /mnt/ckpt with fstype nfs4 statvers=1.1
DEVICE = re.compile(r"^device (\S+) mounted on (/\S*) with fstype ([\w.-]{1,40})(?: statvers=\S+)?\s*$")
#         opts:   rw,vers=4.2,rsize=1048576,hard,proto=tcp
OPTIONS = re.compile(r"^\s+opts:\s+((?:rw|ro)\S*)")
AGE = re.compile(r"^\s+age:\s+(\d{1,12})")
#        WRITE: 21456 25610 12 22507159224 3001440 18112000 17720112 35001920 12
OPERATION = re.compile(r"^\s+(READ|WRITE|COMMIT|GETATTR|OPEN|LOOKUP|ACCESS): ((?:\d{1,20} ){7,8}\d{1,20})\s*$")


@dataclass
class Volume:
    """One NFS mount's counters."""

    line: Line
    device: str
    point: str
    type: str
    values: dict[str, float] = field(default_factory=dict)
    worst: Line | None = None


def read(text: Text) -> Iterator[Evidence]:
    volume: Volume | None = None
    for line in text.lines():
        row = line.text[:4000]
        if found := DEVICE.match(row):
            yield from told(text, volume)
            device, point, type_ = found.groups()
            volume = Volume(line, unescape(device), unescape(point), type_)
        elif volume and (found := OPTIONS.match(row)):
            yield mount(text, volume.line, volume.device, volume.point, volume.type, found[1])
        elif volume and (found := AGE.match(row)):
            volume.values["age_s"] = float(found[1])
        elif found := XPRT.match(row):
            transport = _transport(found)
            if volume:
                volume.values |= transport
            elif transport:
                yield IoStatistics(source=source(text, line), values=transport)
        elif volume and (found := OPERATION.match(row)):
            note(volume, line, found[1].lower(), [int(number) for number in found[2].split()])
    yield from told(text, volume)


def _transport(found: re.Match[str]) -> dict[str, float]:
    sent, received = int(found["sent"]), int(found["received"])
    return {
        "rpc_sent": float(sent),
        "rpc_unanswered": float(max(sent - received, 0)),
        "rpc_slots_at_most": float(found["slots"]),
        "rpc_backlog_mean": round(int(found["backlog"]) / sent, 3) if sent else 0.0,
    }


def note(volume: Volume, line: Line, operation: str, numbers: list[int]) -> None:
    requests, sent, timeouts, _, _, queue_ms, rtt_ms, exe_ms = numbers[:8]
    if not requests:
        return
    resent = 100.0 * max(0, sent - requests) / requests
    volume.values |= {
        f"{operation}_requests": float(requests),
        f"{operation}_timeouts": float(timeouts),
        f"{operation}_retransmitted_percent": round(resent, 2),
        f"{operation}_queue_ms": round(queue_ms / requests, 3),
        f"{operation}_rtt_ms": round(rtt_ms / requests, 3),
        f"{operation}_exe_ms": round(exe_ms / requests, 3),
    }
    if volume.worst is None and (resent >= 5 or rtt_ms / requests >= 500):
        volume.worst = line


def told(text: Text, volume: Volume | None) -> Iterator[IoStatistics]:
    if volume and len(volume.values) > 1:
        yield IoStatistics(
            source=source(text, volume.worst or volume.line),
            subject=Subject(
                mount=volume.point,
                device=volume.device,
                server=identify(volume.device, volume.type).server(volume.device),
            ),
            severity=Severity.WARNING if volume.worst else Severity.INFO,
            values=volume.values,
        )


PARSER = Parser(
    tool="/proc/PID/mountstats",
    medium="mounts",
    footprint=footprint_of(DEVICE, XPRT),
    read=read,
)
