"""`fio` without JSON: the bandwidth of each direction, where requests are large.

      read: IOPS=143, BW=17.9MiB/s (18.8MB/s)(1077MiB/60122msec)
      WRITE: bw=10.1MiB/s (10.6MB/s), 10.1MiB/s-10.1MiB/s (10.6MB/s-10.6MB/s), io=1077MiB (1129MB), run=60122-60122msec

Small requests say how many a second a disk can do and little of its bandwidth: below 128 KiB each they are skipped, and
so is the summary of a group, which repeats its jobs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Severity
from ..evidence.network import Benchmark
from ..footprint import footprint_of
from ..text import Text
from . import Parser
from ._job_lines import messages

# read: IOPS=143, BW=17.9MiB/s (18.8MB/s)
ROW = re.compile(
    r"^\s{0,8}(read|write)\s?: IOPS=(\d{1,9}(?:\.\d{1,3})?)(k?), BW=(\d{1,9}(?:\.\d{1,3})?)([KMG]?)i?B/s", re.I
)
UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}
LARGE = 128 << 10
INTERESTING = re.compile(r"IOPS=\d")


def read(text: Text) -> Iterator[Benchmark]:
    for message in messages(text, INTERESTING):
        if found := ROW.match(message.text):
            requests = float(found[2]) * (1000 if found[3] else 1)
            rate = float(found[4]) * UNITS[found[5].lower()]
            if requests and rate / requests >= 0.9 * LARGE:
                yield Benchmark(
                    **message.facts(text),
                    severity=Severity.INFO,
                    name=f"fio {found[1].lower()}",
                    value=rate,
                    unit="bytes/s",
                )


PARSER = Parser(tool="fio", medium="io-statistics", footprint=footprint_of(ROW), read=read)
