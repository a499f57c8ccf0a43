"""`cat /sys/fs/cgroup/cpu.stat`: how often a CPU quota stopped the processes of a container.

    nr_periods 812345
    nr_throttled 799012
    throttled_usec 512345678901

or by `grep . cpu.*`, each line behind the name of its file (cpu.stat:nr_throttled 799012), or in one line, below
headings that name a process (== rank 1 pid 311), with the quota of the old hierarchy

    cpu.cfs_quota_us: 40000
    cpu.stat: nr_periods 812 nr_throttled 799 throttled_time 51234567890

or what cadvisor makes of it for Prometheus, of the container that is stopped most:

    container_cpu_cfs_throttled_periods_total{container="train",pod="train-0"} 118221

The usage counters beside them are skipped: without a second reading they tell nothing.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterator

from ..evidence import Source, Subject
from ..evidence.job import SettingSeen
from ..footprint import footprint_of
from ..text import Line, Text, whole_number
from . import Parser

_NAMES = "nr_periods|nr_throttled|throttled_(?:usec|time)|nr_bursts"
# nr_throttled 799012      cpu.stat: nr_periods 812 nr_throttled 799 throttled_time 51234567890
COUNTER = re.compile(
    rf"^(?:\S{{0,200}}cpu\.stat: ?)?(?:{_NAMES}) \d{{1,20}}\s*$"
    r"|^\S{0,200}cpu\.stat:? +(?:\w{1,40} \d{1,20} +){0,12}nr_throttled \d"
)
COUNT = re.compile(rf"\b({_NAMES}) (\d{{1,20}})\b")
# cpu.cfs_quota_us: 40000      /sys/fs/cgroup/cpu/pod7/cpu.cfs_period_us:100000
QUOTA = re.compile(r"^\S{0,200}cpu\.cfs_(quota|period)_us[:=]? {0,4}(-?\d{1,12})\s*$")
# == rank 1 pid 311      === pid 311 (python)
HEADING = re.compile(r"^[=#-]{2,20} (?=rank|pid)(?:rank[ :=](\d{1,6}))?[ ,]{0,2}(?:pid[ :=](\d{1,8}))?\b")

METRIC = re.compile(
    r"^container_cpu_cfs_(throttled_periods|periods)_total\{([^{}]{1,2000})\} "
    r"(\d{1,18}(?:\.\d{1,12})?(?:e[+-]?\d{1,3})?)"
)
NAMES = {"periods": "nr_periods", "throttled_periods": "nr_throttled"}


def read(text: Text) -> Iterator[SettingSeen]:
    containers: dict[str, dict[str, tuple[Line, int]]] = defaultdict(dict)
    owner = Subject()
    for line in text.lines():
        source = Source(text.name, line.number, line.quote)
        if found := HEADING.match(line.text[:80]):
            owner = Subject(rank=whole_number(found[1] or ""), pid=whole_number(found[2] or ""))
        elif found := QUOTA.match(line.text[:300]):
            yield SettingSeen(source=source, subject=owner, name=f"cpu.cfs_{found[1]}_us", value=found[2])
        elif COUNTER.match(line.text[:600]):
            for name, count in COUNT.findall(line.text[:600]):
                yield SettingSeen(source=source, subject=owner, name=name, value=count)
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
    footprint=footprint_of(COUNTER, QUOTA, METRIC),
    read=read,
)
