"""A memory cgroup's limit killed a process: the kernel's report, the cgroup's own counter, the scheduler's word, or
that of a program that watches a limit of its own over its workers. Where the kernel's report is cut before it says
whose memory was full, a container that stands at its limit says so; and where no kernel's report was kept, a record of
the container's memory that ends at its limit and then tells of a process that SIGKILL ended.

A kill that is older than every run of the incident, or after which the job made steps for more than a day or came to
its good end, is another incident's; so is one long before all that a table shows of the job, or where it shows no job.
ABSENT where the kernel log was read (and is not empty) and reports no kill that is
not older, or the cgroup's counter is 0.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ..evidence import Coverage, Evidence, Subject
from ..evidence.kernel import OomKill
from ..evidence.storage import CgroupMemory
from ..evidence.supervisor import ProcessEnded, SchedulerEvent
from ..incident import Incident
from ._errors import matching
from ._memory import OF_THE_MACHINE, OOMD
from ._reports import killed
from ._runs import killed_another
from ._symptom import Finding, Symptom

AT_LIMIT = 0.98  # of its limit: what the kernel could reclaim is gone
# a nanny that ends its workers at a limit of their memory (Dask)
OF_ITS_OWN = re.compile(r"\bWorker\b.{0,120}\bexceeded \d{1,3}% memory budget", re.I)


def rule(incident: Incident) -> Iterator[Finding]:
    """Each kill by a limit; else the places that would show it."""
    found = False
    recent = [kill for kill in incident.of(OomKill) if not _is_older(incident, kill)]
    kills = [kill for kill in recent if not killed_another(incident, kill)]
    for kill in kills:
        if kill.scope == "cgroup":
            found = True
            yield Finding(kill.subject, (kill,), killed(kill))
    at_limit = [
        row for row in incident.of(CgroupMemory) if row.limit and row.usage and row.usage >= AT_LIMIT * row.limit
    ]
    unknown = [kill for kill in kills if kill.scope == "unknown"]
    if unknown and at_limit:
        found = True
        note = f"{killed(unknown[0])}; {at_limit[0].subject.cgroup or 'its cgroup'} stands at its limit"
        yield Finding(at_limit[0].subject, (unknown[0], at_limit[0]), note)
    for row, end in _killed_at_limit(incident, at_limit):
        found = True
        yield Finding(row.subject, (row, end), f"{row.subject.cgroup or 'the cgroup'} stood at its limit, then SIGKILL")
    for event in incident.of(SchedulerEvent):
        if event.about == "oom-killed" and not _is_of_the_machine(incident, event):
            found = True
            yield Finding(event.subject, (event,), event.text[:160])
    for said in matching(incident, OF_ITS_OWN):
        found = True
        yield Finding(said.fact.subject, (said.fact,), said.text[:160])
    counters = [row for row in incident.of(CgroupMemory) if row.oom_kills is not None]
    for row in counters:
        if row.oom_kills:
            found = True
            yield Finding(row.subject, (row,), f"the cgroup counts {row.oom_kills} kills")
    if not found and not recent:
        witnesses: tuple[Evidence | Coverage, ...] = (*incident.reads("kernel-log"), *counters)
        if witnesses:
            yield Finding(Subject(), witnesses, "no kill by a memory limit is reported", present=False)


def _is_of_the_machine(incident: Incident, event: SchedulerEvent) -> bool:
    """True for a kill for the machine's memory: systemd says of a unit only that something killed a process of it."""
    if event.system != "systemd":
        return OF_THE_MACHINE.search(event.text) is not None
    of_the_unit = (each.text for each in incident.of(SchedulerEvent) if each.subject.job == event.subject.job)
    return any(map(OOMD.match, of_the_unit)) or any(kill.scope == "global" for kill in incident.of(OomKill))


def _killed_at_limit(
    incident: Incident, at_limit: Sequence[CgroupMemory]
) -> Iterator[tuple[CgroupMemory, ProcessEnded]]:
    """Ends by SIGKILL below the last look at a container's memory, in one record, where that look shows it at its
    limit.
    """
    if any(kill.scope != "unknown" for kill in incident.of(OomKill)):
        return
    for end in incident.of(ProcessEnded):
        before = [
            row
            for row in incident.of(CgroupMemory)
            if row.source.file == end.source.file and row.source.line < end.source.line and row.usage
        ]
        if end.signal == "SIGKILL" and before and before[-1] in at_limit:
            yield before[-1], end


def _is_older(incident: Incident, kill: OomKill) -> bool:
    return incident.timeline.precedes_runs(kill) or incident.timeline.long_over(kill)


SYMPTOM = Symptom(
    title="a memory limit killed a process",
    rule=rule,
    leak=0.0003,
    because="the kernel reports it only when it did it",
    tells_apart=("host",),
    command="dmesg -T | grep -i 'memory cgroup out of memory'; cat /sys/fs/cgroup/memory.events",
)
