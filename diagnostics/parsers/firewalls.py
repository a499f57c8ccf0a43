"""Packet filters that let in only what is listed: firewalld, ufw, iptables, nftables, a Kubernetes NetworkPolicy.

    public (active)
      target: default
      services: ssh
      ports: 29500/tcp

    Status: active
    Chain INPUT (policy DROP 0 packets, 0 bytes)
    chain input { type filter hook input priority 0; policy drop; }
        <none> (Selected pods are isolated for ingress connectivity)

An inactive filter, or one whose policy is to accept, is no fact, and neither is a zone of firewalld that trusts all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Severity
from ..evidence.network import Firewall
from ..footprint import footprint_of
from ..text import Line, Text
from . import Parser
from ._snapshot import source

ZONE = re.compile(r"^[\w-]{1,40} \((?:default, )?active\)\s*$")
TARGET = re.compile(r"^\s{1,8}target: (\S{1,20})")
LISTED = re.compile(r"^\s{1,8}(services|ports): ?(.{0,300})$")
UFW = re.compile(r"^Status: active\s*$")
UFW_RULE = re.compile(r"^\S{1,60}(?: \(v6\))? {2,40}(?:ALLOW|LIMIT|DENY|REJECT)\b")
UFW_DEFAULT = re.compile(r"^Default: (?:deny|reject) \(incoming\)")
CHAIN = re.compile(
    r"^Chain INPUT \(policy (?:DROP|REJECT)\b|^:INPUT DROP\b|^-P INPUT DROP\b|\bhook input\b.{0,80}policy drop;"
)
REJECT_ALL = re.compile(
    r"^(?:REJECT|DROP) {2,12}(?:all|0) {2,8}-- {1,4}(?:anywhere|0\.0\.0\.0/0) {2,30}"
    r"(?:anywhere|0\.0\.0\.0/0) {2,30}reject-with icmp-(?:host|admin|port)|^-A INPUT -j (?:REJECT|DROP)\b"
)
ISOLATED = re.compile(r"^\s{2,12}<none> \(Selected pods are isolated for ingress connectivity\)")


def read(text: Text) -> Iterator[Firewall]:
    for line in text.lines():
        row = line.text[:600]
        if ZONE.match(row):
            yield from zone(text, line)
        elif UFW.match(row):
            rules = [each.text.strip() for each in text.after(line, limit=60)]
            if any(UFW_RULE.match(each) or UFW_DEFAULT.match(each) for each in rules):
                allowed = (each.split()[0] for each in rules if UFW_RULE.match(each) and "ALLOW" in each)
                yield told(text, line, "ufw", " ".join(dict.fromkeys(allowed)))
        elif ISOLATED.match(row):
            yield told(text, line, "a NetworkPolicy", "")
        elif CHAIN.search(row) or REJECT_ALL.match(row):
            yield told(text, line, "nftables" if "hook" in row else "iptables", "")


def zone(text: Text, line: Line) -> Iterator[Firewall]:
    """A zone of firewalld that is bound to an interface, unless it accepts all that comes."""
    allows = []
    for below in text.after(line, limit=20):
        row = below.text[:400]
        if (target := TARGET.match(row)) and target[1] == "ACCEPT":
            return
        if found := LISTED.match(row):
            allows.append(found[2].strip())
        elif row.strip() and not row.startswith(" "):
            break
    if allows:
        yield told(text, line, "firewalld", " ".join(filter(None, allows)))


def told(text: Text, line: Line, tool: str, allows: str) -> Firewall:
    return Firewall(source=source(text, line), severity=Severity.INFO, tool=tool, allows=allows)


PARSER = Parser(
    tool="firewall-cmd, ufw, iptables",
    medium="network",
    footprint=footprint_of(ZONE, UFW, CHAIN, REJECT_ALL, ISOLATED),
    read=read,
)
