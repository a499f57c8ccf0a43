"""The head of `top`: what the machine as a whole is doing.

    Tasks: 2101 total, 905 running, 1196 sleeping,   0 stopped,   0 zombie
    %Cpu(s): 99.1 us,  0.8 sy,  0.0 ni,  0.1 id,  0.0 wa,  0.0 hi,  0.0 si,  0.0 st

The rows below it are read by another parser. The load average is skipped: on Linux it counts waits for a disk too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Source
from ..evidence.storage import IoStatistics
from ..text import Line, Text
from . import Parser

# Tasks: 2101 total, 905 running
TASKS = re.compile(r"^(?:Tasks|Threads): +\d{1,9} total, +(\d{1,9}) running")
# %Cpu(s): 99.1 us,  0.8 sy,  0.0 ni,  0.1 id,  0.0 wa,  0.0 hi,  0.0 si,  0.0 st
CPUS = re.compile(
    r"^%?Cpu\(s\): {0,3}([\d.]{1,6})[ %]{0,2}us, {0,3}[\d.]{1,6}[ %]{0,2}sy, {0,3}[\d.]{1,6}[ %]{0,2}ni,"
    r" {0,3}([\d.]{1,6})[ %]{0,2}id,(?:.{0,60}?([\d.]{1,6})[ %]{0,2}st)?"
)


def read(text: Text) -> Iterator[IoStatistics]:
    running: float | None = None
    for line in text.lines():
        row = line.text[:300]
        if tasks := TASKS.match(row):
            running = float(tasks[1])
        elif cpus := CPUS.match(row):
            yield told(text, line, cpus, running)
            running = None


def told(text: Text, line: Line, cpus: re.Match[str], running: float | None) -> IoStatistics:
    """The fact of one head."""
    values = {"user_percent": number(cpus[1]), "idle_percent": number(cpus[2])}
    if cpus[3]:
        values["stolen_percent"] = number(cpus[3])
    if running is not None:
        values["tasks_running"] = running
    return IoStatistics(source=Source(text.name, line.number, line.quote), values=values)


def number(text: str) -> float:
    """A number as top prints it; 0 where it is torn."""
    try:
        return float(text)
    except ValueError:
        return 0.0


PARSER = Parser(tool="top", medium="pressure", footprint=r"^%?Cpu\(s\): {0,3}[\d.]+[ %]{0,2}us,", read=read)
