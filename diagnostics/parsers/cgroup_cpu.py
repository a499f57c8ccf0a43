"""`cat /sys/fs/cgroup/cpu.stat`: how often a CPU quota stopped the processes of a container.

    nr_periods 812345
    nr_throttled 799012
    throttled_usec 512345678901

or what cadvisor makes of it for Prometheus, of the container that is stopped most:

    container_cpu_cfs_throttled_periods_total{container="train",pod="train-0"} 118221

The usage counters beside them are skipped: without a second reading they tell nothing.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterator

from ..evidence import Source
from ..evidence.job import SettingSeen
from ..footprint import footprint_of
from ..text import Line, Text
from . import Parser

# nr_throttled 799012
COUNTER = re.compile(r"^(nr_periods|nr_throttled|throttled_(?:usec|time)|nr_bursts) (\d{1,20})\s*$")

METRIC = re.compile(
    r"^container_cpu_cfs_(throttled_periods|periods)_total\{([^{}]{1,2000})\} "
    r"(\d{1,18}(?:\.\d{1,12})?(?:e[+-]?\d{1,3})?)"
)
NAMES = {"periods": "nr_periods", "throttled_periods": "nr_throttled"}


def read(text: Text) -> Iterator[SettingSeen]:
    containers: dict[str, dict[str, tuple[Line, int]]] = defaultdict(dict)
    for line in text.lines():
        if found := COUNTER.match(line.text[:80]):
            source = Source(text.name, line.number, line.quote)
            yield SettingSeen(source=source, name=found[1], value=found[2])
        elif (found := METRIC.match(line.text[:2400])) and math.isfinite(count := float(found[3])):
            containers[found[2]][NAMES[found[1]]] = line, int(count)
    whole = [each for each in containers.values() if len(each) == len(NAMES)]
    if whole:
        worst = max(whole, key=lambda each: each["nr_throttled"][1] / max(each["nr_periods"][1], 1))
        for name, (line, count) in sorted(worst.items(), key=lambda each: each[1][0].number):
            yield SettingSeen(source=Source(text.name, line.number, line.quote), name=name, value=str(count))


PARSER = Parser(
    tool="cpu.stat of a cgroup",
    medium="pressure",
    footprint=footprint_of(COUNTER, METRIC),
    read=read,
)
