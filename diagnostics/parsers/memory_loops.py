"""Memory as a shell's loop prints it, one look a line: a time or a count, and what is used or left.

    $ while sleep 900; do echo "$(date +%H:%M) step=$(cat step) free=$(free -m | awk '/Mem/{print $4}')MB"; done
    09:15 step=400 free=52914MB
    Mon May  6 10:00:01 UTC 2024 avail: 41.2 GiB
    1714989600 used=18.2G available=7.1G

    $ while true; do date; ps -o rss= -p 4242; sleep 60; done
    Mon May  6 10:00:01 UTC 2024
    18234112

Whose memory it is, the command says or the file, which is called after the memory: a row alone says neither. Numbers
without a unit are in the unit of the command, which `awk` may have divided. What nvidia-smi or df counted is none, and
rows with anything but names and numbers are skipped; lines of `memory_series` are left to it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from ..evidence import Clock, Source, Stamp, Subject
from ..evidence.storage import MemoryInfo
from ..footprint import footprint_of
from ..sizes import size_kib
from ..text import Line, Text
from . import Parser
from ._job_lines import Message, message
from .memory_by_progress import OF_MEMORY
from .memory_series import OF_A_GPU, OF_A_VOLUME, logged_elsewhere

# $(free -m | awk '/Mem/{print $7}')     ps -o rss= -p 4242     awk '/MemAvailable/{print $2/1024}' /proc/meminfo
FREE = re.compile(r"(?<![\w-])free(?P<flag>(?: -{1,2}\w{1,8}){0,3}) {0,2}(?:[|;)`&]|$)")
RSS = re.compile(r"(?<![\w-])ps -[^|;\n]{0,60}?\brss=|\bVmRSS\b[^|;\n]{0,60}/proc/\S{1,40}/status")
MEMINFO = re.compile(
    r"\bMem(?P<kind>Free|Available)\b[^|;\n]{0,60}/proc/meminfo|/proc/meminfo\b[^\n]{0,60}\bMem(?P<of>Free|Available)"
)
COLUMN = re.compile(r"\$(?P<column>[347])\b")
COLUMNS = {"3": "MemUsed", "4": "MemFree", "7": "MemAvailable"}
BY_MIB, BY_KIB = re.compile(r"/ ?(?:1024 ?/ ?1024|1048576)\b"), re.compile(r"/ ?1024\b")
PID = re.compile(r" -p ?(?P<pid>\d{1,8})\b|/proc/(?P<of>\d{1,8})/status")
OF_OTHERS = re.compile(r"nvidia-smi|rocm-smi|gpu|cuda|vram|swap|shm|\bdf\b|\bdu\b|disk", re.I)
# 09:15 free=26914MB     2024-05-06 09:15 free=26914MB
MINUTE = re.compile(r"^\[?(?:\d{4}-\d\d-\d\d[ T])?(?P<hour>[01]\d|2[0-3]):(?P<minute>[0-5]\d)\]?[ ,;|\t]{1,4}")
# free=26914MB     avail: 41.2 GiB     mem_used_kb=18234112
_MEMORY = r"(?:(?:host|sys(?:tem)?|node|proc(?:ess)?|trainer|main|parent|worker|python)[_.-]?)?"
_UNIT = r"(?:[_.]?\(?(?P<named>[KMGT]i?B)\)?)?"
KINDS = {
    "MemUsed": rf"{_MEMORY}(?:(?:mem(?:ory)?|ram)(?:[_.-]?(?:used?|usage|rss))?|used|(?:vm)?rss|res(?:ident)?)",
    "MemFree": rf"{_MEMORY}(?:mem(?:ory)?|ram)?[_.-]?(?:free|left)",
    "MemAvailable": rf"{_MEMORY}(?:mem(?:ory)?|ram)?[_.-]?avail(?:able)?",
}
KEYS = {kind: re.compile(rf"^{key}{_UNIT}$", re.I) for kind, key in KINDS.items()}
_PAIR = r"[A-Za-z][\w.-]{0,20}(?: ?[=:] ?| {1,8})\d[\w.+-]{0,20}(?: [KMGT]i?B)?"
PAIR = re.compile(
    r"(?P<key>[A-Za-z][\w.-]{0,20})(?: ?[=:] ?| {1,8})"
    r"(?P<number>\d{1,12}(?:\.\d{1,4})?) ?(?P<unit>[KMGT](?:i?B)?)?(?=[ ,;|\t]|$)",
    re.I,
)
ROW = re.compile(rf"^{_PAIR}(?:[ ,;|\t]{{1,4}}{_PAIR}){{0,7}}$", re.I)
BARE = re.compile(r"^(?P<number>\d{1,12}(?:\.\d{1,4})?)$")
# a row's telling part
TELLING = re.compile(
    r"(?:^|[\s,;|_.])(?:mem(?:ory)?|ram|used|rss|res(?:ident)?|free|left|avail(?:able)?)"
    r"(?:_[kmgt]i?b ?[=:] ?\d{1,12}(?:\.\d{1,4})?| ?[=: ] ?\d{1,12}(?:\.\d{1,4})? ?[KMGT]i?B?)"
    r"(?:[ ,;|][^/%\n]{0,150})?$",  # as ROW, which a step line is not
    re.I,
)
SPEAKS = re.compile(r"\bfree\b|\brss=|\bVmRSS\b|/proc/meminfo")  # every command does; it costs little to look for
FEWEST = {"MemUsed": 3, "MemFree": 4, "MemAvailable": 4}
LONGEST = 200


class Command(NamedTuple):
    """What a loop prints: the kind of a number that no name stands at, its unit, and of which process it is."""

    kind: str | None
    unit: str | None
    pid: int | None


def read(text: Text) -> Iterator[MemoryInfo]:
    command: Command | None = None
    dated: Stamp | None = None  # by the line above
    of_memory = OF_MEMORY.search(text.name.rpartition("/")[2]) is not None and not OF_OTHERS.search(text.name)
    if not of_memory and not any(command_of(line.text[:600]) for line in text.matching(SPEAKS)):
        return
    rows: dict[tuple[str, str, int | None], list[tuple[Line, Stamp | None, int]]] = defaultdict(list)
    for line in text.lines():
        if said := command_of(line.text[:600]):
            command = said
        elif OF_OTHERS.search(line.text[:600]) or OF_A_VOLUME.search(line.text[:600]):
            command, of_memory = None, of_memory and not OF_A_VOLUME.search(line.text[:600])
        elif (command or of_memory) and len(line.text) <= LONGEST:
            found = message(line)
            dated = found.stamp if not found.text.strip() else dated
            for kind, name, stamp, kib in looks(line, found, command):
                rows[kind, name, command and command.pid].append((line, stamp or dated, kib))
    for (kind, name, pid), seen in rows.items():
        for line, stamp, kib in seen if len(seen) >= FEWEST[kind] else ():
            yield MemoryInfo(
                source=Source(text.name, line.number, line.quote),
                subject=Subject(pid=pid, job=name or None),
                stamp=stamp,
                values_kib={kind: kib},
            )


def command_of(said: str) -> Command | None:
    """What a command prints, where it looks at the host's memory and at nothing else."""
    free, rss, meminfo = FREE.search(said), RSS.search(said), MEMINFO.search(said)
    if not (free or rss or meminfo) or OF_OTHERS.search(said):
        return None
    unit: str | None = "K"
    if free and (flag := re.search(r"-([bkmgh])", free["flag"])):
        unit = {"b": None, "h": None}.get(flag[1], flag[1].upper())
    if unit == "K":
        unit = "G" if BY_MIB.search(said) else "M" if BY_KIB.search(said) else "K"
    column = COLUMN.search(said) if free else None
    named = meminfo and (meminfo["kind"] or meminfo["of"])
    kind = "MemUsed" if rss else f"Mem{named}" if named else COLUMNS[column["column"]] if column else None
    pid = PID.search(said) if rss else None
    return Command(kind, unit, int(pid["pid"] or pid["of"]) if pid else None)


def looks(line: Line, found: Message, command: Command | None) -> Iterator[tuple[str, str, Stamp | None, int]]:
    """The memory that one line tells of: the kind, its name, when it was looked at, and how much."""
    said, stamp = found.text.strip(), found.stamp
    if stamp is None and (minute := MINUTE.match(said)):
        said = said[minute.end() :]
        stamp = Stamp(Clock.TIME_OF_DAY, 3600.0 * int(minute["hour"]) + 60.0 * int(minute["minute"]))
    if (bare := BARE.match(said)) and command and command.kind and command.unit:
        yield command.kind, "", stamp, size_kib(bare["number"], command.unit)
    if not ROW.match(said) or OF_A_GPU.search(said) or logged_elsewhere(line, line.text):
        return
    for pair in PAIR.finditer(said):
        for kind, key in KEYS.items():
            if name := key.match(pair["key"]):
                unit = pair["unit"] or name["named"] or (command and command.unit)
                # what is called free may be what the command's column says is available
                exact = kind if kind == "MemUsed" or not command or not command.kind else command.kind
                if unit:
                    yield exact, pair["key"], stamp, size_kib(pair["number"], unit)
                break


PARSER = Parser(
    tool="memory in a shell's loop", medium="memory", footprint=footprint_of(TELLING, FREE, RSS, MEMINFO), read=read
)
