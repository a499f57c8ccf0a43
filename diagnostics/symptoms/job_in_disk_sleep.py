"""Processes of one program are caught in D together: two or more, and half or more of those that a process table lists.

Only where nobody recorded what they wait in: a wait that is known is a symptom of its own. Never ABSENT.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.process import ProcessState, ThreadState
from ..incident import Incident
from ._symptom import Finding, Symptom

FEWEST = 2
TOOLS = re.compile(
    r"^(?:\S{0,80}/)?(?:nvidia-smi|dcgmi|rocm-smi|df|ls|stat|du|mount)\b"
)  # what they hang in is a symptom of its own


def rule(incident: Incident) -> Iterator[Finding]:
    key_of = incident.links.key_of
    known = {key_of(fact) for fact in incident.of(ThreadState)}
    known |= {key_of(row) for row in incident.of(ProcessState) if row.wchan}
    programs: dict[tuple[str, str], dict[int | None, ProcessState]] = defaultdict(dict)
    for row in incident.of(ProcessState):
        if row.state and row.command and not row.command.startswith("["):  # the kernel's own threads stand in brackets
            if TOOLS.match(row.command):
                continue
            programs[row.source.file, row.command.split(" -")[0][:200]][row.subject.pid] = row
    for (_, program), rows in programs.items():
        blocked = [row for row in rows.values() if row.state == "D" and key_of(row) not in known]
        if len(blocked) >= max(FEWEST, len(rows) / 2):
            note = f"{len(blocked)} of {len(rows)} processes of `{program[:80]}` are in D"
            yield Finding(Subject(host=blocked[0].subject.host), tuple(blocked[:4]), note)


SYMPTOM = Symptom(
    title="several processes of one program are in D together",
    rule=rule,
    leak=0.02,
    because="a process that reads is in D for a moment now and then, but seldom most of them at once",
    tells_apart=("host",),
    command="ps -eo pid,stat,wchan:32,args | awk '$2 ~ /D/'",
)
