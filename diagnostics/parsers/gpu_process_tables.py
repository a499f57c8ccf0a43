"""Tables of the processes on GPUs, as nvitop, all-smi and people's own scripts print them: the heading says which
column is what.

    GPU     PID      USER  GPU-MEM %SM  %CPU  %MEM  TIME  COMMAND
      1   56752 C     N/A 32.34GiB 100   N/A   N/A   N/A  No Such Process

    GPU  PID       Process name                          GPU Memory
      0  2505781   sglang::scheduler_DP0_TP0_EP0         100998 MiB

    PID     PROCESS NAME    GPU(s)  VRAM USED     SDMA USED    CU OCCUPANCY
    190221  UNKNOWN         2       60129542144   0            0

nvidia-smi's own table has bars and a parser of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.gpu import GpuProcess
from ..footprint import footprint_of
from ..text import Line, Text
from . import Parser
from ._snapshot import source

# GPU     PID      USER  GPU-MEM %SM  %CPU  %MEM  TIME  COMMAND
HEADING = re.compile(
    "^[ │]{0,8}(?:(?P<gpu>GPU|Dev(?:ice)?|IDX)(?: ?ID)?[ │]{1,20}(?:USER[ │]{1,20})?"
    r"|(?=PID\b.{0,160}\b(?:GPU|VRAM)))PID\b(?=.{0,160}\b(?:GPU[- _]?MEM|Memory|MEM|VRAM|Used?|Usage)\b)"
    r".{0,160}\b(?:(?P<last>COMMAND|CMD|Process(?: name)?|Name)\b|Memory\b|MEM\b|Usage\b)[^\n]{0,80}$",
    re.I,
)
GPU_AND_PID = re.compile(r"^[ │]{0,8}(\d{1,3})[ │]{1,20}(?:[a-z_][\w.-]{0,31}[ │]{1,20})?(\d{2,10})\b")
PID_ALONE = re.compile(r"^[ │]{0,8}()(\d{2,10})\b")
MEMORY = re.compile(r"(?<![\w.])(\d{1,8}(?:\.\d{1,3})?) ?([MG])(?:iB|B)?(?![\w/])")
BYTES = re.compile(r"(?<=\s)(\d{7,13})()(?=\s)")  # as rocm-smi --showpids prints it
CELL = re.compile(r"[ │]{2,60}")
WORD = re.compile(r"[A-Za-z]{2}")
IN_MIB = {"M": 1.0, "G": 1024.0, "": 2.0**-20}


def read(text: Text) -> Iterator[GpuProcess]:
    heading: re.Match[str] | None = None
    for line in text.lines():
        row = line.text[:300].rstrip(" │")
        if found := HEADING.match(row):
            heading = found
        elif heading and row.strip("-=─═ +╞╪╡├┼┤"):
            held = _holder(text, line, row, heading)
            if held is None:
                heading = None
            else:
                yield held


def _holder(text: Text, line: Line, row: str, heading: re.Match[str]) -> GpuProcess | None:
    who = (GPU_AND_PID if heading["gpu"] else PID_ALONE).match(row)
    memory = (MEMORY.search(row, who.end()) or BYTES.search(row, who.end())) if who else None
    if not who or not memory:
        return None
    names = [cell for cell in CELL.split(row[who.end() :]) if WORD.search(cell) and not MEMORY.match(cell)]
    return GpuProcess(
        source=source(text, line),
        subject=Subject(gpu=int(who[1]) if who[1] else None, pid=int(who[2])),
        name=(names[-1] if heading["last"] else names[0])[:200] if names else "",
        memory_mib=float(memory[1]) * IN_MIB[memory[2]],
    )


PARSER = Parser(
    tool="a table of the processes on GPUs",
    medium="gpu",
    footprint=footprint_of(HEADING),
    read=read,
)
