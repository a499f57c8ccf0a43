"""`/etc/hosts` and `getent hosts`: the addresses of names.

    127.0.1.1       node2
    192.0.2.5       node2 node2.cluster

A line counts where everything in it is an address and names. Names of the machine for itself (localhost, ip6-...) are
skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Source
from ..evidence.job import SettingSeen
from ..text import Text
from . import Parser

LINE = re.compile(r"^(\d{1,3}(?:\.\d{1,3}){3})[ \t]{1,40}((?:[A-Za-z][\w.-]{0,80}[ \t]{0,20}){1,8})(?:#.*)?$")
ITSELF = re.compile(r"^(?:localhost|ip6-|broadcasthost)")
FEWEST = 2


def read(text: Text) -> Iterator[SettingSeen]:
    rows = [(line, found) for line in text.lines() if (found := LINE.match(line.text[:400]))]
    if len(rows) < FEWEST:
        return
    for line, found in rows:
        for name in found[2].split():
            if not ITSELF.match(name):
                yield SettingSeen(
                    source=Source(text.name, line.number, line.quote), name=f"address of {name}", value=found[1]
                )


PARSER = Parser(
    tool="/etc/hosts",
    medium="settings",
    footprint=r"^127\.0\.[01]\.1[ \t]{1,40}[A-Za-z][\w.-]{0,80}[ \t\w.-]{0,200}$",
    read=read,
)
