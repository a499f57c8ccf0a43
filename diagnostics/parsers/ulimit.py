"""`ulimit -a` (bash, zsh, sh).

    open files                          (-n) 1024
    -n: file descriptors          1024
    $ ulimit -l
    64

These are the shell's limits, soft ones: a process started elsewhere may have others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence.process import ResourceLimit
from ..footprint import footprint_of
from ..text import Text
from . import Parser
from ._snapshot import source

# open files                          (-n) 1024         max memory size         (kbytes, -m) unlimited
BASH = re.compile(r"^([a-z][a-zA-Z /-]{2,28}[a-z]) +\((?:[a-z0-9 -]{1,20}, )?-[a-zA-Z]\) +(\d{1,20}|unlimited) *$")
# -n: file descriptors          1024
ZSH = re.compile(r"^-[a-zA-Z]: ([a-z][a-z /()-]{2,28}[a-z)]) +(\d{1,20}|unlimited) *$")
# ulimit -n: 1024       $ ulimit -n = 1024
SINGLE = re.compile(r"\bulimit -n\b[ :=]{1,5}(\d{1,20}|unlimited)\b")
# $ ulimit -l     and its answer in the next line, in KiB      docker exec w1 sh -c 'ulimit -l'
ASKED = re.compile(r"^(?:\S{0,60}[$#>] ?|\+ )?(?:.{1,120} -c ['\"])?ulimit -(?P<kind>[SH]?)(?P<which>[ln])['\"]?\s*$")
ANSWER = re.compile(r"^(\d{1,20}|unlimited)\s*$")
ASKED_FOR = {"l": "max locked memory", "n": "open files"}
NAMES = {
    "file descriptors": "open files",
    "max user processes": "processes",
    "core file size (blocks)": "core file size",
}


def read(text: Text) -> Iterator[ResourceLimit]:
    for line in text.lines():
        row = line.text[:200]
        if found := BASH.match(row) or ZSH.match(row):
            name, value = found.groups()
        elif found := SINGLE.search(row):
            name, value = "open files", found[1]
        elif (found := ASKED.match(row)) and (
            answer := next((told for each in text.after(line, 1) if (told := ANSWER.match(each.text[:40]))), None)
        ):
            name, value = ASKED_FOR[found["which"]], answer[1]
            if found["kind"] == "H":
                hard = None if value == "unlimited" else int(value)
                yield ResourceLimit(source=source(text, line), resource=name, soft=None, hard=hard)
                continue
        else:
            continue
        soft = None if value == "unlimited" else int(value)
        yield ResourceLimit(source=source(text, line), resource=NAMES.get(name, name), soft=soft, hard=None)


PARSER = Parser(
    tool="ulimit",
    medium="settings",
    footprint=footprint_of(BASH, ZSH, SINGLE, ASKED),
    read=read,
)
