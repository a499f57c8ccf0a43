"""The kernel's table of memory zones, which it prints when it runs out of memory, fails to allocate or is asked
(SysRq-m).

    Node 0 DMA32 free:45204kB min:4900kB low:6124kB high:7348kB active_anon:1710580kB active_file:96kB managed:1808136kB
    Node 0 Normal free:40220kB min:40816kB low:51020kB high:61224kB active_anon:15120044kB active_file:1180kB managed:15067912kB

One fact a report, at its first zone: all zones' pages, and of them those that are free or hold files. The zone DMA is
skipped, and so is a report of which less than 2 GiB is left: of a machine's only small zone nothing follows.
"""  # noqa: E501

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.storage import MemoryInfo
from ..text import Text
from . import Parser
from ._kernel_log import kernel_log

# Node 0 Normal free:40220kB boost:0kB min:40816kB low:51020kB      Normal free:40220kB min:40816kB (one node)
ZONE = re.compile(
    r"^(?:Node (?P<node>\d{1,3}) )?(?P<zone>DMA32|Normal|HighMem|Movable) free:(?P<free>\d{1,12})kB "
    r"(?:boost:\d{1,12}kB )?min:\d{1,12}kB "
)
MANAGED = re.compile(r"\b(?:managed|present):(\d{1,12})kB\b")
FILES = re.compile(r"\b(?:active_file|inactive_file|slab_reclaimable):(\d{1,12})kB\b")
FEWEST_KIB = 2 << 20


def read(text: Text) -> Iterator[MemoryInfo]:
    log = kernel_log(text)
    report: list[tuple[str, MemoryInfo]] = []
    for line, message in log.matching(PARSER.pattern):
        found = ZONE.match(message.message)
        sizes = [int(size) for size in MANAGED.findall(message.message)]
        if not found or not sizes:
            continue
        name = f"{found['node']} {found['zone']}"
        if any(name == other for other, _ in report):
            yield from _told(report)
            report = []
        free = int(found["free"]) + sum(int(size) for size in FILES.findall(message.message))
        report.append(
            (
                name,
                MemoryInfo(
                    source=log.source(line),
                    subject=Subject(host=message.host),
                    stamp=message.stamp,
                    values_kib={"MemTotal": min(sizes), "MemAvailable": free},
                ),
            )
        )
    yield from _told(report)


def _told(report: list[tuple[str, MemoryInfo]]) -> Iterator[MemoryInfo]:
    """All zones of one report together."""
    total, available = (sum(zone.values_kib[key] for _, zone in report) for key in ("MemTotal", "MemAvailable"))
    if total >= FEWEST_KIB:
        first = report[0][1]
        values = {"MemTotal": total, "MemAvailable": min(available, total)}
        yield MemoryInfo(source=first.source, subject=first.subject, stamp=first.stamp, values_kib=values)


PARSER = Parser(
    tool="the kernel's memory zones",
    medium="kernel-log",
    footprint=r"(?:^|[\s\]>])(?:DMA32|Normal|HighMem|Movable) free:\d{1,12}kB (?:boost:\d{1,12}kB )?min:\d",
    read=read,
)
