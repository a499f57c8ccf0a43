"""`dkms status`, `uname` and listings of modules: for which kernels a driver's module is there, and which kernel runs.

    nvidia/535.183.01, 5.15.0-112-generic, x86_64: installed
    nvidia, 470.141.03, 5.4.0-135-generic, x86_64: installed
    /lib/modules/4.4.0-1013-azure/kernel/drivers/video/nvidia.ko
    $ uname -r
    5.15.0-117-generic
    Linux gpu07 5.15.0-117-generic #127-Ubuntu SMP x86_64 GNU/Linux
             Kernel: Linux 5.15.0-117-generic

A module that was added or built and not installed is skipped: no kernel would find it. So is a kernel that is said to
be the one before.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Source
from ..evidence.job import SettingSeen
from ..footprint import footprint_of
from ..text import Text
from . import Parser

RELEASE = r"(?P<kernel>\d{1,2}\.\d{1,3}[\w.+~-]{0,60})"
INSTALLED = re.compile(rf"^(?P<module>nvidia[\w-]{{0,30}})(?:/|, ?)[\w.~-]{{1,40}}, {RELEASE}, \w{{1,12}}: installed\b")
# /lib/modules/5.15.0-112-generic/updates/dkms/nvidia.ko.zst     filename:       /lib/modules/...
FILE = re.compile(
    rf"^(?:filename:\s{{1,20}})?(?:/usr)?/lib/modules/{RELEASE}/\S{{1,200}}/nvidia\.ko(?:\.[gxz]\w{{1,3}})?\s*$"
)
ASKED = re.compile(r"^\S{0,80}[$#%>]? ?uname -r\s*$")
ANSWER = re.compile(rf"^{RELEASE}\s*$")
# Linux gpu07 5.15.0-117-generic #127-Ubuntu SMP x86_64 GNU/Linux        after reboot: Linux gpu07 5.15.0-117-generic
RUNS = re.compile(
    r"^\s{0,20}(?:(?P<when>[A-Za-z][\w ./-]{0,40}?)\s{0,8}[:=]\s{0,8})?Linux (?!version\b)(?:[A-Za-z][\w.-]{0,60} )?"
    + RELEASE
    + r"(?: #\d{1,4}[^\n]{0,200})?\s*$"
)
BEFORE = re.compile(r"\b(?:before|old|previous(?:ly)?|earlier|was|until|last good|works?|worked)\b", re.I)


def read(text: Text) -> Iterator[SettingSeen]:
    asked = False
    for line in text.lines():
        row = line.text[:300]
        name = ""
        if found := INSTALLED.match(row) or FILE.match(row):
            name = "module installed for"
        elif (asked and (found := ANSWER.match(row))) or (
            (found := RUNS.match(row)) and not BEFORE.search(found["when"] or "")
        ):
            name = "running kernel"
        asked = ASKED.match(row) is not None
        if found and name:
            yield SettingSeen(source=Source(text.name, line.number, line.quote), name=name, value=found["kernel"])


PARSER = Parser(
    tool="dkms status and uname",
    medium="kernel-modules",
    footprint=footprint_of(INSTALLED, FILE, ASKED, RUNS),
    read=read,
)
