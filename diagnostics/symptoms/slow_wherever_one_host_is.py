"""Of measurements that several hosts made together, all that one host took part in are slow, and all others are not.

Pairs of hosts in a bandwidth test, or the same job on other sets of hosts. Slow is under 60 % of the best; one host
alone has to tell the slow ones from the others. ABSENT where at least three such measurements are alike.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.network import Benchmark
from ..incident import Incident
from . import Finding, Symptom
from .gpu_slower_than_peers import LARGER_IS_SLOWER

SLOW = 0.6
FEWEST_ALIKE = 3


def rule(incident: Incident) -> Iterator[Finding]:
    together: dict[tuple[str, str], list[Benchmark]] = defaultdict(list)
    for result in incident.of(Benchmark):
        if len(result.hosts) > 1 and result.value > 0:
            together[result.name, result.unit].append(result)
    for (_, unit), group in together.items():
        rates = [1 / each.value if unit in LARGER_IS_SLOWER else each.value for each in group]
        slow = [each for each, rate in zip(group, rates, strict=True) if rate < SLOW * max(rates)]
        well = {host for each in group if each not in slow for host in each.hosts}
        if not slow and len(group) >= FEWEST_ALIKE:
            yield Finding(Subject(), tuple(group), f"{len(group)} sets of hosts are alike", present=False)
        shared = set.intersection(*(set(each.hosts) for each in slow)) - well if slow else set()
        for host in shared if len(shared) == 1 else ():
            note = f"every measurement with {host} is slow, and none without"
            yield Finding(Subject(host=host), tuple(slow), note)


SYMPTOM = Symptom(
    title="whatever one host takes part in is slow",
    rule=rule,
    leak=0.001,
    because="among hosts of one kind the rest of the network treats all pairs alike, give or take a switch",
    tells_apart=("host",),
    command="mpirun -H HOST1,HOST2 all_reduce_perf -b 1G -e 1G -g 8    # for each pair of hosts",
    cost_minutes=20,
)
