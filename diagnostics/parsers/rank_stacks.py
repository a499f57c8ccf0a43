"""Where ranks stand, as people put stacks together: a rank, and below or beside it frames as py-spy prints them.

    rank 0:
        all_reduce (torch/distributed/distributed_c10d.py:2050)
        backward (torch/autograd/__init__.py:251)
    rank 1-7:
        synchronize (torch/cuda/__init__.py:792)
    rank 8   wait (torch/utils/file_baton.py:49)
    rank 1,2,3 Thread 812 (active): "MainThread"
        full_tensor (torch/distributed/tensor/_api.py:551)

    Process 2210: python grpo.py
        gather (accelerate/accelerator.py:2606)

A process whose frames follow without a thread's heading is told by its number. Of a range of ranks the first and the
last are told. A rank whose stack is not shown is skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Source, Subject
from ..evidence.process import Frame, PythonStack
from ..text import Line, Text
from . import Parser

RANK = re.compile(
    r"^\s{0,4}\[?rank ?(?P<ranks>\d{1,6}(?:(?:-|\.\.|, ?)\d{1,6}){0,64})\]?[ :]{0,8}"
    r"(?:Thread (?P<tid>\d{1,10}) \((?P<state>active|idle)(?:\+gil)?\): \"MainThread\")?(?P<rest>.{0,600})$",
    re.I,
)
FRAME = re.compile(r"(?:^|\s)(?P<name>[\w.<>]{1,120}) \((?P<file>[\w./<>-]{1,300}\.pyx?):(?P<line>\d{1,7})\)")
BELOW = re.compile(r"^\s{2,}(?=\S{1,120} \(\S{1,300}\.pyx?:\d)")


# Process 2210: python grpo.py, with the frames of the main thread below
PROCESS = re.compile(r"^\s{0,4}Process (?P<pid>\d{1,10}): \S")


def read(text: Text) -> Iterator[PythonStack]:
    yield from _of_processes(text)
    head: tuple[Line, re.Match[str]] | None = None
    frames: list[Frame] = []
    for line in text.lines():
        row = line.text[:1000]
        if found := RANK.match(row):
            yield from _told(text, head, frames)
            head, frames = (line, found), _frames(found["rest"])
            head = head if frames or found["state"] or not found["rest"].strip() else None
        elif head and BELOW.match(row):
            frames += _frames(row)
        elif head and row.strip():
            yield from _told(text, head, frames)
            head, frames = None, []
    yield from _told(text, head, frames)


def _of_processes(text: Text) -> Iterator[PythonStack]:
    for line in text.lines():
        found = PROCESS.match(line.text[:200])
        if not found:
            continue
        frames: list[Frame] = []
        for below in text.after(line, MOST):
            if not BELOW.match(below.text[:1000]):
                break
            frames += _frames(below.text[:1000])
        if frames:
            pid = int(found["pid"])
            yield PythonStack(
                source=Source(text.name, line.number, line.quote),
                subject=Subject(pid=pid, tid=pid),
                thread="MainThread",
                frames=tuple(frames),
            )


MOST = 100  # frames


def _frames(row: str) -> list[Frame]:
    return [Frame(found["name"], found["file"], int(found["line"])) for found in FRAME.finditer(row)]


def _told(text: Text, head: tuple[Line, re.Match[str]] | None, frames: list[Frame]) -> Iterator[PythonStack]:
    if head is None or not frames:
        return
    line, found = head
    ranks = [int(each) for each in re.findall(r"\d+", found["ranks"])]
    for rank in dict.fromkeys((ranks[0], ranks[-1])):
        yield PythonStack(
            source=Source(text.name, line.number, line.quote),
            subject=Subject(rank=rank),
            thread="MainThread",
            frames=tuple(frames),
            active=found["state"] == "active" if found["state"] else None,
        )


PARSER = Parser(
    tool="stacks of ranks",
    medium="python-stacks",
    footprint=r"^ {0,4}Process \d{1,10}: \S[^\n]{0,300}\n\s{2,}[\w.<>]{1,120} \([\w./<>-]{1,300}\.pyx?:\d{1,7}\)"
    r"|^\s{0,4}(?i:\[?rank) ?\d{1,6}(?:(?:-|\.\.|, ?)\d{1,6}){0,64}\]?[ :]{0,8}"
    r"(?:Thread \d{1,10} \((?:active|idle)(?:\+gil)?\): \"MainThread\"\s{0,4}$|$"
    r"|[\w.<>]{1,120} \([\w./<>-]{1,300}\.pyx?:\d)",
    read=read,
)
