"""A kernel log as a witness: that it was read counts, also where no line of it is worth a fact.

    [    5.000000] usb 1-1: new high-speed USB device number 5 using xhci_hcd
    Nov 29 12:46:17 node1 kernel: usb 1-1: new high-speed USB device number 5 using xhci_hcd

Nothing is read here. Without it a log in which all is quiet would look like one that nobody has.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence import Evidence
from ..text import Text
from . import Parser


def read(text: Text) -> Iterator[Evidence]:
    yield from ()


PARSER = Parser(
    tool="a kernel log, whatever it says",
    medium="kernel-log",
    footprint=r"^(?:<\d{1,3}>)?\[ {0,6}\d{1,9}\.\d{6}\](?:\[ {0,4}[CT]\d{1,7}\])? [A-Za-z]"
    r"|^\[(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) [A-Z][a-z]{2} {1,2}\d{1,2} \d\d:\d\d:\d\d \d{4}\] [A-Za-z]"
    r"|^[A-Z][a-z]{2} {1,2}\d{1,2} \d\d:\d\d:\d\d [\w.-]{1,80} kernel: ",
    read=read,
)
