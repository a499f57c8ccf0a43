"""Somebody tried to reach a host: ping, nc, curl, ssh, nslookup, lctl ping, or a mount that looks up its server.

    5 packets transmitted, 0 received, 100% packet loss, time 4100ms
    nc: connect to 10.0.0.4 port 29500 (tcp) failed: Connection refused
    ssh: connect to host node4 port 22: Connection timed out
    curl: (28) Failed to connect to 10.0.0.4 port 29500 after 130112 ms: Connection timed out
    failed to ping 10.0.0.7@tcp: Input/output error
    mount.nfs: Failed to resolve server nas01: Name or service not known
    ping: local error: message too long, mtu=1500
    $ timeout 6 bash -c "</dev/tcp/10.0.0.4/29500"
    exit status 124

One fact an attempt; of a ping its summary, or that its packets are larger than the path takes. What a job says of its
own peers is read with the job's log.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Severity, Subject
from ..evidence.network import Reachability
from ..footprint import footprint_of
from ..text import Line, Text
from . import Parser
from ._snapshot import source, stamp_of

HOST = r"([\w.:%\[\]-]{1,120}?)"
# --- 10.0.0.4 ping statistics ---
PINGED = re.compile(rf"^--- {HOST} ping statistics ---")
# PING 10.0.1.11 (10.0.1.11) 8972(9000) bytes of data.
PINGING = re.compile(
    rf"^PING {HOST} \([^)]{{1,60}}\) (?:from \S{{1,80}} (?:\S{{1,20}}: )?)?\d{{1,6}}\(\d{{1,6}}\) bytes of data"
)
# ping: local error: message too long, mtu=1500      From 10.0.0.1 icmp_seq=1 Frag needed and DF set (mtu = 1390)
TOO_LONG = re.compile(
    r"^ping: (?:local error: )?[Mm]essage too long(?:, mtu[=:] ?\d{1,6})?"
    r"|^From \S{1,80} icmp_seq=\d{1,9} Frag needed and DF set"
)
# 5 packets transmitted, 0 received, +5 errors, 100% packet loss, time 4100ms
LOSS = re.compile(
    r"^(?P<sent>\d{1,9}) packets transmitted, (?P<received>\d{1,9}) (?:packets )?received,"
    r"(?: \+(?P<errors>\d{1,9}) errors,)? (?P<share>\d{1,3}(?:\.\d+)?)% packet loss"
)
# From 10.0.0.9 icmp_seq=1 Destination Host Unreachable      (the summary below may be missing)
NO_WAY = re.compile(r"^From \S{1,80}:? icmp_seq[ =]\d{1,9} Destination (?:Host|Net) Unreachable")
# ARPING 192.0.2.5 from 192.0.2.6 eth0 ... Received 0 response(s)
ARPING = re.compile(rf"^ARPING {HOST} from \S{{1,80}}")
NO_RESPONSE = re.compile(r"^Received (\d{1,9}) response\(s\)")
# percent, packets: the first waits for the address to be resolved, the last may be under way when the ping is stopped
LOSSY, SEVERAL = 2.0, 2
# what is said of a host -> how it went; group 1 is the host, 2 the port where one is named. A logger's time, or the
# node whose words pdsh passes on, may stand before the words
SAYINGS = tuple(
    (re.compile(rf"(?:\d\d:\d\d:\d\d |[\w.-]{{1,80}}: (?=ssh: ))?{pattern}"), outcome)
    for pattern, outcome in (
        (rf"Connection to {HOST}(?: \([^)]{{1,60}}\))? (\d{{1,5}}) port \[[^\]]{{1,40}}\] succeeded", "answered"),
        (rf"Ncat: Connected to {HOST}:(\d{{1,5}})\.", "answered"),
        (rf"nc: connect to {HOST}(?: \([^)]{{1,60}}\))? port (\d{{1,5}}) \(tcp\) failed: ", ""),
        (rf"curl: \(\d{{1,2}}\) Failed to connect to {HOST} port (\d{{1,5}})\b", ""),
        (rf"curl: \(6\) Could not resolve host: {HOST}\s*$", "unknown-name"),
        (rf"ssh: connect to host {HOST} port (\d{{1,5}}): ", ""),
        (rf"ssh: Could not resolve hostname {HOST}: ", "unknown-name"),
        (
            rf"ping: {HOST}: (?:Name or service not known|Temporary failure in name resolution|No address)",
            "unknown-name",
        ),
        (rf"(?:\S{{1,40}}: )?(?:line \d{{1,6}}: )?/dev/tcp/{HOST}/(\d{{1,5}}): (?=Conn|No route|Network|Host)", ""),
        # nslookup: can't resolve 'bert-master-0': Name does not resolve      (busybox; its server may have no name:
        # '(null)')
        (rf"nslookup: can't resolve '(?!\(null\)){HOST}'", "unknown-name"),
        (rf"nc: getaddrinfo (?:for host )?\"?{HOST}\"?(?: port \d{{1,5}})?: ", "unknown-name"),
        (rf"nc: bad address '{HOST}'", "unknown-name"),
        (rf"(?:wget|ping|telnet): bad address '{HOST}'", "unknown-name"),
        (rf"nc: connect to {HOST} port (\d{{1,5}}) \(tcp\) timed out", "timed-out"),
        # nc -zv train-master 23456 : timed out     (as people write down how a command went)
        (
            rf"\$? ?(?:nc|ncat|telnet) (?:-\S{{1,12}} (?:\d{{1,3}} )?){{0,4}}{HOST}[ :](\d{{1,5}}) {{0,20}}"
            rf"(?::|->|=>|\.\.\.| {{2}}) {{0,20}}(?=(?:connection )?(?:timed? ?out|refused|no route|unreachable)\b)",
            "",
        ),
        (
            rf"\$? ?(?:nc|ncat|telnet) (?:-\S{{1,12}} (?:\d{{1,3}} )?){{0,4}}{HOST}[ :](\d{{1,5}}) {{0,20}}"
            rf"(?::|->|=>|\.\.\.| {{2}}) {{0,20}}(?:connection )?(?:ok|open|succeeded|succeeds|connected)\b",
            "answered",
        ),
        # lctl ping 10.0.0.7@tcp
        (
            r"failed to ping ([\w.:-]{1,80}@(?:tcp|o2ib|kfi|gni)\d{0,3}): "
            "(?=Input/output error|Connection|No route|Network|Host|Timer|timed)",
            "",
        ),
        # mount.nfs: Failed to resolve server nas01: Name or service not known
        (
            rf"(?:.{{0,200}}[:\s])?u?mount\.\w{{1,20}}: "
            "(?:[Ff]ailed to resolve server|[Ss]erver name not found:"
            rf"|could not resolve(?: address for| host(?:name)?)?) {HOST}(?=[:,]? |:?\s*$)",
            "unknown-name",
        ),
        # mount error: could not resolve address for fs01: Unknown error
        (rf"mount error: could not resolve address for {HOST}(?=[:,]? |:?\s*$)", "unknown-name"),
        # error resolving passed in nfs address: lookup nas01 on 127.0.0.53:53: no such host     (Docker's volumes)
        (
            rf".{{0,300}}\berror resolving passed in (?:nfs|network volume) address: lookup {HOST}"
            rf"(?: on \S{{1,60}})?: no such host",
            "unknown-name",
        ),
        (rf"\*\* server can't find {HOST}: (?:NXDOMAIN|SERVFAIL)", "unknown-name"),
    )
)
# Nmap scan report for 192.0.2.62      57487/tcp filtered unknown
SCANNED = re.compile(rf"^Nmap scan report for {HOST}(?: \([\d.]{{7,15}}\))?\s*$")
OF_SCAN = re.compile(r"^(\d{1,5})/tcp\s{1,8}(open|filtered|closed)\s")
UNPRIVILEGED = 1024
BY_SCAN = {"open": "answered", "filtered": "timed-out", "closed": "refused"}
# what nslookup prints of a name that it knows; a loop that waits for a name ends so
RESOLVED = re.compile(rf"^Name: {{1,12}}{HOST}\s*$")
# $ timeout 6 bash -c "</dev/tcp/10.0.0.4/29500"      $ timeout 5 nc -z 10.0.0.4 29500
TRIED = re.compile(
    r"\btimeout (?:-\S{1,12} )?\d{1,4}s? (?:.{0,60}/dev/tcp/([\w.:%-]{1,120})/(\d{1,5})\b"
    r"|(?:nc|ncat|telnet) (?:-\S{1,12} )*([\w.:%-]{1,120}) (\d{1,5})\b)"
)
# exit status 124      rc=124
STATUS = re.compile(r"(?i)^(?:\S{1,20} )?(?:exit(?:ed)? (?:status|code)|rc)[ :=]{1,3}(\d{1,3})\b")
BY_STATUS = {"124": "timed-out", "0": "answered"}
REASONS = (
    ("refused", re.compile(r"(?i)refused")),
    ("timed-out", re.compile(r"(?i)timed? ?out|Timeout")),
    ("unreachable", re.compile(r"(?i)no route|unreachable|couldn't connect|could not connect")),
)


def read(text: Text) -> Iterator[Reachability]:
    facts = (fact for reader in (tries, scans, pings, sayings) for fact in reader(text))
    yield from sorted(facts, key=lambda fact: fact.source.line)


def tries(text: Text) -> Iterator[Reachability]:
    """Commands under `timeout` whose exit status says how they went."""
    tried: tuple[Line, str] | None = None
    for line in text.lines():
        row = line.text[:600]
        if found := TRIED.search(row):
            tried = (line, f"{found[1] or found[3]}:{found[2] or found[4]}")
        elif tried and (found := STATUS.match(row)):
            if found[1] in BY_STATUS:
                yield told(text, *tried, BY_STATUS[found[1]])
            tried = None


def scans(text: Text) -> Iterator[Reachability]:
    """The ports of a scan."""
    scanned: str | None = None
    for line in text.lines():
        row = line.text[:600]
        if found := SCANNED.match(row):
            scanned = found[1]
        # services of the system are kept from outside
        elif scanned and (found := OF_SCAN.match(row)) and (found[2] != "filtered" or int(found[1]) >= UNPRIVILEGED):
            yield told(text, line, f"{scanned}:{found[1]}", BY_SCAN[found[2]])


def pings(text: Text) -> Iterator[Reachability]:
    """The summaries of ping and arping, and what came before one that may be missing."""
    pinged: str | None = None
    too_long = no_way = False
    for line in text.lines():
        row = line.text[:600]
        if found := PINGING.match(row):
            pinged, too_long, no_way = found[1], False, False
        elif pinged and NO_WAY.match(row):
            if not no_way:
                yield told(text, line, pinged, "unreachable")
            no_way = True
        elif found := ARPING.match(row) or PINGED.match(row):
            pinged = found[1] or pinged
        elif found := NO_RESPONSE.match(row):
            yield told(text, line, pinged, "answered" if int(found[1]) else "unreachable")
        elif TOO_LONG.match(row):
            if not too_long:
                yield told(text, line, pinged, "too-long")
            too_long = True
        elif found := LOSS.match(row):
            everything = float(found["share"]) >= 100
            # told above, or nothing was sent that could have been answered
            if not (everything and (no_way or too_long)):
                yield told(text, line, pinged, summary(found))
            no_way = no_way and not everything


def summary(found: re.Match[str]) -> str:
    """How a ping went, by its packets."""
    share = float(found["share"])
    if share >= 100:
        return "unreachable" if found["errors"] else "timed-out"
    several = int(found["sent"]) - int(found["received"]) >= SEVERAL
    return "lossy" if several and share >= LOSSY else "answered"


def sayings(text: Text) -> Iterator[Reachability]:
    """What nc, curl, ssh, ping and nslookup say of a host."""
    looked_up = False
    for line in text.lines():
        row = line.text[:600]
        if looked_up and (found := RESOLVED.match(row)):
            yield told(text, line, found[1], "answered")
            continue
        for pattern, outcome in SAYINGS:
            if found := pattern.match(row):
                looked_up = looked_up or "nslookup: " in found[0]
                server = f"{found[1]}:{found[2]}" if pattern.groups > 1 else found[1]
                yield told(text, line, server, outcome or reason(row[found.end() :]))
                break


def reason(row: str) -> str:
    """How an attempt failed, from the words of its errno."""
    return next((outcome for outcome, pattern in REASONS if pattern.search(row)), "unreachable")


def told(text: Text, line: Line, server: str | None, outcome: str) -> Reachability:
    return Reachability(
        source=source(text, line),
        subject=Subject(server=server),
        stamp=stamp_of(line.text),
        severity=Severity.INFO if outcome == "answered" else Severity.WARNING,
        outcome=outcome,
        text=line.text.strip()[:300],
    )


PARSER = Parser(
    tool="ping, nc, curl, ssh, /dev/tcp",
    medium="network",
    footprint=footprint_of(
        TRIED, SCANNED, NO_WAY, TOO_LONG, LOSS, ARPING, NO_RESPONSE, *(pattern for pattern, _ in SAYINGS)
    ),
    read=read,
)
