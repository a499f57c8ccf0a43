"""nccl-tests: all_reduce_perf and its sisters.

    #       size         count      type   redop    root     time   algbw   busbw #wrong
      8589934592    2147483648     float     sum      -1    91254   94.13  176.50    N/A
    # Avg bus bandwidth    : 176.5

The bus bandwidth of the largest size (out of place) and the average are facts, in GB/s; wrong results are one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Severity
from ..evidence.network import Benchmark
from ..text import Line, Text
from . import Parser
from ._snapshot import source

#   8589934592    2147483648     float     sum      -1    91254   94.13  176.50    N/A
ROW = re.compile(
    r"^ *(\d{1,18}) +\d{1,18} +[a-z]\w{2,12} +(?:[a-z]{3,8} +)?(?:-?\d{1,4} +)?(\d{1,12}(?:\.\d+)?) +"
    r"(\d{1,6}\.\d+) +(\d{1,6}\.\d+) +(N/A|\d{1,12}(?:e[+-]\d+)?)"
)
AVERAGE = re.compile(r"^# Avg bus bandwidth *: (\d{1,6}(?:\.\d+)?)")
WRONG = re.compile(r"^# Out of bounds values *: (\d{1,12}) (?!OK)")


def read(text: Text) -> Iterator[Benchmark]:
    largest: tuple[int, Line, float] | None = None
    for line in text.lines():
        row = line.text[:400]
        if found := AVERAGE.match(row):
            yield told(text, line, "nccl-tests average bus bandwidth", float(found[1]), "GB/s")
        elif found := WRONG.match(row):
            yield told(text, line, "nccl-tests wrong values", float(found[1]), "values")
        elif found := ROW.match(row):
            size = int(found[1])
            if largest is None or size >= largest[0]:
                largest = size, line, float(found[4])
    if largest:
        yield told(text, largest[1], "nccl-tests bus bandwidth", largest[2], "GB/s")


def told(text: Text, line: Line, name: str, value: float, unit: str) -> Benchmark:
    severity = Severity.CRITICAL if unit == "values" and value else Severity.INFO
    return Benchmark(source=source(text, line), severity=severity, name=name, value=value, unit=unit)


PARSER = Parser(
    tool="nccl-tests",
    medium="network",
    footprint=r"^#? *(size +count +type|nccl-tests version)|^# Avg bus bandwidth|^# +size +count +type",
    read=read,
)
