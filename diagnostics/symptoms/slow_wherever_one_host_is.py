"""Of measurements that several hosts made together, all that one host took part in are slow, and all others are not.

Pairs of hosts in a bandwidth test, or the same job on other sets of hosts: slow is under 60 % of the best, and one host
alone has to tell the slow ones from the others. Or the same job with some hosts left out: it is faster, by 3 % or more,
without one host and only then. ABSENT where at least three measurements of sets are alike.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.network import Benchmark
from ..incident import Incident
from ._gpus import LARGER_IS_SLOWER
from ._symptom import Finding, Symptom

SLOW = 0.6
FASTER_WITHOUT = 1.03
APART = 3.0  # the distance of fast and slow jobs, in widths of either
FEWEST_ALIKE = 3


def rule(incident: Incident) -> Iterator[Finding]:
    yield from _of_sets(incident)
    yield from _without_some(incident)


def _of_sets(incident: Incident) -> Iterator[Finding]:
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


def _without_some(incident: Incident) -> Iterator[Finding]:
    for unit, group in _left_out(incident).items():
        rates = [1 / each.value if unit in LARGER_IS_SLOWER else each.value for each in group]
        middle = (min(rates) + max(rates)) / 2
        fast = [(each, rate) for each, rate in zip(group, rates, strict=True) if rate > middle]
        slow = [(each, rate) for each, rate in zip(group, rates, strict=True) if rate <= middle]
        if not slow or not fast or not _apart([rate for _, rate in fast], [rate for _, rate in slow]):
            continue
        suspects = set.intersection(*(set(each.left_out) for each, _ in fast))
        guilty = sorted(suspects - {host for each, _ in slow for host in each.left_out})
        if guilty:
            facts = tuple(each for each, _ in (*fast, *slow))
            note = (
                f"without {', '.join(guilty[:4])} the job is {fast[0][1] / slow[0][1] - 1:.1%} faster, without "
                "others it is not"
            )
            yield Finding(Subject(host=guilty[0] if len(guilty) == 1 else None), facts[:8], note)


def _left_out(incident: Incident) -> dict[str, list[Benchmark]]:
    """The measurements of one job that kept hosts out, and those beside them that kept none out, by unit."""
    found: dict[str, list[Benchmark]] = defaultdict(list)
    files = {result.source.file for result in incident.of(Benchmark) if result.left_out}
    for result in incident.of(Benchmark):
        of_all = not result.hosts and result.others is None and result.subject.host is None
        if result.source.file in files and result.value > 0 and of_all:
            found[result.unit].append(result)
    return found


def _apart(fast: list[float], slow: list[float]) -> bool:
    between = min(fast) - max(slow)
    width = max(max(fast) - min(fast), max(slow) - min(slow))
    return min(fast) >= FASTER_WITHOUT * max(slow) and between >= APART * width


SYMPTOM = Symptom(
    title="whatever one host takes part in is slow",
    rule=rule,
    leak=0.001,
    because="among hosts of one kind the rest of the network treats all pairs alike, give or take a switch",
    tells_apart=("host",),
    command="mpirun -H HOST1,HOST2 all_reduce_perf -b 1G -e 1G -g 8    # for each pair of hosts",
    cost_minutes=20,
)
