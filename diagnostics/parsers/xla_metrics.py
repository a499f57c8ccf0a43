"""torch_xla's metrics report (`print(met.metrics_report())`): how long the device's compiler took, beside the runs.

    Metric: CompileTime
      TotalSamples: 10
      Accumulator: 01h28m17s114ms219.011us
      Percentiles: 1%=004s211ms; 50%=05m02s101ms; 99%=25m11s804ms
    Metric: ExecuteTime
      TotalSamples: 232
      Accumulator: 18s204ms710.201us

The numbers count from the start of the process, so that the last report of a file is the one that is read. Nothing is
told where the graphs that were compiled ran for longer than it took to compile them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Source
from ..evidence.training import PhaseTook
from ..footprint import footprint_of
from ..text import Line, Text
from . import Parser

# Metric: CompileTime
METRIC = re.compile(r"^\s{0,8}Metric: (?P<name>CompileTime|ExecuteTime)\s*$")
# Accumulator: 01h28m17s114ms219.011us
ACCUMULATED = re.compile(r"^\s{0,8}Accumulator: (?P<time>\d[\dhmsu.d]{0,60})\s*$")
PART = re.compile(r"(\d{1,9}(?:\.\d{1,9})?)(d|h|ms|us|m|s)")
UNITS = {"d": 86400.0, "h": 3600.0, "m": 60.0, "s": 1.0, "ms": 1e-3, "us": 1e-6}
COMPILED, RAN = "CompileTime", "ExecuteTime"


def read(text: Text) -> Iterator[PhaseTook]:
    told: dict[str, tuple[Line, float]] = {}
    metric = ""
    for line in text.lines():
        if found := METRIC.match(line.text[:200]):
            metric = found["name"]
        elif metric in (COMPILED, RAN) and (found := ACCUMULATED.match(line.text[:200])):
            seconds = sum(float(number) * UNITS[unit] for number, unit in PART.findall(found["time"]))
            told[metric], metric = (line, seconds), ""
    if COMPILED in told and told[COMPILED][1] >= (told[RAN][1] if RAN in told else 0.0):
        line, compiled = told[COMPILED]
        source = Source(text.name, line.number, line.quote)
        yield PhaseTook(source=source, phase="compile", seconds=compiled, text="compilation of XLA's graphs")


PARSER = Parser(tool="torch_xla's metrics", medium="notes", footprint=footprint_of(METRIC), read=read)
