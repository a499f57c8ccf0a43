"""Boots in a kernel log or journal.

    [    0.000000] Linux version 6.8.0-45-generic (buildd@lcy02-amd64-080) (gcc 13.2.0) #45-Ubuntu SMP
    -- Boot 8f3d0a5d2b1c4f6e9a7b8c9d0e1f2a3b --

A journal's separator and the kernel's first line just below it are one boot.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.kernel import KernelBoot
from ..footprint import footprint_of
from ..text import Line, Text
from . import Parser
from ._kernel_log import BOOT, kernel_log

VERSION = re.compile(r"Linux version (\d[\w.+~-]{0,100})")
# [    0.000000] Booting Linux on physical CPU 0x0
NEWBORN = re.compile(r"\[ {0,5}0\.0{3,6}\]|Booting Linux on physical CPU")
SEPARATOR = re.compile(r"^-- (?:Boot [0-9a-f]{32}|Reboot) --")


def read(text: Text) -> Iterator[KernelBoot]:
    log = kernel_log(text)
    for line, message in log.matching(PARSER.pattern):
        version = VERSION.match(message.message)
        if version or (
            SEPARATOR.match(message.message)
            and not any(VERSION.search(below.text) for below in text.after(line, limit=3))
        ):
            yield KernelBoot(
                source=log.source(line),
                subject=Subject(host=message.host),
                stamp=message.stamp,
                version=version[1] if version else "",
                last_words=_last_words(text, line),
            )


def _last_words(text: Text, line: Line) -> tuple[str, ...]:
    """The last lines of the boot before; what the new kernel printed before its version is not among them."""
    above = (each.text.strip() for each in text.before(line, limit=12))
    return tuple(each for each in above if each and not SEPARATOR.search(each) and not NEWBORN.search(each))[:5]


PARSER = Parser(tool="boots in a kernel log", medium="kernel-log", footprint=footprint_of(BOOT), read=read)
