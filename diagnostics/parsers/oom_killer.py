"""The kernel's OOM killer, of the machine or of a memory cgroup, and failed page allocations.

    p2pd invoked oom-killer: gfp_mask=0x140cca(GFP_HIGHUSER_MOVABLE|__GFP_COMP), order=0, oom_score_adj=0
    memory: usage 1881088kB, limit 1881088kB, failcnt 2223
    oom-kill:constraint=CONSTRAINT_MEMCG,...,oom_memcg=/job7,task_memcg=/job7/c1,task=python3,pid=22871,uid=1001
    Memory cgroup out of memory: Killed process 22871 (python3) total-vm:118122084kB, anon-rss:96211040kB, ...

One kill is one fact. Where the report is cut before it names a victim, its first line is; the trace may tell
whose memory was full. What is skipped: the table of tasks, whose numbers are pages.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from ..envelope import Envelope
from ..evidence import Evidence, Severity, Source, Subject
from ..evidence.kernel import OomKill, PageAllocationFailure
from ..text import Text
from . import Parser
from ._kernel_log import kernel_log

FOOTPRINT = (
    r"invoked oom-killer:|\b(?:mem_cgroup_(?:out_of_memory|oom_synchronize)"
    r"|__alloc_pages(?:_slowpath|_may_oom)[.\w]{0,20})\+0x"
    r"|memory: usage \d+kB, limit \d+kB|Memory cgroup stats for /|oom-kill:constraint=|killed as a result of limit of|"
    r"[Oo]ut of memory.{0,40}: Kill(?:ed)? process|Killed process \d+,? .{0,40}\(.{1,64}\),? .{0,40}vm:"
    "|page allocation failure"
)
# p2pd invoked oom-killer: gfp_mask=0x140cca
INVOKED = re.compile(r"^(.{1,64}?) invoked oom-killer:")
#  mem_cgroup_out_of_memory+0x4b/0x80       __alloc_pages_slowpath.constprop.0+0xc5a/0xd90
TRACE = re.compile(
    r"\b(mem_cgroup_(?:out_of_memory|oom_synchronize)|__alloc_pages(?:_slowpath|_may_oom)[.\w]{0,20})\+0x"
)
# memory: usage 1881088kB, limit 1881088kB, failcnt 2223
USAGE = re.compile(r"memory: usage (\d{1,15})kB, limit (\d{1,15})kB")
# oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=kubepods,mems_allowed=0-1,oom_memcg=/pod1,task_memcg=/pod1/c1,task=  # noqa: E501
CONSTRAINT = re.compile(r"oom-kill:constraint=(CONSTRAINT_\w+)(?:.{0,4000}?oom_memcg=([^,]{1,1024}),)?")
# Task in /docker/4f killed as a result of limit of /docker/4f
TASK_IN = re.compile(r"Task in \S{1,1024} killed as a result of limit of (\S{1,1024})")
# Memory cgroup stats for /kubepods/pod95387fa4/6895a3e1: cache:32KB rss:524188KB
STATS_OF = re.compile(r"Memory cgroup stats for (/\S{1,1024}?):(?:\s|$)")
# Memory cgroup out of memory: Kill process 15341 (java) score 0 or sacrifice child     (before kernel 5.x; who is
# killed follows)
CHOSEN = re.compile(r"([Mm]emory cgroup )?[Oo]ut of memory: Kill process \d{1,10} \(")
# Out of memory: Killed process 22871 (python3) total-vm:...    Killed process 731, UID 0, (python) total-vm:...
KILLED = re.compile(r"Killed process (\d{1,10})(?:,? UID \d{1,10},)? \((.{1,64}?)\)")
RSS = re.compile(r"(anon|file|shmem)-rss: ?(\d{1,15}) ?kB")
# python: page allocation failure: order:4, mode:0x40cc0(GFP_KERNEL|__GFP_COMP)
ALLOCATION = re.compile(r"^(.{1,64}?): page allocation failure[:.] order: ?(\d{1,3})")


@dataclass
class _Report:
    """What the lines of one report said before its `Killed process` line."""

    invoker: str | None = None
    first: tuple[Source, Envelope] | None = None
    usage_kib: int | None = None
    limit_kib: int | None = None
    constraint: str | None = None
    cgroup: str | None = None


def read(text: Text) -> Iterator[Evidence]:
    log = kernel_log(text)
    report = _Report()
    for line, message in log.matching(PARSER.pattern):
        said = message.message
        if found := INVOKED.match(said):
            yield from _cut(report)
            report = _Report(found[1], (log.source(line), message))
        elif found := TRACE.search(said):
            report.constraint = report.constraint or ("CONSTRAINT_MEMCG" if "cgroup" in found[1] else "CONSTRAINT_NONE")
        elif found := USAGE.search(said):
            report.usage_kib, report.limit_kib = int(found[1]), int(found[2])
            report.first = report.first or (log.source(line), message)
        elif found := CONSTRAINT.search(said):
            report.constraint, report.cgroup = found[1], found[2] or report.cgroup
            report.first = report.first or (log.source(line), message)
        elif found := TASK_IN.search(said):
            report.cgroup = found[1]
            report.first = report.first or (log.source(line), message)
        elif found := STATS_OF.search(said):
            report.cgroup = report.cgroup or found[1]
            report.first = report.first or (log.source(line), message)
        elif found := CHOSEN.search(said):
            report.constraint = report.constraint or ("CONSTRAINT_MEMCG" if found[1] else "CONSTRAINT_NONE")
            report.first = report.first or (log.source(line), message)
        elif found := ALLOCATION.match(said):
            yield PageAllocationFailure(
                source=log.source(line),
                subject=Subject(host=message.host, comm=found[1]),
                stamp=message.stamp,
                severity=Severity.WARNING,
                order=int(found[2]),
            )
        elif found := KILLED.search(said):
            in_cgroup = "cgroup" in said[: found.start()].lower()
            victim = Subject(host=message.host, pid=int(found[1]), comm=found[2], cgroup=report.cgroup)
            yield _kill(log.source(line), message, victim, report, in_cgroup)
            report = _Report()
    yield from _cut(report)


def _cut(report: _Report) -> Iterator[OomKill]:
    """A report that ends before it names whom it killed; its trace may tell whose memory was full."""
    if report.first:
        source, message = report.first
        fact = _kill(source, message, Subject(host=message.host, cgroup=report.cgroup), report, bool(report.limit_kib))
        known = report.constraint or report.cgroup or report.limit_kib
        yield fact if known else replace(fact, scope="unknown")


def _kill(source: Source, message: Envelope, victim: Subject, report: _Report, in_cgroup: bool) -> OomKill:
    rss = {name: int(kib) for name, kib in RSS.findall(message.message)}
    in_cgroup = in_cgroup or report.cgroup is not None
    return OomKill(
        source=source,
        subject=victim,
        stamp=message.stamp,
        severity=Severity.CRITICAL,
        scope="cgroup" if in_cgroup or report.constraint == "CONSTRAINT_MEMCG" else "global",
        limit_kib=report.limit_kib,
        usage_kib=report.usage_kib,
        anon_rss_kib=rss.get("anon"),
        file_rss_kib=rss.get("file"),
        shmem_rss_kib=rss.get("shmem"),
        invoker=report.invoker,
    )


PARSER = Parser(tool="the kernel's OOM killer", medium="kernel-log", footprint=FOOTPRINT, read=read)
