"""gpu-burn: its running line and its verdict on each device.

    12.1%  proc'd: 4410 (6710 Gflop/s)  errors: 118 (WARNING!)  temps: 61 C
    100.0%  proc'd: 36512 (6722 Gflop/s) - 36498 (6719 Gflop/s)   errors: 0 - 14 (WARNING!)   temps: 62 C - 61 C
    Tested 2 GPUs:
        GPU 0: OK
        GPU 1: FAULTY

A running line has a number for each device, in their order; the worst one of a device counts. Where the verdicts stand
below, they alone are told; where they condemn all of several devices, the test itself could not run and says nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Severity, Subject
from ..evidence.gpu import GpuDiagnostic
from ..footprint import footprint_of
from ..text import Line, Text
from . import Parser
from ._snapshot import source

# errors: 0 - 14 (WARNING!)
ERRORS = re.compile(r"%\s{1,4}proc'd: .{1,2000}?errors: ([\d ()A-Z!-]{1,2000}?)\s{1,8}temps:")
COUNT = re.compile(r"(\d{1,12})(?: \([A-Z!]{1,20}\))?")
# GPU 1: FAULTY
VERDICT = re.compile(r"^\s{1,8}GPU (\d{1,3}): (OK|FAULTY)\s*$")


def read(text: Text) -> Iterator[GpuDiagnostic]:
    counted: dict[int, tuple[Line, int]] = {}
    judged = []
    for line in text.lines():
        if found := ERRORS.search(line.text[:4000]):
            for gpu, count in enumerate(COUNT.findall(found[1])):
                if gpu not in counted or int(count) > counted[gpu][1]:
                    counted[gpu] = (line, int(count))
        elif found := VERDICT.match(line.text[:80]):
            judged.append(told(text, line, int(found[1]), found[2] == "OK", found[2]))
    if len(judged) > 1 and all(each.outcome == "fail" for each in judged):
        return
    yield from judged or [
        told(text, line, gpu if len(counted) > 1 else None, count == 0, f"{count} errors")
        for gpu, (line, count) in counted.items()
    ]


def told(text: Text, line: Line, gpu: int | None, well: bool, words: str) -> GpuDiagnostic:
    return GpuDiagnostic(
        source=source(text, line),
        subject=Subject(gpu=gpu),
        severity=Severity.INFO if well else Severity.CRITICAL,
        test="gpu-burn",
        outcome="pass" if well else "fail",
        text=words,
    )


PARSER = Parser(
    tool="gpu-burn",
    medium="gpu",
    footprint=footprint_of(ERRORS, VERDICT),
    read=read,
)
