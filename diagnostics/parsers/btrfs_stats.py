"""btrfs about the errors that it has counted on each of its disks: `btrfs device stats`.

    [/dev/sdb].write_io_errs    0
    [/dev/sdb].read_io_errs     1812
    [/dev/sdb].corruption_errs  12

Counters at zero are skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Evidence, Severity, Subject
from ..evidence.kernel import BlockDeviceTrouble, FilesystemError
from ..text import Text
from . import Parser
from ._snapshot import source

ROW = re.compile(
    r"^\[/dev/([\w/-]{2,60})\]\.(write_io_errs|read_io_errs|flush_io_errs|corruption_errs|generation_errs)\s{1,20}"
    r"([1-9]\d{0,11})\s*$"
)


def read(text: Text) -> Iterator[Evidence]:
    for line in text.matching(PARSER.pattern):
        found = ROW.match(line.text[:200])
        if not found:
            continue
        device, counter, _ = found.groups()
        where, subject, said = source(text, line), Subject(device=device), " ".join(line.text.split())
        if counter.endswith("_io_errs"):
            yield BlockDeviceTrouble(
                source=where, subject=subject, severity=Severity.CRITICAL, about="media-error", text=said
            )
        else:
            yield FilesystemError(
                source=where,
                subject=subject,
                severity=Severity.CRITICAL,
                filesystem="btrfs",
                about="corruption",
                text=said,
            )


PARSER = Parser(
    tool="btrfs device stats",
    medium="io-statistics",
    footprint=r"^\[/dev/[\w/-]{2,60}\]\.(write_io|read_io|flush_io|corruption|generation)_errs\s",
    read=read,
)
