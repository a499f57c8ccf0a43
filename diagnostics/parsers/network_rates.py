"""iperf3 and perftest (ib_write_bw, ib_read_bw, ib_send_bw): the rate between two hosts.

    [SUM]   0.00-10.00  sec  1.10 TBytes   942 Gbits/sec  120             sender
     65536      5000             23012.11            23010.22             0.36

iperf's last lines and perftest's average are facts, in Gbit/s and MB/s.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence.network import Benchmark
from ..footprint import footprint_of
from ..text import Text
from . import Parser
from ._snapshot import source

# [  5]   0.00-10.00  sec  10.9 GBytes  9.41 Gbits/sec  120             sender
IPERF = re.compile(
    r"^\[ *(SUM|\d{1,4})\] +[\d.]{3,12}-[\d.]{3,12} +sec +[\d.]{1,10} [KMGT]?Bytes +(\d{1,9}(?:\.\d+)?) "
    r"([KMGT]?)bits/sec(?: +\d{1,9})? +(sender|receiver)"
)
PERFTEST = re.compile(r"^ *#bytes +#iterations +BW peak\[(M[iB]?B|Gb)/sec\] +BW average")
#  65536      5000             23012.11            23010.22             0.36
ROW = re.compile(r"^ *(\d{1,10}) +(\d{1,10}) +(\d{1,9}\.\d+) +(\d{1,9}\.\d+) +\d{1,9}\.\d+\s*$")
SCALE = {"": 1e-9, "K": 1e-6, "M": 1e-3, "G": 1.0, "T": 1e3}


def read(text: Text) -> Iterator[Benchmark]:
    summed = any(line.text.startswith("[SUM]") for line in text.lines())
    unit = ""
    for line in text.lines():
        row = line.text[:300]
        if (found := IPERF.match(row)) and (found[1] == "SUM" or not summed):
            value = float(found[2]) * SCALE[found[3]]
            yield Benchmark(source=source(text, line), name=f"iperf3 {found[4]}", value=value, unit="Gbit/s")
        elif found := PERFTEST.match(row):
            unit = f"{found[1]}/s" if found[1] != "Gb" else "Gbit/s"
        elif unit and (found := ROW.match(row)):
            name = f"perftest average at {found[1]} bytes"
            yield Benchmark(source=source(text, line), name=name, value=float(found[4]), unit=unit)


PARSER = Parser(
    tool="iperf3, perftest",
    medium="network",
    footprint=footprint_of(IPERF, PERFTEST),
    read=read,
)
