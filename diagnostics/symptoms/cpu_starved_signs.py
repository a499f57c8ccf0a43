"""The processes want more CPU than they get: high CPU pressure in their cgroup, or on the machine while the pace of the
steps fell, a throttled cgroup, many more runnable tasks than CPUs, a load that is many times the CPUs of a node with
jobs, CPUs that are never idle and spend a fifth of their time on switching between tasks, swapping, processes that all
want to run and get one CPU among them, a process that could run and was kept waiting for longer than it ran, a loader
with more workers than CPUs, none of which rests, or steps that wait for data where the job has fewer CPUs than GPUs.

"High" is 60 % some-pressure over a minute and over five. ABSENT where the pressure was read and is below 20 %.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.job import LogLine, SettingSeen
from ..evidence.process import ProcessState
from ..evidence.storage import IoStatistics, Pressure
from ..incident import Incident
from ..text import whole_number
from ._cpus import felt_pressure
from ._registry import findings_of
from ._symptom import Finding, Symptom

HIGH = 60.0
LOW = 20.0
THROTTLED = 0.25  # share of a quota's periods
CROWD = 100.0  # tasks that want to run at one moment, or the load over five minutes, while
IDLE = 3.0  # percent of the CPUs are idle and
WAITING = 5.0  # percent wait for a disk, which the load counts too,
AT_WORK = 90.0  # unless so much is at work all the same
OVER = 2.5  # load for each CPU
FAR_OVER = 5.0  # where nobody says what the load is made of: one process a CPU that waits for a disk makes no such load
STOLEN = 15.0  # percent of the CPUs that the hypervisor gave to others
SWAPPED = 1000.0  # KiB read back from swap in a second
ONE_CPU = (80.0, 115.0)  # percent of a CPU that all get together
SHARERS = 3
FEW = 2  # CPUs that an affinity leaves
EVENLY = 1.5
WAITED_S = 10.0  # all in all, or
WAIT_SHARE = 40.0  # percent of an interval
AGED_S, RAN_S = 10.0, 2.0  # what a table of whole seconds must show before a share is made of it
COUNT = re.compile(r"[0-9]{1,6}(?:\.[0-9]{1,6})?")  # not "auto", "0-7", "500m"
SWITCHING = 20.0  # percent of the CPUs in the kernel, while hardly any is idle
TASKS, GPUS = ("ntasks", "ntasks_per_node"), ("gpus", "num_gpus", "gpus_per_node")
WORDS = re.compile(
    r"nr_throttled|throttled_(?:time|usec)|cpu(?:\.|_)(?:max|cfs_quota)|oversubscri|CPU (?:quota|throttl)"
    "|CPUThrottlingHigh|throttling of CPU|steal|might be resource pressure on this node",
    re.I,
)


def rule(incident: Incident) -> Iterator[Finding]:
    """Pressure and the settings that limit CPUs."""
    for row in incident.of(Pressure):
        if row.resource == "cpu" and row.scope == "some":
            if row.subject.cgroup and min(row.avg60, row.avg300) >= HIGH:
                yield Finding(Subject(host=row.subject.host), (row,), f"CPU pressure {row.avg60:.0f} % in its cgroup")
            elif max(row.avg60, row.avg300) <= LOW:
                yield Finding(Subject(), (row,), f"CPU pressure {row.avg60:.0f} %", present=False)
        elif row.resource == "memory" and row.scope == "full" and min(row.avg60, row.avg300) >= LOW:
            yield Finding(
                Subject(host=row.subject.host), (row,), f"tasks wait for memory {row.avg60:.0f} % of the time"
            )
    for rates in incident.of(IoStatistics):
        stolen, swapped = rates.values.get("stolen_percent", 0.0), rates.values.get("swap_in_per_s", 0.0)
        idle, load = rates.values.get("idle_percent", 100.0), rates.values.get("load_5min", 0.0)
        crowd = max(rates.values.get("tasks_running", 0.0), load)
        at_work = rates.values.get("user_percent", 0.0) + rates.values.get("system_percent", 0.0)
        waits = rates.values.get("iowait_percent", 0.0) > WAITING and at_work < AT_WORK
        if crowd >= CROWD and idle <= IDLE and not waits:
            yield Finding(
                Subject(host=rates.subject.host), (rates,), f"{crowd:.0f} tasks want to run, {idle:.1f} % idle"
            )
        elif (
            idle <= IDLE
            and rates.values.get("system_percent", 0.0) >= SWITCHING
            and rates.values.get("iowait_percent", 0.0) <= WAITING
        ):
            yield Finding(
                Subject(host=rates.subject.host),
                (rates,),
                f"{idle:.1f} % idle, {rates.values['system_percent']:.0f} % in the kernel",
            )
        elif crowd and _overloaded(incident, rates, crowd):
            yield Finding(Subject(host=rates.subject.host), (rates,), f"a load of {crowd:.0f} on too few CPUs")
        if stolen >= STOLEN or swapped >= SWAPPED:
            yield Finding(
                Subject(host=rates.subject.host), (rates,), f"{stolen:.0f} % stolen, {swapped:.0f} swapped in a second"
            )
    yield from felt_pressure(incident)
    yield from _kept_waiting(incident)
    yield from _throttled(incident)
    yield from _crowded_loader(incident)
    yield from _one_cpu_shared(incident)
    yield from _fewer_than_gpus(incident)
    for line in incident.of(LogLine):
        if WORDS.search(line.text):
            yield Finding(Subject(host=line.subject.host), (line,), line.text[:160])


def _kept_waiting(incident: Incident) -> Iterator[Finding]:
    """Processes that could run and did not for a large part of their time, by the kernel's scheduler."""
    for row in incident.of(IoStatistics):
        ran, waited = row.values.get("cpu_ran_s", 0.0), row.values.get("cpu_waited_s", 0.0)
        share, got = row.values.get("cpu_wait_percent", 0.0), row.values.get("cpu_percent", 0.0)
        if waited >= WAITED_S and waited >= ran:
            yield Finding(row.subject, (row,), f"it waited {waited:.0f} s for a CPU and ran for {ran:.0f} s")
        elif share >= WAIT_SHARE and share >= got:
            yield Finding(row.subject, (row,), f"it waited for a CPU for {share:.0f} % of the time and had {got:.0f} %")


def _overloaded(incident: Incident, rates: IoStatistics, load: float) -> bool:
    """True where the load, or the tasks that want to run at one moment, is far above the number of CPUs, and neither
    the CPUs nor any task waits for a disk.
    """
    cpus = [number for fact in incident.of(SettingSeen) if fact.name == "cpus" and (number := _number(fact.value))]
    waits = rates.values.get("iowait_percent", 0.0) > WAITING or any(
        row.state == "D" for row in incident.of(ProcessState)
    )
    if own := rates.values.get("cpus"):
        return not waits and rates.values.get("cpus_taken", own) > 0 and load >= FAR_OVER * own
    idle = rates.values.get("idle_percent", 0.0)
    return bool(cpus) and not waits and idle <= 10 and load >= OVER * max(cpus)


def _number(value: str) -> float:
    """A count of CPUs, which a quota gives with its fraction; 0 for what somebody's own file of settings calls so."""
    return float(value) if COUNT.fullmatch(value) else 0.0


def _one_cpu_shared(incident: Incident) -> Iterator[Finding]:
    """Processes of one name in one table that all want to run, in even shares of one CPU, or of the few they may
    use.
    """
    counts = [whole_number(fact.value) for fact in incident.of(SettingSeen) if fact.name == "cpus allowed"]
    allowed = [count for count in counts if count is not None]
    few = max(allowed) if allowed and max(allowed) <= FEW else 0
    running: dict[tuple[str, str | None, str], list[ProcessState]] = defaultdict(list)
    for row in incident.of(ProcessState):
        if (row.state or "").startswith("R") and _share(row, few) and row.subject.comm:
            running[row.source.file, row.subject.host, row.subject.comm].append(row)
    for (_, host, name), rows in running.items():
        shares = [_share(row, few) for row in rows]
        even = max(shares) <= EVENLY * min(shares)
        starved = few and sum(shares) <= few * ONE_CPU[1]
        if len(rows) >= max(SHARERS, few + 1) and even and (starved or ONE_CPU[0] <= sum(shares) <= ONE_CPU[1]):
            note = f"{len(rows)} times {name} wants to run, and all get {sum(shares):.0f} % of one CPU together"
            yield Finding(Subject(host=host), tuple(rows), note)


def _share(row: ProcessState, few: int) -> float:
    """The percent of one CPU that a process had: over its life, where few CPUs are allowed and its times tell it."""
    times = few and (row.elapsed_s or 0.0) >= AGED_S and (row.cpu_s or 0.0) >= RAN_S
    if row.cpu_percent is None and times:
        return 100.0 * (row.cpu_s or 0.0) / (row.elapsed_s or 1.0)
    return row.cpu_percent or 0.0


def _crowded_loader(incident: Incident) -> Iterator[Finding]:
    """A loader with more workers than CPUs, where the CPUs were seen without any rest, in a job that no error ended."""
    settings = {fact.name: fact for fact in incident.of(SettingSeen) if fact.name in ("cpus", "loader workers")}
    cpus, workers = settings.get("cpus"), settings.get("loader workers")
    looks = [rates for rates in incident.of(IoStatistics) if "idle_percent" in rates.values]
    busy = bool(looks) and all(rates.values["idle_percent"] <= IDLE for rates in looks)
    failed = any(run.failed for run in incident.runs)
    if cpus and workers and busy and not failed and _number(workers.value) > _number(cpus.value) > 0:
        note = f"{workers.value} loader workers share {cpus.value} CPUs, which have no rest"
        yield Finding(Subject(), (workers, looks[0]), note)


def _fewer_than_gpus(incident: Incident) -> Iterator[Finding]:
    """A job on one node that waits for data and has less than one CPU for each GPU, by what it asked its scheduler
    for.
    """
    numbers: dict[str, SettingSeen] = {}
    for fact in incident.of(SettingSeen):
        if fact.value.isdecimal():
            numbers[fact.name.lower().lstrip("-").replace("-", "_")] = fact
    given = numbers.get("cpus of a task")
    if given is None or any(
        int(numbers[name].value) > 1 for name in ("nodes", "nnodes", "num_nodes") if name in numbers
    ):
        return
    tasks = max((int(numbers[name].value) for name in TASKS if name in numbers), default=1)
    gpus = max((int(numbers[name].value) for name in GPUS if name in numbers), default=0)
    waits = [finding for finding in findings_of(incident, "data-wait-dominates") if finding.present]
    if waits and int(given.value) * max(tasks, 1) < gpus:
        note = f"{int(given.value) * max(tasks, 1)} CPUs for {gpus} GPUs, and the steps wait for data"
        yield Finding(Subject(), (given, *waits[0].evidence[:1]), note)


def _throttled(incident: Incident) -> Iterator[Finding]:
    """Containers that a quota stopped in a large share of its periods."""
    counters = {(f.source.file, f.subject, f.name): f for f in incident.of(SettingSeen)}
    for (file, owner, name), fact in counters.items():
        periods = counters.get((file, owner, "nr_periods"))
        if name != "nr_throttled" or periods is None:
            continue
        throttled, counted = whole_number(fact.value), whole_number(periods.value)
        if throttled is None or counted is None:
            continue
        share = throttled / max(counted, 1)
        if share >= THROTTLED:
            quota, period = (counters.get((file, owner, f"cpu.cfs_{what}_us")) for what in ("quota", "period"))
            given = quota and period and whole_number(quota.value), period and whole_number(period.value)
            of = f" by a quota of {given[0] / given[1]:.2g} CPUs" if given[0] and given[1] else ""
            subject = Subject(host=owner.host, rank=owner.rank, pid=owner.pid)
            cited = (fact, periods, *((quota,) if quota else ()))
            yield Finding(subject, cited, f"stopped in {share:.0%} of its periods{of}")


SYMPTOM = Symptom(
    title="processes wait for a CPU",
    rule=rule,
    leak=0.002,
    because="short peaks are common, minutes of high pressure are not",
    command="cat /proc/pressure/cpu /sys/fs/cgroup/cpu.stat /sys/fs/cgroup/cpu.max; nproc; uptime; vmstat 1 5",
)
