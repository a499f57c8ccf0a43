"""A process ran out of descriptors: EMFILE or ENFILE, descriptors stripped from a message ("received 0 items of
ancdata"), or a process that holds nine tenths of its limit, by a count or by the number of its last descriptor (the
lowest that is free is given); where nobody says the limit, one that holds 1024, which is the usual. Or as many
instances of inotify are in use as a user may have: each is a descriptor, too.

ABSENT where a process's count and limit are both known and far apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.job import SettingSeen
from ..evidence.process import OpenFile, OpenFileCount, ResourceLimit
from ..incident import Incident
from ..machines import Machines
from ..text import whole_number
from ._errors import matching
from ._symptom import Finding, Symptom

TOO_MANY = re.compile(
    r"Too many open files|EMFILE|ENFILE|\[Errno 2[34]\]|items of ancdata|no file descriptors available"
    "|file descriptor limit|maximal number of files that could be opened|filedescriptor out of range in select"
    r"|file-max limit \d+ reached",
    re.I,
)
NEAR = 0.9
USUAL = 1024  # the soft limit of nearly every system that nobody has told otherwise
NEAR_BY_NUMBER = 0.95
INOTIFY_LIMIT, INOTIFY_USED = "fs.inotify.max_user_instances", "inotify instances in use"
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
        if limit is None and USUAL - 4 <= count.count <= USUAL:
            note = f"{count.count} descriptors are in use, and {USUAL} is what most systems allow"
            yield Finding(count.subject, (count,), note)
        allowed = (limit.soft or limit.hard) if limit else None
        if limit is None or not allowed:
            continue
        note = f"{count.count} of {allowed} descriptors are in use"
        if count.count >= NEAR * allowed:
            yield Finding(count.subject, (count, limit), note)
        elif count.count <= FAR * allowed and not found:
            yield Finding(Subject(), (count, limit), note, present=False)

    yield from _last_descriptors(incident, limits)
    yield from _instances(incident)


def _last_descriptors(incident: Incident, limits: list[ResourceLimit]) -> Iterator[Finding]:
    """The open file of each process whose number is next to the limit on numbers."""
    last: dict[int | None, OpenFile] = {}
    for file in incident.of(OpenFile):
        if (file.descriptor or 0) > (last[file.subject.pid].descriptor or 0 if file.subject.pid in last else 0):
            last[file.subject.pid] = file
    for file in last.values():
        limit = next((each for each in limits if each.subject.pid in (None, file.subject.pid)), None)
        if limit and limit.soft and file.descriptor and NEAR_BY_NUMBER * limit.soft <= file.descriptor < limit.soft:
            note = f"descriptor {file.descriptor} of {limit.soft} is in use"
            yield Finding(Subject(pid=file.subject.pid), (file, limit), note)


def _instances(incident: Incident) -> Iterator[Finding]:
    """The limit on instances of inotify, where as many are in use."""
    settings = {setting.name: setting for setting in incident.of(SettingSeen)}
    most, used = settings.get(INOTIFY_LIMIT), settings.get(INOTIFY_USED)
    allowed, count = (whole_number(each.value) if each else None for each in (most, used))
    if most and used and allowed and count and count >= allowed:
        yield Finding(used.subject, (used, most), f"{count} of {allowed} instances of inotify are in use")


def _limits(incident: Incident) -> list[ResourceLimit]:
    return [
        limit
        for limit in incident.of(ResourceLimit)
        if "open files" in limit.resource.lower() and (limit.soft or limit.hard)
    ]


SYMPTOM = Symptom(
    title="a process ran out of file descriptors",
    rule=rule,
    leak=0.0003,
    because="the errno has no other meaning",
    command="for p in JOB_PID; do ls /proc/$p/fd | wc -l; grep 'open files' /proc/$p/limits; done",
)
