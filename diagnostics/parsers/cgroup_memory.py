"""The memory files of a control group, version 1 and 2.

    memory.max: 8589934592              /sys/fs/cgroup/pod7/memory.current:8589303808
    low 0 / high 0 / max 41 / oom 1 / oom_kill 1                 (memory.events)
    1926234112	1926234112	2223	oom_kill_disable 0	under_oom 0	oom_kill 1

Lines of memory.events are read without its name too. The last is version 1 pasted together: limit_in_bytes,
max_usage_in_bytes, failcnt, oom_control. A file's content follows its name on the same line or on the next ones; one
fact is made of each group's files. "max", and version 1's 9223372036854771712, mean that there is no limit.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from ..evidence import Severity, Subject
from ..evidence.storage import CgroupMemory
from ..footprint import footprint_of
from ..text import Line, Text
from . import Parser
from ._snapshot import source, stamp_before

# 1926234112	1926234112	2223	oom_kill_disable 0	under_oom 0	oom_kill 1
PASTED = re.compile(
    r"^(\d{1,20})[ \t]+(\d{1,20})[ \t]+(\d{1,20})[ \t]+oom_kill_disable \d[ \t]+under_oom \d"
    r"(?:[ \t]+oom_kill (\d{1,9}))?"
)
# /sys/fs/cgroup/pod7/memory.max: 8589934592       ==> /sys/fs/cgroup/memory.current <==
FILE = re.compile(
    r"(?:/sys/fs/cgroup(/\S*?)/|\b)memory\.(max|current|peak|swap\.max|swap\.current|high|events(?:\.local)?"
    "|limit_in_bytes"
    r"|usage_in_bytes|max_usage_in_bytes|oom_control|failcnt)\b[ :=]*(max\b|\d{1,20}\b)?"
)
# 8589934592      max
VALUE = re.compile(r"^\s*(max|\d{1,20})\s*$")
# oom_kill 1
EVENT = re.compile(r"\boom_kill (\d{1,9})\b")
FIELDS = {
    "max": "limit",
    "limit_in_bytes": "limit",
    "current": "usage",
    "usage_in_bytes": "usage",
    "peak": "peak",
    "max_usage_in_bytes": "peak",
}
UNLIMITED = 1 << 62


@dataclass
class Group:
    """What the files of one group said so far."""

    line: Line
    cgroup: str | None = None
    values: dict[str, int | None] = field(default_factory=dict)


def read(text: Text) -> Iterator[CgroupMemory]:
    group: Group | None = None
    awaited = ""
    for line in text.lines():
        row = line.text[:1000]
        if found := PASTED.match(row):
            limit, peak, _, kills = (int(value) if value else None for value in found.groups())
            yield told(text, Group(line, None, {"limit": limit, "peak": peak, "oom_kills": kills}))
        elif found := FILE.search(row):
            name = FIELDS.get(found[2], "")
            if group and (group.cgroup != found[1] or (name and name in group.values)):
                yield told(text, group)
                group = None
            group = group or Group(line, found[1])
            awaited = name if not found[3] else ""
            if name and found[3]:
                group.values[name] = amount(found[3])
            note_kills(group, row)
        elif group and awaited and (found := VALUE.match(row)):
            group.values[awaited], awaited = amount(found[1]), ""
        elif group or EVENT.match(row):
            group = group or Group(line)
            note_kills(group, row)
    if group and group.values:
        yield told(text, group)


def note_kills(group: Group, row: str) -> None:
    if found := EVENT.search(row):
        group.values.setdefault("oom_kills", int(found[1]))


def amount(text: str) -> int | None:
    return None if text == "max" or int(text) >= UNLIMITED else int(text)


def told(text: Text, group: Group) -> CgroupMemory:
    values = group.values
    return CgroupMemory(
        source=source(text, group.line),
        subject=Subject(cgroup=group.cgroup),
        stamp=stamp_before(text, group.line),
        severity=Severity.CRITICAL if values.get("oom_kills") else Severity.INFO,
        limit=values.get("limit"),
        usage=values.get("usage"),
        peak=values.get("peak"),
        oom_kills=values.get("oom_kills"),
    )


PARSER = Parser(
    tool="cgroup memory files",
    medium="memory",
    footprint=footprint_of(FILE, EVENT, PASTED),
    read=read,
)
