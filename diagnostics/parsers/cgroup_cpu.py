"""`cat /sys/fs/cgroup/cpu.stat`: how often a CPU quota stopped the processes of a container.

    nr_periods 812345
    nr_throttled 799012
    throttled_usec 512345678901

The usage counters beside them are skipped: without a second reading they tell nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Source
from ..evidence.job import SettingSeen
from ..text import Text
from . import Parser

# nr_throttled 799012
COUNTER = re.compile(r"^(nr_periods|nr_throttled|throttled_(?:usec|time)|nr_bursts) (\d{1,20})\s*$")


def read(text: Text) -> Iterator[SettingSeen]:
    for line in text.lines():
        if found := COUNTER.match(line.text[:80]):
            source = Source(text.name, line.number, line.quote)
            yield SettingSeen(source=source, name=found[1], value=found[2])


PARSER = Parser(
    tool="cpu.stat of a cgroup",
    medium="pressure",
    footprint=r"^(nr_throttled|throttled_usec|throttled_time) \d",
    read=read,
)
