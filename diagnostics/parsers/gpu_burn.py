"""Tests of a GPU that people run by hand: gpu-burn's verdict, cuda_memtest's errors.

    Tested 2 GPUs:
            GPU 0: OK
            GPU 1: FAULTY
    [01/23/2016 13:52:41][n1][0]:ERROR: 117 errors found in Test4 [Moving inversions, random pattern] on device 0

A verdict that condemns every GPU says that the test itself could not run (a driver, a library): it is no result.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Severity, Subject
from ..evidence.gpu import GpuDiagnostic
from ..text import Line, Text
from . import Parser
from ._snapshot import source

TESTED = re.compile(r"^Tested (\d{1,3}) GPUs?:\s*$")
VERDICT = re.compile(r"^\s{1,12}GPU (\d{1,3}): (OK|FAULTY)\s*$")
# ERROR: 117 errors found in Test4 [Moving inversions, random pattern] on device 0
MEMTEST = re.compile(r"\bERROR: (\d{1,12}) errors found in (?:block )?(Test\d{1,2}) ?(?:\[[^\]]{1,60}\])?")
DEVICE = re.compile(r"\bdevice (\d{1,3})\b|\]\[(\d{1,3})\]:ERROR")


def read(text: Text) -> Iterator[GpuDiagnostic]:
    for line in text.lines():
        row = line.text[:600]
        if tested := TESTED.match(row):
            yield from verdicts(text, line, int(tested[1]))
        elif (found := MEMTEST.search(row)) and int(found[1]):
            device = DEVICE.search(row)
            gpu = int(device[1] or device[2]) if device else None
            yield told(text, line, gpu, f"memtest {found[2]}", "fail", found[0])


def verdicts(text: Text, line: Line, count: int) -> Iterator[GpuDiagnostic]:
    """What gpu-burn says of each GPU at its end."""
    found = [(below, match) for below in text.after(line, limit=count) if (match := VERDICT.match(below.text[:80]))]
    if len(found) > 1 and all(match[2] == "FAULTY" for _, match in found):
        return
    for below, match in found:
        yield told(text, below, int(match[1]), "gpu-burn", "pass" if match[2] == "OK" else "fail", below.text.strip())


def told(text: Text, line: Line, gpu: int | None, test: str, outcome: str, said: str) -> GpuDiagnostic:
    return GpuDiagnostic(
        source=source(text, line),
        subject=Subject(gpu=gpu),
        severity=Severity.CRITICAL if outcome == "fail" else Severity.INFO,
        test=test,
        outcome=outcome,
        text=said,
    )


PARSER = Parser(
    tool="gpu-burn, cuda_memtest",
    medium="gpu",
    footprint=r"^Tested \d{1,3} GPUs?:\s{0,4}$|\bERROR: \d{1,12} errors found in (block )?Test\d",
    read=read,
)
