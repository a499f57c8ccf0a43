"""What a control group or a container engine says of a freeze: the files of the freezer, and `docker inspect`.

    /sys/fs/cgroup/ml/train/cgroup.freeze:1
    $ cat /sys/fs/cgroup/freezer/ml/freezer.state
    FROZEN
    populated 1
    frozen 1

        "Paused": true,

One setting a file, by the file's name; a group that is not frozen is told too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Severity, Source
from ..evidence.job import SettingSeen
from ..footprint import footprint_of
from ..text import Text
from . import Parser

# cat /sys/fs/cgroup/ml/cgroup.freeze      ==> /sys/fs/cgroup/ml/cgroup.freeze <==      cgroup.freeze: 1
FILE = re.compile(
    r"(?:^|[\s/])(cgroup\.freeze|freezer\.(?:self_|parent_)?(?:state|freezing))\b(?:[ :=]{1,3}(\w{1,8}))?"
)
VALUE = re.compile(r"^\s{0,8}([01]|FROZEN|FREEZING|THAWED)\s{0,8}$")
EVENT = re.compile(r"^\s{0,8}(frozen) ([01])\s{0,8}$")
INSPECT = re.compile(r"^\s{0,40}\"(Paused)\": (true|false),?\s{0,8}$")
FROZEN = ("1", "FROZEN", "FREEZING", "true")


def read(text: Text) -> Iterator[SettingSeen]:
    for line in text.matching(PARSER.pattern):
        row = line.text[:600]
        found = EVENT.match(row) or INSPECT.match(row) or FILE.search(row)
        if not found:
            continue
        below = next(text.after(line, limit=1), None) if found[2] is None else None
        value = VALUE.match(below.text[:40]) if below else None
        said = found[2] or (value[1] if value else None)
        if said:
            yield SettingSeen(
                source=Source(text.name, line.number, line.quote),
                severity=Severity.WARNING if said in FROZEN else Severity.INFO,
                name=found[1],
                value=said,
            )


PARSER = Parser(
    tool="cgroup.freeze",
    medium="some-processes",
    footprint=footprint_of(FILE, EVENT, INSPECT),
    read=read,
)
