"""`py-spy dump --json`, also with --locals.

    [{"pid": 30506, "thread_id": 139887949727424, "thread_name": "QueueFeederThread", "os_thread_id": 31807,
      "active": false, "owns_gil": false, "frames": [{"name": "Condition.wait", "filename": ..., "line": 327}]}]

With --subprocesses py-spy 0.4 prints the parent only. Frames come innermost first.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from ..evidence import Evidence, Subject
from ..evidence.process import Frame, NativeStack, PythonStack
from ..text import Line, Text
from . import Parser
from ._numbers import integer
from ._snapshot import source
from .pyspy import keep_name

# "thread_name": "MainThread",
HEAD = re.compile(r'"thread_name"\s*:')


def read(text: Text) -> Iterator[Evidence]:
    threads = whole_threads(text.plain)
    heads = [line for line in text.lines() if HEAD.search(line.text)]
    first = next(text.lines(), Line(1, "", ""))
    for number, thread in enumerate(threads):
        if isinstance(thread, dict) and isinstance(thread.get("frames"), list):
            # a dump on one line, or a torn one, has fewer or more such lines than whole threads
            line = heads[number] if len(heads) in (len(threads), len(threads) + 1) else first
            yield from told(text, line, thread)


def whole_threads(content: str) -> list[Any]:
    """The elements of the outermost list; of a torn dump those before the tear."""
    decoder = json.JSONDecoder()
    found: list[Any] = []
    at = content.find("[") + 1
    while at:
        at = next((n for n in range(at, len(content)) if content[n] not in " \t\r\n,"), 0)
        try:
            thread, at = decoder.raw_decode(content, at)
        except (ValueError, RecursionError):
            break
        found.append(thread)
    return found


def told(text: Text, line: Line, thread: dict[str, Any]) -> Iterator[Evidence]:
    """The stack of one thread."""
    names: dict[str, str] = {}
    frames = [frame for frame in thread["frames"] if isinstance(frame, dict)]
    for frame in frames:
        for local in frame.get("locals") or ():
            if isinstance(local, dict) and local.get("repr"):
                keep_name(names, str(local.get("name", "")), str(local["repr"])[:4000])
    pid, tid = integer(thread.get("pid")), integer(thread.get("os_thread_id"))
    process = thread.get("process_info")
    name = str(thread.get("thread_name") or tid or thread.get("thread_id"))
    subject = Subject(pid=pid, tid=tid)
    where = source(text, line)
    stack = tuple(frame_of(frame) for frame in frames)
    yield PythonStack(
        source=where,
        subject=subject,
        thread=name,
        frames=tuple(frame for frame in stack if frame.file),
        active=thread.get("active") if isinstance(thread.get("active"), bool) else None,
        holds_gil=True if thread.get("owns_gil") is True else None,
        command=str(process.get("command_line", "")) if isinstance(process, dict) else "",
        names=names,
    )
    if any(frame.module for frame in stack):
        yield NativeStack(source=where, subject=subject, thread=name, frames=stack)


def frame_of(frame: dict[str, Any]) -> Frame:
    """A Python frame has a line; a native one has line 0 and its library's name."""
    name = str(frame.get("name", ""))
    file = str(frame.get("short_filename") or frame.get("filename") or "")
    number = integer(frame.get("line"))
    if number or not frame.get("module"):
        return Frame(name, file or None, number)
    return Frame(name, module=str(frame["module"]))


PARSER = Parser(
    tool="py-spy --json",
    medium="python-stacks",
    footprint=r'"(thread_id|os_thread_id|owns_gil)"[ \t]*:',
    read=read,
)
