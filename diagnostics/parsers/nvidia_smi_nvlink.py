"""`nvidia-smi nvlink -e`, `-s` and `-ec`: error counters and the state of links.

    GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-00000000-0000-0000-0000-000000000001)
         Link 4: Replay Errors: 12
         Link 0: 26.562 GB/s
         Link 5: <inactive>

Every counter that is not zero and every inactive link is a fact, and a GPU without any link that is up is one; all
zeroes of a GPU are one fact.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ..evidence import Severity, Subject
from ..evidence.gpu import NvlinkErrors
from ..footprint import footprint_of
from ..text import Line, Text
from . import Parser
from ._snapshot import source

GPU = re.compile(r"^GPU (\d{1,3}): ")
#      Link 4: Replay Errors: 12        Link 0, Replay Errors : 3
COUNTER = re.compile(r"^\s*Link (\d{1,3})[:,] (\S[\w /()-]{2,60}?) ?: (\d{1,20})\s*$")
#      Link 5: <inactive>
INACTIVE = re.compile(r"^\s*Link (\d{1,3}): <?(inactive|down)>?\s*$", re.IGNORECASE)
ALL_INACTIVE = re.compile(r"^\s*NVML: Unable to retrieve NVLink information as all links are inActive", re.IGNORECASE)
ACTIVE = re.compile(r"^\s*Link (\d{1,3}): [\d.]+ GB/s\s*$")
ERRORS = re.compile(r"error|replay|recovery|failure|malformed|discard", re.IGNORECASE)


@dataclass
class Quiet:
    """The first zero counter of a GPU, until a counter that is not zero is seen."""

    line: Line
    counter: str
    loud: bool = False


def read(text: Text) -> Iterator[NvlinkErrors]:
    gpu: int | None = None
    quiet: dict[int | None, Quiet] = {}
    for line in text.lines():
        row = line.text[:300]
        if found := GPU.match(row):
            gpu = int(found[1])
        elif (found := COUNTER.match(row)) and ERRORS.search(found[2]):
            state = quiet.setdefault(gpu, Quiet(line, found[2]))
            if int(found[3]):
                state.loud = True
                yield fact(text, line, gpu, int(found[1]), found[2], int(found[3]))
        elif found := INACTIVE.match(row):
            yield fact(text, line, gpu, int(found[1]), "inactive", None)
        elif ALL_INACTIVE.match(row):
            yield fact(text, line, gpu, None, "inactive", None)
        elif ACTIVE.match(row):
            quiet.setdefault(gpu, Quiet(line, "active"))
    for number, state in quiet.items():
        if not state.loud:
            yield NvlinkErrors(
                source=source(text, state.line), subject=Subject(gpu=number), link=None, counter=state.counter, count=0
            )


def fact(text: Text, line: Line, gpu: int | None, link: int | None, counter: str, count: int | None) -> NvlinkErrors:
    return NvlinkErrors(
        source=source(text, line),
        subject=Subject(gpu=gpu),
        severity=Severity.WARNING,
        link=link,
        counter=counter,
        count=count,
    )


PARSER = Parser(
    tool="nvidia-smi nvlink",
    medium="gpu",
    footprint=footprint_of(COUNTER, INACTIVE, ACTIVE, ALL_INACTIVE),
    read=read,
)
