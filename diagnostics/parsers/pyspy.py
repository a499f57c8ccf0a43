"""`py-spy dump` as text, also with --locals, --native, --nonblocking and --subprocesses.

    Process 30506: python -u /workspace/train/trainer.py --workers 3
    Python v3.11.7 (/opt/python3.11/bin/python3.11)

    Thread 30506 (idle): "MainThread"
        _PollLikeSelector.select (selectors.py:415)
        <module> (trainer.py:355)

Frames come innermost first. Older versions print the pthread's address in hexadecimal instead of the thread
id, and bare function names. A dump without its heading belongs to the process whose main thread it shows.
Of the locals only those that name files or descriptors are kept; the rest may hold anything. A dump that
failed is a fact of its own: then "no stack" says nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from ..evidence import Evidence, Severity, Stamp, Subject
from ..evidence.process import Frame, NativeStack, PythonStack, StackDumpFailed
from ..text import Line, Text, whole_number
from . import Parser
from ._snapshot import source, stamp_before

# Process 4338: /opt/python/bin/python3 train_demo.py
PROCESS = re.compile(r"^ *(?:Parent |Child )?Process (\d{1,10}): (.*)$")
# Thread 4338 (idle): "MainThread"        Thread 0x7F2C1B5D7740 (active+gil): "MainThread"
# Thread 4488 (idle):        Thread 92 (active, waits for gil): "reader-0"
THREAD = re.compile(
    r"^ *Thread (0x[0-9A-Fa-f]{1,16}|\d{1,10}) \((active|idle)(\+gil)?(?:, [a-z ]{1,30})?\)(?:: \"(.*)\"|:)?\s*$"
)
# Connection._recv (multiprocessing/connection.py:395)
FRAME = re.compile(r"^\(([^()]{1,400}?)(?::(\d{1,7}))?\)\s*$")
# (C) File "./elf/dl-iteratephdr.c", line 39, in dl_iterate_phdr (libc.so.6): pystack's, where somebody put the two
# together
OF_PYSTACK = re.compile(
    r'^\((?:C|Python)\) File "([^"]{1,1000})", line (\d{1,7}), in (\S.{0,300}?)(?: \((\S{1,300})\))?$'
)
# wanted: {"step": 41200, "path": "/data/shard-00017.tar"}
LOCAL = re.compile(r"^([A-Za-z_]\w{0,80}): (.+)$")
# Error: Failed to suspend process
ERROR = re.compile(
    r"^Error: ((?:Failed to (?:suspend|get|find|copy|lock|attach|read|open|load)|Permission [Dd]enied|No such process"
    r"|Couldn't|Unable to|failed to|Is this a python).*)$"
)
# Reason: EPERM: Operation not permitted            0: Permission denied (os error 13)
CAUSE = re.compile(r"^(?:Reason: | {2,8}(?:\d{1,2}: )?)(\S.{0,300})$")
NAMES_FILE = re.compile(
    r"fd|fileno|descriptor|handle|file|filename|path|fname|shard|name_or_buffer|src|dst", re.IGNORECASE
)
PATHLIKE = re.compile(r"/[\w.@+-]{1,255}/?[\w./@+-]{0,500}")
LOCALS_LIMIT = 20


@dataclass
class Thread:
    """One thread of a dump while its frames are read."""

    line: Line
    identity: str
    active: bool
    gil: bool
    name: str
    frames: list[Frame] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)


@dataclass
class Dump:
    """One process's threads."""

    pid: int | None = None
    command: str = ""
    stamp: Stamp | None = None
    threads: list[Thread] = field(default_factory=list)


def read(text: Text) -> Iterator[Evidence]:
    dump = Dump()
    for line in text.lines():
        row = line.text[:4000]
        if found := PROCESS.match(row):
            yield from told(text, dump)
            dump = Dump(int(found[1]), found[2].strip(), stamp_before(text, line))
        elif found := THREAD.match(row):
            dump.threads.append(Thread(line, found[1], found[2] == "active", bool(found[3]), found[4] or ""))
        elif found := ERROR.match(row):
            yield from told(text, dump)
            dump = Dump()
            yield StackDumpFailed(source=source(text, line), tool="py-spy", reason=reason(text, line, found[1]))
        elif dump.threads and row.startswith(" "):
            note(dump.threads[-1], row.strip())
    yield from told(text, dump)


def note(thread: Thread, row: str) -> None:
    """A frame, or a local variable under one."""
    if frame := frame_of(row):
        thread.frames.append(frame)
    elif (found := LOCAL.match(row)) and found[2]:
        keep_name(thread.names, found[1], found[2])


def frame_of(row: str) -> Frame | None:
    """`name (file:line)`; a native frame has the library instead of a file and no line."""
    if other := OF_PYSTACK.match(row):
        return Frame(other[3], module=other[4] or other[1])
    name, opening, place = row.rpartition(" (")
    found = FRAME.match(f"({place}") if opening and place.endswith(")") else None
    if not found or not name or LOCAL.match(row):
        return None
    if found[2]:
        return Frame(name, found[1], int(found[2]))
    return Frame(name, module=found[1])


def keep_name(names: dict[str, str], name: str, value: str) -> None:
    """Keep a local when it names a file or a descriptor: the innermost of each name, and not many."""
    value = value.strip().strip("\"'")
    path = PATHLIKE.search(value)
    is_number = len(value) < 7 and whole_number(value) is not None
    if name in names or len(names) >= LOCALS_LIMIT:
        return
    if path and "/" in path[0][1:]:
        names[name] = path[0]
    elif NAMES_FILE.fullmatch(name) and (is_number or path):
        names[name] = value[:200]


def reason(text: Text, line: Line, problem: str) -> str:
    """An error and the causes that follow it, each once."""
    details: list[str] = []
    for each in text.after(line, 6):
        found = CAUSE.match(each.text)
        if each.text.strip() not in ("", "Caused by:") and not found:
            break
        if found and found[1].strip() not in details:
            details.append(found[1].strip())
    return "; ".join([problem.strip(), *details])


def told(text: Text, dump: Dump) -> Iterator[Evidence]:
    """The stacks of a dump's threads."""
    mains = (whole_number(thread.identity) for thread in dump.threads if thread.name == "MainThread")
    pid = dump.pid if dump.pid is not None else next((main for main in mains if main is not None), None)
    for thread in dump.threads:
        tid = whole_number(thread.identity)
        subject = Subject(pid=pid, tid=tid)
        python = tuple(frame for frame in thread.frames if frame.file)
        yield PythonStack(
            source=source(text, thread.line),
            subject=subject,
            stamp=dump.stamp,
            severity=Severity.INFO,
            thread=thread.name or thread.identity,
            frames=python,
            active=thread.active,
            holds_gil=thread.gil or None,
            command=dump.command,
            names=thread.names,
        )
        if len(python) < len(thread.frames):
            yield NativeStack(
                source=source(text, thread.line),
                subject=subject,
                stamp=dump.stamp,
                thread=thread.name or thread.identity,
                frames=tuple(thread.frames),
            )


PARSER = Parser(
    tool="py-spy",
    medium="python-stacks",
    footprint=(
        r"^ *Thread (0x[0-9A-Fa-f]+|\d+) \((active|idle)(\+gil)?(, [a-z ]{1,30})?\)"
        r"|^Error: (Failed to (suspend|get process|copy|find a "
        r"python)|Permission Denied: Try running again with elevated)|^ *Process \d+: .*\r?\nPython v\d"
    ),
    read=read,
)
