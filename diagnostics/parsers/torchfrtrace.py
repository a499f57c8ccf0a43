"""`torchfrtrace`: what PyTorch's own comparison of flight-recorder dumps says.

    Not all ranks joining collective, sequence number: 5
    group info: 0:default_pg
    collective: nccl:all_reduce
    missing ranks: {1}
    collective state: scheduled
    collective stack trace:
      <module> at /home/job/train.py:44

Ranks that it lists as missing may be victims: it takes no account of the groups in which they wait.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from ..evidence import Severity, Subject
from ..evidence.collective import CollectiveStuck
from ..footprint import footprint_of
from ..text import Line, Text
from . import Parser
from ._job_lines import peel
from ._snapshot import source

# Not all ranks joining collective 5 at entry 4
HEAD = re.compile(r"(?:^|: )Not all ranks joining collective(?:, sequence number:)? ?(\d{1,15})?")
# (older, on one line) ... for group 0:default_pg collective nccl:all_reduce Missing ranks are {1}
OLD = re.compile(r"for group (\S{1,200}) collective (\S{1,80})\s{1,4}Missing ranks are \{([\d, ]{0,20000})\}")
FIELD = re.compile(r"(?:^|: )(group info|collective|missing ranks|expected ranks|collective state): ?(.{0,20000})$")
#   <module> at /home/job/train.py:44
FRAME = re.compile(r"^\s+(\S.{0,200}?) at (\S{1,1000}:\d{1,7})\s*$")


@dataclass
class Finding:
    """One finding while its lines are read."""

    line: Line
    sequence: int | None
    fields: dict[str, str] = field(default_factory=dict)
    frames: list[str] = field(default_factory=list)


def read(text: Text) -> Iterator[CollectiveStuck]:
    finding: Finding | None = None
    for line in text.lines():
        row = line.text[:22_000]
        said = row if row.startswith(" ") else peel(row[:4096]).message
        if found := HEAD.search(said):
            if finding:
                yield told(text, finding)
            finding = Finding(line, int(found[1]) if found[1] else None)
            if old := OLD.search(said):
                finding.fields = {"group info": old[1], "collective": old[2], "missing ranks": old[3]}
        elif finding and (found := FIELD.search(said)):
            finding.fields.setdefault(found[1], found[2])
        elif finding and (found := FRAME.match(said)):
            finding.frames.append(f"{found[1]} ({found[2]})")
    if finding:
        yield told(text, finding)


def told(text: Text, finding: Finding) -> CollectiveStuck:
    fields = finding.fields
    missing = ranks(fields.get("missing ranks", ""))
    # "expected ranks: 2" is a count, "{0, 1}" are the ranks
    expected = ranks(fields.get("expected ranks", "")) if "{" in fields.get("expected ranks", "") else ()
    return CollectiveStuck(
        source=source(text, finding.line),
        subject=Subject(rank=missing[0] if len(missing) == 1 else None),
        severity=Severity.CRITICAL,
        operation=fields.get("collective", "").rpartition(":")[2] or None,
        sequence=finding.sequence,
        group=fields.get("group info", "").partition(":")[2].strip() or None,
        missing_ranks=missing,
        joined_ranks=tuple(rank for rank in expected if rank not in missing),
        state=fields.get("collective state") or None,
        frames=tuple(finding.frames[:30]),
    )


def ranks(text: str) -> tuple[int, ...]:
    return tuple(sorted({int(number) for number in re.findall(r"\d{1,7}", text)}))


PARSER = Parser(tool="torchfrtrace", medium="collectives", footprint=footprint_of(HEAD), read=read)
