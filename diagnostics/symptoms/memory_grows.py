"""Memory grows over the life of the job: three or more measurements of one thing, none far below the ones before, the
last at least 1.5 times the first, over more than two minutes or more than three moments, and still above the middle
one. Or seven or more that rise by about the same each time, to at least 1.1 times the first.

What is available counts as if the same were used as there was at its first look. What is free counts where it falls
from look to look to a fifth or less, and a process was killed: files alone fill free memory too. Or four or more that
rise evenly to the limit that they are told with. The growth in the first minute of a run is its start, no leak, and
that of a container in its first ten. Sizes that were written down without saying of what count where their file is
called after the memory, and where they end at what a process held when it was killed for memory, or, with no such word,
where something was killed: the largest of them grows, or what is left falls to next to nothing. ABSENT where such a
series is flat.
"""

from __future__ import annotations

import itertools
import re
from collections import defaultdict
from collections.abc import Iterator

from ..evidence import Evidence, Subject
from ..evidence.kernel import OomKill
from ..evidence.process import ProcessState
from ..evidence.storage import CgroupMemory, MemoryInfo, SizeSeen
from ..evidence.supervisor import ProcessEnded, SchedulerEvent
from ..incident import Incident
from ..machines import Machines
from ._symptom import Finding, Symptom

GROWTH = 1.5
DIP = 0.85  # collectors of garbage and caches let a little go now and then
MOMENTS = 3
GOES_ON = 1.05  # times the measurement in the middle: what rose once and stays was loaded
FULL = 0.95
EVEN_MOMENTS = 7
EVEN_GROWTH = 1.1
EVEN = 0.4  # of the usual rise, the smallest one
SPAN_S = 120.0
START_S = 600.0  # of a container: its caches count too, and workers start one after the other
NEAR = 0.15  # the last look is somewhat before the kill

RUN_OUT = 0.2
SHARE = "the share used of"
CGROUP = "cgroup "
AVAILABLE = "what is available of the "
Series = list[tuple[float | None, float, Evidence]]


def rule(incident: Incident) -> Iterator[Finding]:
    """Each series of measurements."""
    yield from _runs_out(incident)
    for key, points in _of_each_machine(incident):
        values = [value for _, value, _ in points]
        if key.startswith(AVAILABLE):
            values = [2 * values[0] - value for value in values]  # no total is known
        if len(values) < MOMENTS or min(values) <= 0:
            continue
        times = [at for at, _, _ in points if at is not None]
        if len(values) < 4 and times and times[-1] - times[0] < SPAN_S:
            continue
        if key.startswith(CGROUP) and times and times[-1] - times[0] < START_S:
            continue
        facts = tuple(fact for _, _, fact in points)
        peaks = itertools.accumulate(values, max)
        grows = all(value >= DIP * peak for value, peak in zip(values, peaks, strict=True))
        goes_on = values[-1] >= GOES_ON * values[len(values) // 2]
        grows = (grows and goes_on and values[-1] >= GROWTH * values[0]) or _evenly(values, EVEN_MOMENTS)
        grows = grows or (_reaches_its_limit(facts[-1]) and _evenly(values, MOMENTS + 1))
        if grows:
            unit, scale = ("%", 1) if key.startswith(SHARE) else ("GiB", 2**20)
            went = "fell" if key.startswith(AVAILABLE) else "grew"
            first, last = points[0][1] / scale, points[-1][1] / scale
            yield Finding(Subject(), facts, f"{key} {went} from {first:.1f} to {last:.1f} {unit}")
        elif max(values) < 1.1 * min(values):
            yield Finding(Subject(), facts, f"{key} is flat", present=False)


def _reaches_its_limit(fact: Evidence) -> bool:
    """True where the memory is used up to a limit that was told with it."""
    used, total = (
        (fact.values_kib.get(name) for name in ("MemUsed", "MemTotal")) if isinstance(fact, MemoryInfo) else (0, 0)
    )
    return bool(used and total) and (used or 0) >= FULL * (total or 0)


def _runs_out(incident: Incident) -> Iterator[Finding]:
    """Free memory that falls over four looks or more, to little, before a process was killed."""
    killed = [end for end in incident.of(ProcessEnded) if end.signal == "SIGKILL"]
    series: dict[tuple[str, str | None], list[MemoryInfo]] = defaultdict(list)
    for info in incident.of(MemoryInfo):
        if set(info.values_kib) == {"MemFree"}:
            series[info.source.file, info.subject.job].append(info)
    for looks in series.values() if killed else ():
        free = [info.values_kib["MemFree"] for info in looks]
        falls = all(later < earlier for earlier, later in itertools.pairwise(free))
        if len(free) > MOMENTS and falls and free[-1] <= RUN_OUT * free[0]:
            note = f"free memory fell from {free[0] / 2**20:.1f} to {free[-1] / 2**20:.1f} GiB"
            yield Finding(Subject(), (*looks, killed[0]), note)


def _evenly(values: list[float], least: int) -> bool:
    """True where each measurement is above the one before by about as much."""
    rises = [later - earlier for earlier, later in itertools.pairwise(values)]
    usual = (values[-1] - values[0]) / max(len(rises), 1)
    return (
        len(values) >= least
        and values[-1] >= EVEN_GROWTH * values[0]
        and all(EVEN * usual <= rise <= usual / EVEN for rise in rises)
    )


def _of_each_machine(incident: Incident) -> Iterator[tuple[str, Series]]:
    """The series of each thing, of each machine: every host has a memory, and every pod a process 1."""
    for key, series in _series(incident).items():
        machines, found = Machines(fact for _, _, fact in series), defaultdict[str, Series](list)
        for point in series:
            found[machines.of(point[2])].append(point)
        yield from ((key, points) for points in found.values())


def _series(incident: Incident) -> dict[str, Series]:
    """Measurements of one thing in KiB or percent, in reading order."""
    found: dict[str, Series] = defaultdict(list)
    for row in incident.of(ProcessState):
        if row.rss_kib and row.subject.pid:
            at = row.stamp.seconds if row.stamp else row.elapsed_s
            found[f"process {row.subject.pid}"].append((at, float(row.rss_kib), row))
    for info in incident.of(MemoryInfo):
        if info.used_percent is not None:
            at = info.stamp.seconds if info.stamp else None
            found[f"{SHARE} {_owner(info)}"].append((at, info.used_percent, info))
        used = info.values_kib.get("MemUsed")
        if used is None and "MemTotal" in info.values_kib and "MemAvailable" in info.values_kib:
            used = info.values_kib["MemTotal"] - info.values_kib["MemAvailable"]
        if set(info.values_kib) == {"MemAvailable"}:
            left = float(info.values_kib["MemAvailable"])
            found[f"{AVAILABLE}{_owner(info)}"].append((info.stamp.seconds if info.stamp else None, left, info))
        if used:
            found[_owner(info)].append((info.stamp.seconds if info.stamp else None, float(used), info))
    for group in incident.of(CgroupMemory):
        if group.usage:
            found[f"{CGROUP}{group.subject.cgroup or ''}"].append(
                (group.stamp.seconds if group.stamp else None, group.usage / 1024, group)
            )
    return found | _called_memory(incident) | _of_the_killed(incident)


def _called_memory(incident: Incident) -> dict[str, Series]:
    """The series of sizes in a file whose name says that they are of the host's memory."""
    named: dict[str, Series] = defaultdict(list)
    for row in incident.of(SizeSeen):
        file = row.source.file
        if (
            OF_MEMORY.search(file)
            and not OF_NO_HOST.search(file.rpartition("/")[2])
            and not OF_NO_HOST.search(row.name)
        ):
            named[f"memory {row.name}".strip() + f" ({file})"].append((None, row.size / 1024, row))
    return dict(named)


def _of_the_killed(incident: Incident) -> dict[str, Series]:
    """The series of sizes that reach what a killed process held: it is that process's memory."""
    named: dict[str, Series] = defaultdict(list)
    for row in (each for each in incident.of(SizeSeen) if not each.name.startswith("/")):
        named[row.name].append((None, row.size / 1024, row))
    if not any(kill.anon_rss_kib for kill in incident.of(OomKill)) and _is_killed(incident):
        return _all_of_it({name: points for name, points in named.items() if not OF_NO_HOST.search(name)})
    held = [kill.anon_rss_kib for kill in incident.of(OomKill) if kill.anon_rss_kib]
    return {
        f"memory of {name or 'the killed process'}": points
        for name, points in named.items()
        if any(abs(max(value for _, value, _ in points) - kib) <= NEAR * kib for kib in held)
    }


def _is_killed(incident: Incident) -> bool:
    events = [event for event in incident.of(SchedulerEvent) if event.about == "oom-killed"]
    return bool(events or incident.of(OomKill)) or any(
        end.signal in ("SIGKILL", "Killed") for end in incident.of(ProcessEnded)
    )


def _all_of_it(named: dict[str, Series]) -> dict[str, Series]:
    """Sizes beside a kill: those of which the largest grows, or what is left of one in reverse."""
    left = {name: points for name, points in named.items() if LEFT.search(name)}
    for name, points in left.items():
        values = [value for _, value, _ in points]
        if values[-1] <= NOTHING_LEFT * values[0] and all(b <= a for a, b in itertools.pairwise(values)):
            return {f"what is used, by {name}": [(at, values[0] - value + 1, fact) for at, value, fact in points]}
    grown = {name: points for name, points in named.items() if name not in left}
    largest = max(grown, key=lambda name: grown[name][-1][1], default=None)
    return {f"memory of {largest}": grown[largest]} if largest is not None else {}


# memory.txt      rss_per_epoch.log      trainer-mem.csv
OF_MEMORY = re.compile(
    r"(?:^|[/_.-])(?:host|cpu|proc(?:ess)?)?[_-]?(?:mem(?:ory)?|rss|ram)(?=[_.-]|$)[^/]{0,40}$", re.I
)
OF_NO_HOST = re.compile(r"token|sample|param|step|gpu|cuda|vram|disk|shm|/|checkpoint|ckpt|file", re.I)
LEFT = re.compile(r"^(?:free|available|avail|left)\b", re.I)
NOTHING_LEFT = 0.15


def _owner(info: MemoryInfo) -> str:
    where = f" ({info.subject.job})" if info.subject.job else ""
    return (
        f"process {info.subject.pid}" if info.subject.pid else f"memory of {info.subject.host or 'the machine'}{where}"
    )


SYMPTOM = Symptom(
    title="memory grows as the run goes on",
    rule=rule,
    leak=0.0008,
    because="after its start a training run holds its memory; caches grow outside the process, or stop growing",
    command="while sleep 60; do date; grep VmRSS /proc/JOB_PID/status; done",
    cost_minutes=15,
)
