"""`ss -o` and `netstat -o`: TCP connections whose packets are sent again and again and not acknowledged.

    ESTAB    0   1319392   10.77.2.2:46992   10.77.1.2:46849   timer:(on,8.284ms,6)
    SYN-SENT 0   1         10.0.0.3:40122    10.0.0.4:29500    timer:(on,3.1sec,4)
    tcp      0   1319392   10.77.2.2:46992   10.77.1.2:46849   ESTABLISHED on (8.28/6/0)

Only the timer "on" is one that sends again, and its last number says how often it has done so; with the timer "persist"
the peer has acknowledged all and has no room. Connections that wait for nothing, and one or two repetitions, are
skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Severity, Subject
from ..evidence.network import Reachability
from ..text import Text
from . import Parser
from ._snapshot import source, stamp_of

_ENDS = r"\s+\d{1,12}\s+(?P<queue>\d{1,12})\s+\S{3,90}\s+(?P<peer>\S{3,90})"
ROWS = (
    re.compile(
        r"^(?:tcp\s+)?(?:(?:ESTAB|SYN-SENT|FIN-WAIT-1|CLOSE-WAIT"
        rf"|LAST-ACK)\b)?{_ENDS}\s.{{0,200}}?timer:\(on,[^,)]{{1,20}},(?P<times>\d{{1,4}})\)"
    ),
    re.compile(
        rf"^tcp6?{_ENDS}\s+(?:ESTABLISHED|SYN_SENT|FIN_WAIT1|CLOSE_WAIT"
        rf"|LAST_ACK)\s.{{0,120}}?\bon \(\d{{1,6}}\.\d{{1,3}}/(?P<times>\d{{1,4}})/\d{{1,4}}\)"
    ),
)
LOOPBACK = re.compile(r"^\[?(?:::ffff:)?(?:127\.|::1\b)")
MANY = 4  # repetitions: three seconds or more without any answer


def read(text: Text) -> Iterator[Reachability]:
    for line in text.matching(PARSER.pattern):
        found = next((match for row in ROWS if (match := row.match(line.text[:600]))), None)
        if found and int(found["queue"]) and int(found["times"]) >= MANY and not LOOPBACK.match(found["peer"]):
            yield Reachability(
                source=source(text, line),
                subject=Subject(server=found["peer"]),
                stamp=stamp_of(line.text),
                severity=Severity.WARNING,
                outcome="unacknowledged",
                text=f"{found['queue']} bytes are not acknowledged after {found['times']} repetitions",
            )


PARSER = Parser(
    tool="ss -o, netstat -o",
    medium="network",
    footprint=r"timer:\(on,|(ESTABLISHED|SYN_SENT|FIN_WAIT1|CLOSE_WAIT|LAST_ACK)\s.{0,120}\bon \(\d",
    read=read,
)
