"""The head of `top`: what the machine as a whole is doing.

    Tasks: 2101 total, 905 running, 1196 sleeping,   0 stopped,   0 zombie
    top - 14:02:11 up 12 days,  load average: 1904.21, 1880.09, 1811.77
    %Cpu(s): 99.1 us,  0.8 sy,  0.0 ni,  0.1 id,  0.0 wa,  0.0 hi,  0.0 si,  0.0 st

The rows below it are read by another parser; of a line that was cut short, what is left is idle at most. The load
average of `uptime`, `w` and /proc/loadavg is read too, also where it was copied alone; on Linux it counts waits for a
disk as well, so it means little without the idle and waiting shares.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Source
from ..evidence.storage import IoStatistics
from ..footprint import footprint_of
from ..text import Line, Text
from . import Parser

# Tasks: 2101 total, 905 running
TASKS = re.compile(r"^(?:Tasks|Threads): +\d{1,9} total, +(\d{1,9}) running")
# %Cpu0  : 99.0 us,  1.0 sy,  0.0 ni,  0.0 id,  0.0 wa      (one of the CPUs, after "1")
# %Cpu(s): 99.1 us,  0.8 sy,  0.0 ni,  0.1 id,  0.0 wa,  0.0 hi,  0.0 si,  0.0 st
CPUS = re.compile(
    r"^%?Cpu(?:\(s\)|\d{1,4}) {0,3}: {0,3}([\d.]{1,6})[ %]{0,2}us, {0,3}([\d.]{1,6})[ %]{0,2}sy"
    r"(?:, {0,3}[\d.]{1,6}[ %]{0,2}ni)?"
    r"(?:, {0,3}([\d.]{1,6})[ %]{0,2}id)?,?(?: {0,3}([\d.]{1,6})[ %]{0,2}wa,?)?(?:.{0,60}?([\d.]{1,6})[ %]{0,2}st)?"
)
#  14:22:40 up 12 min,  0 user,  load average: 0.61, 0.37, 0.20
LOAD = re.compile(r"^(?:top - | {0,2})\d\d:\d\d:\d\d up .{1,60}load averages?: {1,3}([\d.]{1,9}),? {1,3}([\d.]{1,9})")
# load average: 641.20, 633.77, 598.41 (copied without its clock)
BARE_LOAD = re.compile(
    r"^ {0,8}(?:system )?load ?av(?:erages?|g)[:= ] {0,3}([\d.]{1,9}),? {1,3}([\d.]{1,9}),? {1,3}[\d.]{1,9}\s{0,4}$",
    re.I,
)
# 288.10 281.77 240.41 301/5120 884211     (/proc/loadavg: what wants to run now, of all)
PROC_LOAD = re.compile(
    r"^(?:\S{0,80}loadavg: {0,3})?(\d{1,5}\.\d\d) (\d{1,5}\.\d\d) \d{1,5}\.\d\d \d{1,6}/\d{1,7} \d{1,8}\s{0,4}$"
)


def read(text: Text) -> Iterator[IoStatistics]:
    running: float | None = None
    load: tuple[Line, dict[str, float]] | None = None
    for line in text.lines():
        row = line.text[:300]
        if tasks := TASKS.match(row):
            running = float(tasks[1])
        elif cpus := CPUS.match(row):
            yield told(text, line, cpus, running, load[1] if load else {})
            running = load = None
        elif loads := LOAD.match(row) or BARE_LOAD.match(row) or PROC_LOAD.match(row):
            load = line, {"load_1min": number(loads[1]), "load_5min": number(loads[2])}
    if load:
        yield IoStatistics(source=Source(text.name, load[0].number, load[0].quote), values=load[1])


def told(text: Text, line: Line, cpus: re.Match[str], running: float | None, load: dict[str, float]) -> IoStatistics:
    """The fact of one head."""
    values = {
        "user_percent": number(cpus[1]),
        "system_percent": number(cpus[2]),
        "idle_percent": number(cpus[3]) if cpus[3] else max(0.0, 100.0 - number(cpus[1]) - number(cpus[2])),
        **load,
    }
    if cpus[4]:
        values["iowait_percent"] = number(cpus[4])
    if cpus[5]:
        values["stolen_percent"] = number(cpus[5])
    if running is not None:
        values["tasks_running"] = running
    return IoStatistics(source=Source(text.name, line.number, line.quote), values=values)


def number(text: str) -> float:
    """A number as top prints it; 0 where it is torn."""
    try:
        return float(text)
    except ValueError:
        return 0.0


PARSER = Parser(
    tool="top",
    medium="pressure",
    footprint=(
        r"^%?Cpu(\(s\)|\d{1,4}) {0,3}: {0,3}[\d.]+[ %]{0,2}us,|\d\d:\d\d:\d\d up .{1,60}load averages?: "
        f"|{footprint_of(BARE_LOAD, PROC_LOAD)}"
    ),
    read=read,
)
