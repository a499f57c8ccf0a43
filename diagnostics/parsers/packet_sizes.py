"""Packets of several sizes sent to one host, of which the small ones arrive and the large ones do not.

    PING 10.0.0.2 (10.0.0.2) 8972(9000) bytes of data.
    2 packets transmitted, 0 received, 100% packet loss, time 1014ms
    ping -M do -s 1472 10.0.0.2: 0% packet loss
    sent 2000 bytes, don't fragment
    payload 8972: no reply

One fact a host, at the smallest that was lost, where every size that arrived is below every one that did not. A packet
that the sender itself or a router refuses as too long is no loss, and sizes that are lost here and there are none.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from ..evidence import Severity, Subject
from ..evidence.network import Reachability
from ..footprint import footprint_of
from ..text import Line, Text
from . import Parser
from ._snapshot import source, stamp_of

# PING 10.0.0.2 (10.0.0.2) 8972(9000) bytes of data.      PING 10.0.0.2 (10.0.0.2): 8972 data bytes
PINGING = re.compile(
    r"^PING (?P<host>[\w.:%-]{1,120}) \([^)]{1,60}\)(?: from \S{1,80}(?: \S{1,20}:)?)?:? (?P<size>\d{1,6})"
    r"(?:\(\d{1,6}\) bytes of data| data bytes)"
)
# 2 packets transmitted, 0 received, 100% packet loss, time 1014ms
SUMMARY = re.compile(
    r"^(?P<sent>\d{1,9}) packets transmitted, (?P<received>\d{1,9}) (?:packets )?received,.{0,60}% packet loss"
)
# ping: local error: message too long, mtu=1500      From 10.0.0.1 icmp_seq=1 Frag needed and DF set (mtu = 1390)
REFUSED = re.compile(r"(?i)message too long|Frag needed|packet too big|needs? to be fragmented")
# $ ping -c 3 -M do -s 1472 10.0.0.2: 0% packet loss      ping -s 8972 node7 -> no reply
SAID = re.compile(
    r"(?:^|[$#>|] ?|\s)ping6? (?=(?:-\S{1,12} (?:\S{1,6} )?){0,6}?-s ?(?P<size>\d{2,5})\b)"
    r"(?:-\S{1,12} (?:[\w.]{1,6} )?){1,7}(?P<host>[\w.:%-]{1,120}?)"
    r"(?: ?(?::|->|=>|\.\.\.|\||,) ?| +)(?P<how>\S.{0,80})"
)
# payload 8972: no reply      udp 1472 bytes: received      frame of 9000 bytes lost
LISTED = re.compile(
    r"(?i)^\W{0,4}(?:(?:udp|icmp|tcp|ip|mtu|jumbo) )?(?:packet|payload|frame|datagram|udp|icmp|mtu probe)s?"
    r"(?: size| of)?[ =:]{1,2}(?P<size>\d{2,5})(?: ?b(?:ytes?)?)?\b ?(?:[:|,]|->|=>|\.\.\.)? ?(?P<how>[a-z0-9].{0,80})"
)
ARRIVED = re.compile(
    r"(?i)^(?:(?:both )?ok\b|yes\b|0(?:\.0)? ?% (?:packet )?loss|[<~]? ?\d{1,5}(?:\.\d{1,4})? ?ms\b"
    r"|(?!no|never)(?:\w{1,20} )?"
    r"(?:received|arrived|answered|passes|passed|reply|replies|works)\b)"
)
LOST = re.compile(
    r"(?i)^(?:100 ?% (?:packet )?loss|lost\b|no (?:reply|answer|response)|time?d? ?out|timed? ?out"
    "|(?:(?:does|did|was) )?not (?:arriv|pass|receiv|answer)|never (?:arrived|answered)|dropped|vanish)"
)
# sent 2000 bytes, don't fragment      node2 received 1472
SENT = re.compile(
    r"(?i)^(?:\S{1,40}[: ] ?)?sent (?P<size>\d{2,5}) bytes\b.{0,40}(?:don.?t fragment|\bDF\b|udp|icmp|datagram)"
)
RECEIVED = re.compile(r"(?i)^(?:\S{1,40}[: ] ?)?received (?P<size>\d{2,5})(?: bytes)?(?:\s|,|$)")
SMALLEST = 500  # bytes: what carries less is no path

Sizes = dict[int, tuple[bool, Line]]  # of one host: whether all of that size arrived, and who says so


def read(text: Text) -> Iterator[Reachability]:
    for host, sizes in by_host(text).items():
        arrived = [size for size, (came, _) in sizes.items() if came]
        lost = [size for size, (came, _) in sizes.items() if not came]
        if arrived and lost and max(arrived) < min(lost) and min(lost) >= SMALLEST:
            line = sizes[min(lost)][1]
            yield Reachability(
                source=source(text, line),
                subject=Subject(server=host or None),
                stamp=stamp_of(line.text),
                severity=Severity.WARNING,
                outcome="small-only",
                text=f"packets of up to {max(arrived)} bytes arrive, those of {min(lost)} do not",
            )


def by_host(text: Text) -> dict[str, Sizes]:
    """What became of each size that was sent to a host; "" for one that nobody names."""
    found: dict[str, Sizes] = defaultdict(dict)
    pinged: tuple[str, int, Line] | None = None
    sent: dict[int, Line] = {}
    received: set[int] = set()
    for line in text.lines():
        row = line.text[:400]
        if match := PINGING.match(row):
            pinged = (match["host"], int(match["size"]), line)
        elif REFUSED.search(row):
            pinged = None
        elif pinged and (match := SUMMARY.match(row)):
            host, size, line_of = pinged
            note(found[host], size, came(match), line_of)
            pinged = None
        elif match := SAID.search(row) or LISTED.match(row):
            lost = LOST.match(match["how"])
            if lost or ARRIVED.match(match["how"]):
                note(found[match.groupdict().get("host") or ""], int(match["size"]), not lost, line)
        elif match := SENT.match(row):
            sent.setdefault(int(match["size"]), line)
        elif match := RECEIVED.match(row):
            received.add(int(match["size"]))
    for size, line in sent.items() if sent.keys() & received else ():
        note(found[""], size, size in received, line)
    return found


def came(summary: re.Match[str]) -> bool | None:
    """Whether a ping's packets arrived; None where some did and some did not."""
    sent, received = int(summary["sent"]), int(summary["received"])
    return True if received == sent else False if sent > 1 and not received else None


def note(sizes: Sizes, size: int, arrived: bool | None, line: Line) -> None:
    """Keep what became of a size; one that came once is not lost."""
    if arrived is not None and not sizes.get(size, (False,))[0]:
        sizes[size] = (arrived, line)


PARSER = Parser(
    tool="ping -s, packets of several sizes",
    medium="network",
    footprint=footprint_of(PINGING, SAID, LISTED, SENT),
    read=read,
)
