"""Tries to reach another node: nc, curl, wget, ping, ssh, getent, nslookup, dig and host.

    nc: connect to node0 (10.0.0.1) port 29500 (tcp) failed: Connection timed out
    Connection to node0 (10.0.0.1) 29500 port [tcp/*] succeeded!
    curl: (28) Failed to connect to 10.0.0.4 port 29500 after 130001 ms: Connection timed out
    ping: node7: Name or service not known
    4 packets transmitted, 0 received, 100% packet loss, time 3062ms
    ssh: connect to host n3 port 22: No route to host
    ** server can't find node7.cluster.local: NXDOMAIN

The round-trip lines of ping and the headers of curl are skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..envelope import unwrap
from ..evidence import Severity, Source, Subject
from ..evidence.network import Reachability
from ..text import Text
from . import Parser

PATTERNS = (
    # nc: connect to node0 (10.0.0.1) port 29500 (tcp) failed: Connection timed out
    re.compile(r"\bnc: connect to (?P<host>[\w.:-]{1,120})(?: \([^)]{1,60}\))? port (?P<port>\d{1,5})[^:]{0,20}failed: (?P<why>.{3,80})"),
    # Connection to node0 (10.0.0.1) 29500 port [tcp/*] succeeded!
    re.compile(r"^Connection to (?P<host>[\w.:-]{1,120})(?: \([^)]{1,60}\))? (?P<port>\d{1,5}) port .{0,40}(?P<why>succeeded)"),
    # Ncat: Connection timed out.    Ncat: Connected to 10.0.0.1:29500.
    re.compile(r"^Ncat: (?P<why>Connect(?:ion timed out|ion refused|ed to)|No route to host)(?: ?(?P<host>[\w.-]{1,120}):(?P<port>\d{1,5}))?"),
    # curl: (28) Failed to connect to 10.0.0.4 port 29500 after 130001 ms: Connection timed out
    re.compile(r"\bcurl: \(\d{1,3}\) (?:Failed|Could not|Couldn't) (?:to )?connect to (?P<host>[\w.:-]{1,120}) port (?P<port>\d{1,5})[^:]{0,60}: (?P<why>.{3,80})"),
    # curl: (6) Could not resolve host: node7    curl: (28) Connection timed out after 5001 milliseconds
    re.compile(r"\bcurl: \(\d{1,3}\) (?P<why>Could not resolve host|Connection timed out|Operation timed out)[^:\n]{0,60}(?:: (?P<host>[\w.-]{1,120}))?"),
    # ssh: connect to host n3 port 22: No route to host
    re.compile(r"\bssh: connect to host (?P<host>[\w.:-]{1,120}) port (?P<port>\d{1,5}): (?P<why>.{3,80})"),
    # ping: node7: Name or service not known    ssh: Could not resolve hostname node7: Name or service not known
    re.compile(r"\b(?:ping6?|ssh|wget)(?:: Could not resolve hostname|: unknown host)?:? (?P<host>[\w.-]{1,120}): (?P<why>(?:Name|Temporary failure|No address).{0,60})"),
    # From 10.0.0.1 icmp_seq=1 Destination Host Unreachable
    re.compile(r"^From (?P<host>[\w.:-]{1,120}) icmp_seq=\d{1,9} (?P<why>Destination (?:Host|Net) Unreachable)"),
    # ** server can't find node7.cluster.local: NXDOMAIN
    re.compile(r"^\*\* server can't find (?P<host>[\w.-]{1,120}): (?P<why>NXDOMAIN|SERVFAIL|REFUSED)"),
    # Host node7 not found: 3(NXDOMAIN)
    re.compile(r"^Host (?P<host>[\w.-]{1,120}) (?P<why>not found: \d\((?:NXDOMAIN|SERVFAIL)\))"),
    # ;; connection timed out; no servers could be reached
    re.compile(r"^;; (?P<host>)(?P<why>connection timed out; no servers could be reached)"),
    # 4 packets transmitted, 0 received, 100% packet loss, time 3062ms
    re.compile(r"^(?P<host>)\d{1,9} packets transmitted, \d{1,9} (?:packets )?received, .{0,40}?(?P<why>\d{1,3}(?:\.\d{1,6})?% packet loss)"),
)  # fmt: skip
OUTCOMES = (
    ("unknown-name", re.compile(r"name|resol|address|NXDOMAIN|SERVFAIL|no servers|not found", re.I)),
    ("refused", re.compile(r"refused", re.I)),
    ("timed-out", re.compile(r"timed? ?out|^100(?:\.0+)?% packet loss", re.I)),
    ("unreachable", re.compile(r"route|unreachable", re.I)),
    ("answered", re.compile(r"succeeded|connected|packet loss", re.I)),
)


def read(text: Text) -> Iterator[Reachability]:
    for line in text.matching(PARSER.pattern):
        envelope = unwrap(line.text)
        for pattern in PATTERNS:
            if tried := pattern.search(envelope.message[:400]):
                outcome = next((name for name, words in OUTCOMES if words.search(tried["why"])), "unreachable")
                yield Reachability(
                    source=Source(text.name, line.number, line.quote),
                    subject=Subject(server=_server(tried)),
                    stamp=envelope.stamp,
                    severity=Severity.INFO if outcome == "answered" else Severity.WARNING,
                    outcome=outcome,
                    text=tried[0],
                )
                break


def _server(tried: re.Match[str]) -> str | None:
    """Host and port as far as the line names them."""
    named = tried.groupdict()
    host, port = named.get("host"), named.get("port")
    return f"{host}:{port}" if host and port else host or None


PARSER = Parser(
    tool="a try to reach another node",
    medium="network",
    footprint=r"\bnc: connect to |^Connection to .{1,160} succeeded|^Ncat: |\bcurl: \(\d|\bssh: (connect to|Could not resolve)"
    r"|\b(ping6?|wget): |icmp_seq=\d+ Destination|can't find .{1,120}: (NXDOMAIN|SERVFAIL|REFUSED)|^Host \S{1,120} not found"
    r"|no servers could be reached|packets transmitted, ",
    read=read,
)
