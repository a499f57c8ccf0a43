"""Boots as `last`, `last -F`, `last -x` and `journalctl --list-boots` record them.

    reboot   system boot  5.15.0-91-generic Thu Jan  2 03:02   still running
    reboot   system boot  5.15.0-91-generic Thu Jan  2 03:02:11 2025 - Thu Jan  2 09:00:00 2025  (05:57)
    shutdown system down  5.15.0-91-generic Thu Jan  2 03:01 - 03:02  (00:00)
     0 8f3d0a5d2b1c4f6e9a7b8c9d0e1f2a3b Thu 2025-01-02 03:02:11 UTC—Thu 2025-01-02 09:00:00 UTC

A boot that follows a recorded shutdown carries it as its last words; logins are skipped, but one that ended in "crash"
is what the machine's end left, so it is the last word of the boot listed above it; so is a boot that did.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..envelope.times import ISO, iso_stamp, syslog_stamp
from ..evidence import Source, Stamp
from ..evidence.kernel import KernelBoot
from ..footprint import footprint_of
from ..text import Line, Text
from . import Parser

_WHEN = r"[A-Z][a-z]{2} ([A-Z][a-z]{2}) {1,2}(\d{1,2}) (\d\d:\d\d(?::\d\d)?)(?: (\d{4}))?"
BOOT = re.compile(rf"^reboot {{1,6}}system boot {{1,4}}(\S{{1,64}}) {{1,17}}{_WHEN}")
DOWN = re.compile(rf"^(?:shutdown|runlevel) {{1,6}}(?:system down|\(to lvl [06]\)) {{1,4}}\S{{1,64}} {{1,6}}{_WHEN}")
CRASH = re.compile(rf"^\S{{1,32}} .{{1,80}}{_WHEN} - crash\b")
LISTED = re.compile(rf"^ {{0,4}}-?\d{{1,4}} [0-9a-f]{{32}} [A-Z][a-z]{{2}} ({ISO})")


def read(text: Text) -> Iterator[KernelBoot]:
    above: tuple[Line, str, Stamp | None] | None = None  # `last` lists the newest first
    for line in text.lines():
        row = line.text[:400]
        if found := BOOT.match(row):
            if above:
                yield _boot(text, above, (row.strip(),) if CRASH.match(row) else ())
            above = line, found[1], syslog_stamp(found[2], found[3], found[4], found[5])
        elif above and (DOWN.match(row) or CRASH.match(row)):
            yield _boot(text, above, (row.strip(),))
            above = None
        elif found := LISTED.match(row):
            yield _boot(text, (line, "", iso_stamp(found[1])), ())
    if above:
        yield _boot(text, above, ())


def _boot(text: Text, above: tuple[Line, str, Stamp | None], last_words: tuple[str, ...]) -> KernelBoot:
    line, version, stamp = above
    source = Source(text.name, line.number, line.quote)
    return KernelBoot(source=source, stamp=stamp, version=version, last_words=last_words)


PARSER = Parser(
    tool="last",
    medium="boot-records",
    footprint=footprint_of(BOOT, LISTED),
    read=read,
)
