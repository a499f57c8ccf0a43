"""`gpustat`, with or without `-c`, `-p` and `-u`: one line a GPU.

    [0] NVIDIA A100 80GB PCIe | 52'C, 100 % | 10151 / 81920 MB | alice:python3/20111(9876M) gdm(4M)

A GPU with memory in use and nobody behind the last bar has no process that the tool sees, and so has "(null)".
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Evidence, Subject
from ..evidence.gpu import GpuProcess, GpuProcessesNone, GpuStatus
from ..footprint import footprint_of
from ..text import Text
from . import Parser
from ._snapshot import source

# [6] NVIDIA A100 80GB PCIe | 52'C, 100 % | 10151 / 81920 MB | (null)
ROW = re.compile(
    r"^\[(?P<gpu>\d{1,3})\] (?P<name>[^|]{1,60}?) *\| *(?P<heat>\d{1,3})['°]? ?C,(?:[^,|]{1,12},)? *"
    r"(?P<busy>\d{1,3}) ?%[^|]{0,40}"
    r"\| *(?P<used>\d{1,7}) / +(?P<total>\d{1,7}) MB *(?P<holders>\|.{0,400})?$"
)
# alice:python3/20111(9876M)      jfx(?M)
HOLDER = re.compile(r"(?:[\w.-]{1,32}:)?(?P<name>[^\s:/(]{1,40})(?:/(?P<pid>\d{1,8}))?\((?P<memory>\d{1,7}|\?)M\)")


def read(text: Text) -> Iterator[Evidence]:
    for line in text.matching(PARSER.pattern):
        found = ROW.match(line.text.rstrip()[:600])
        if not found:
            continue
        gpu = int(found["gpu"])
        yield GpuStatus(
            source=source(text, line),
            subject=Subject(gpu=gpu),
            name=found["name"],
            temperature_c=float(found["heat"]),
            utilisation_percent=float(found["busy"]),
            memory_used_mib=float(found["used"]),
            memory_total_mib=float(found["total"]),
        )
        holders = list(HOLDER.finditer(found["holders"] or ""))
        for holder in holders:
            yield GpuProcess(
                source=source(text, line),
                subject=Subject(gpu=gpu, pid=int(holder["pid"]) if holder["pid"] else None),
                name=holder["name"],
                memory_mib=None if holder["memory"] == "?" else float(holder["memory"]),
            )
        if found["holders"] and not holders:
            yield GpuProcessesNone(source=source(text, line), subject=Subject(gpu=gpu))


PARSER = Parser(
    tool="gpustat",
    medium="gpu",
    footprint=footprint_of(ROW),
    read=read,
)
