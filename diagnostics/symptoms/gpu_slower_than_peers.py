"""One device or host of several like it is slow while the others wait.

Of at least three devices of one name that are working, one runs at under 70 % of the others' median clock (a device
that was looked at often counts once, with its median); of at least three hosts or devices measured by one benchmark,
one reaches under 75 % of the median; of at least three ranks, one needs 1.5 times the others' median to do its own part
of a step; one is 2 % slower in a benchmark that was written down beside what its peers reach; of at least five alike
that lie close together one lies far behind, by 3 % or more; or a straggler detector names one. ABSENT where devices
were compared and are alike; clocks alone say so only of devices that are fed over links alike.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from statistics import median

from ..evidence import Evidence, Subject
from ..evidence.gpu import GpuStatus
from ..evidence.network import Benchmark
from ..incident import Incident
from ._gpus import LARGER_IS_SLOWER
from ._reports import by_device, gpu_subject, said, words_of
from ._symptom import Finding, Symptom

# Some GPUs have worse relative performance. Affected ranks: {13}          node 3 is a straggler
DETECTED = re.compile(
    r"worse relative performance.{0,120}\branks?\D{1,20}(?P<rank>\d{1,6})"
    r"|\b(?:rank|node|GPU) ?\d{1,6} is a straggler|(?<!no )\bstragglers? (?:detected|found|identified)\W{1,12}"
    r"(?:ranks?|nodes?|GPUs?)\D{1,8}\d",
    re.I,
)
FEWEST = 3
SLOW_CLOCK = 0.7
SLOW_RATE = 0.75
BESIDE_ITS_PEERS = 0.98
FEWEST_CLOSE, LEAST_BEHIND, TIMES_THE_WIDTH = 5, 0.03, 3.0
Measured = tuple[Evidence, Subject, float]
WORKING_PERCENT = 20.0


def rule(incident: Incident) -> Iterator[Finding]:
    for fact in said(incident, DETECTED):
        found = DETECTED.search(words_of(fact))
        rank = int(found["rank"]) if found and found["rank"] else None
        yield Finding(Subject(rank=rank), (fact,), words_of(fact)[:200])
    yield from _beside_its_peers(incident)
    compared = [*_by_clock(incident), *_by_benchmark(incident)]
    yield from (finding for finding in compared if finding.present)
    if compared and not any(finding.present for finding in compared):
        yield compared[0]


def _by_clock(incident: Incident) -> Iterator[Finding]:
    working = [
        each
        for each in incident.of(GpuStatus)
        if each.sm_clock_mhz and (each.utilisation_percent or 0.0) >= WORKING_PERCENT
    ]
    alike: dict[tuple[str | None, str], list[Measured]] = defaultdict(list)
    for looks in by_device(incident, working):
        usual = sorted(looks, key=_clock)[len(looks) // 2]
        alike[usual.subject.host, usual.name].append((usual, gpu_subject(incident, usual.subject), _clock(usual)))
    linked_alike = len({(each.pcie_generation, each.pcie_width) for each in working}) <= 1
    for rates in alike.values():
        yield from (each for each in _odd_ones(rates, SLOW_CLOCK, "MHz") if each.present or linked_alike)


def _clock(status: GpuStatus) -> float:
    return status.sm_clock_mhz or 0.0


def _by_benchmark(incident: Incident) -> Iterator[Finding]:
    alike: dict[tuple[str, str], list[Benchmark]] = defaultdict(list)
    for result in incident.of(Benchmark):
        if result.others is not None:
            continue
        if result.subject.host is not None or result.subject.gpu is not None or result.subject.rank is not None:
            alike[result.name, result.unit].append(result)
    for (_, unit), group in alike.items():
        inverse = unit in LARGER_IS_SLOWER
        rates = [
            (each, gpu_subject(incident, each.subject), 1 / each.value if inverse else each.value)
            for each in group
            if each.value > 0
        ]
        found = list(_odd_ones(rates, SLOW_RATE, unit))
        if not any(finding.present for finding in found):
            found = list(_far_behind(rates, unit)) or found
        yield from found


def _beside_its_peers(incident: Incident) -> Iterator[Finding]:
    for result in incident.of(Benchmark):
        if not result.others or not result.value:
            continue
        share = result.value / result.others
        share = 1 / share if result.unit in LARGER_IS_SLOWER else share
        if share < BESIDE_ITS_PEERS:
            yield Finding(result.subject, (result,), f"{result.subject} reaches {share:.1%} of what its peers do")


def _far_behind(rates: Sequence[Measured], unit: str) -> Iterator[Finding]:
    """The last of at least five hosts or devices, where the others lie close together and it lies far behind them.

    Ranks are no peers so close: the first and last of a pipeline have more to do.
    """
    if len(rates) < FEWEST_CLOSE or any(subject.rank is not None for _, subject, _ in rates):
        return
    (fact, subject, rate), *others = sorted(rates, key=lambda each: each[2])
    width, behind = others[-1][2] - others[0][2], others[0][2] - rate
    if behind >= max(LEAST_BEHIND * others[0][2], TIMES_THE_WIDTH * width):
        yield Finding(subject, (fact,), f"{subject} reaches {rate / others[0][2]:.1%} of the next slowest ({unit})")


def _odd_ones(rates: Sequence[Measured], limit: float, unit: str) -> Iterator[Finding]:
    if len(rates) < FEWEST:
        return
    middle = median(rate for _, _, rate in rates)
    slow = [each for each in rates if each[2] < limit * middle]
    if slow and len(slow) <= len(rates) // 4 + 1 and len(slow) < len(rates) / 2:
        for fact, subject, rate in slow:
            yield Finding(subject, (fact,), f"{subject} reaches {rate / middle:.0%} of the median ({unit})")
    elif not slow:
        facts = tuple(fact for fact, _, _ in rates)
        yield Finding(Subject(), facts, f"{len(rates)} alike are within {1 - limit:.0%} of each other", present=False)


SYMPTOM = Symptom(
    title="one device or host is slower than its peers",
    rule=rule,
    leak=0.001,
    because="devices of one kind under one load differ by a few percent; a quarter is a fault",
    tells_apart=("host", "gpu", "rank"),
    command="nvidia-smi --query-gpu=index,clocks.sm,power.draw,temperature.gpu,utilization.gpu --format=csv -l 5",
    cost_minutes=5,
)
