"""A process ran out of descriptors: EMFILE or ENFILE, descriptors stripped from a message ("received 0 items of
ancdata"), or a process that holds nine tenths of its limit.

ABSENT where a process's count and limit are both known and far apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.process import OpenFileCount, ResourceLimit
from ..incident import Incident
from ..machines import Machines
from . import Finding, Symptom
from ._errors import matching

TOO_MANY = re.compile(
    r"Too many open files|EMFILE|ENFILE|\[Errno 2[34]\]|items of ancdata|no file descriptors available"
    "|file descriptor limit|maximal number of files that could be opened|filedescriptor out of range in select"
    r"|file-max limit \d+ reached",
    re.I,
)
NEAR = 0.9
FAR = 0.3


def rule(incident: Incident) -> Iterator[Finding]:
    """Each refusal and each process near its limit."""
    found = False
    for said in matching(incident, TOO_MANY, "EMFILE", "ENFILE"):
        found = True
        yield Finding(said.fact.subject, (said.fact, *_limits(incident)), said.text.splitlines()[0][:160])
    limits = _limits(incident)
    machines = Machines([*limits, *incident.of(OpenFileCount)])
    of_process = {(machines.of(limit), limit.subject.pid): limit for limit in limits}
    for count in incident.of(OpenFileCount):
        machine = machines.of(count)
        known = of_process.get((machine, count.subject.pid)) or of_process.get((machine, None))
        limit = known or next(iter(limits), None)
        if limit is None or not limit.soft:
            continue
        if count.count >= NEAR * limit.soft:
            yield Finding(count.subject, (count, limit), f"{count.count} of {limit.soft} descriptors are in use")
        elif count.count <= FAR * limit.soft and not found:
            yield Finding(
                Subject(), (count, limit), f"{count.count} of {limit.soft} descriptors are in use", present=False
            )


def _limits(incident: Incident) -> list[ResourceLimit]:
    return [limit for limit in incident.of(ResourceLimit) if "open files" in limit.resource.lower() and limit.soft]


SYMPTOM = Symptom(
    title="a process ran out of file descriptors",
    rule=rule,
    leak=0.0003,
    because="the errno has no other meaning",
    command="for p in PID; do ls /proc/$p/fd | wc -l; grep 'open files' /proc/$p/limits; done",
)
