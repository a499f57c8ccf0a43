"""Somebody measured a volume and it was slow.

- a rate below 50 MB/s for large reads or writes, or single operations that took more than a second
- requests that wait long, or a device that is busy all the time while requests wait in line (one whose only request
  waits for tens of seconds does not answer, and is not slow)
- CPUs that mostly wait for disks
- a read that ran into its limit while the job's own reads came back late
- a save many times slower than its siblings
- a local disk that delivers less than 50 MB/s while steps wait for data, and in every look at the loader's workers half
  of them or more are in D for a page of a file: they ask it for more all the time

ABSENT where a rate of 200 MB/s or more was measured.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace
from statistics import median

from ..evidence.network import Benchmark
from ..evidence.probe import Outcome, ProbeAnswer
from ..evidence.process import ProcessState
from ..evidence.storage import CommandOutcome, IoStatistics
from ..evidence.training import CheckpointEvent
from ..incident import Incident
from ._loading import reads_came_after
from ._places import disk, on_network, place
from ._registry import findings_of
from ._symptom import Finding, Symptom
from ._volume_calls import file_and_mount, place_of, ran_into_its_limit
from ._waits import blocked_on_page, is_worker

SLOW_BYTES_PER_S = 50e6
FAST_BYTES_PER_S = 200e6
SLOW_OPERATION_S = 1.0
SLOW_AWAIT_MS = 200.0
BUSY_PERCENT, IN_LINE_MS = 99.0, 20.0
SLOW_OBJECT_MS = 100.0
HOPELESS_MS = 10_000.0
SLOWER = 6.0
FEWEST_LOOKS = 2
READS = "read_kib_per_s"
WAITING_PERCENT = 40.0  # of the CPUs' time


def rule(incident: Incident) -> Iterator[Finding]:
    """Each measurement that is clearly slow or clearly fast."""
    for answer in incident.of(ProbeAnswer):
        rate = answer.values.get("bytes_per_s")
        worst = max(
            (v for name, v in answer.values.items() if name.endswith("_s") and name.startswith(("p99", "max"))),
            default=0.0,
        )
        subject = place(incident, answer.subject.path or answer.subject.mount, answer)
        if answer.outcome is Outcome.ANSWERED and ((rate and rate < SLOW_BYTES_PER_S) or worst > SLOW_OPERATION_S):
            yield Finding(subject, (answer,), f"the probe {answer.probe} was answered slowly")
        elif rate and rate > FAST_BYTES_PER_S:
            yield Finding(subject, (answer,), f"the probe {answer.probe} was answered fast", present=False)
    for row in incident.of(IoStatistics):
        waits = [value for name, value in row.values.items() if name.endswith("_ms")]
        if hardly_answers(row.values, max(waits, default=0.0)):
            continue
        if row.values.get("object_get_ms", 0.0) > SLOW_OBJECT_MS:
            yield Finding(row.subject, (row,), f"a read of the object store takes {row.values['object_get_ms']:.0f} ms")
        elif row.values.get("busy_percent", 0.0) >= BUSY_PERCENT and max(waits, default=0.0) > IN_LINE_MS:
            yield Finding(
                replace(row.subject, device=disk(row.subject.device)),
                (row,),
                f"busy all the time, requests wait {max(waits):.0f} ms",
            )
        elif waits and max(waits) > SLOW_AWAIT_MS:
            yield Finding(
                replace(row.subject, device=disk(row.subject.device)), (row,), f"requests wait {max(waits):.0f} ms"
            )
        if row.values.get("iowait_percent", 0.0) >= WAITING_PERCENT:
            yield Finding(
                row.subject, (row,), f"the CPUs wait for disks {row.values['iowait_percent']:.0f} % of the time"
            )
    for mark in incident.of(Benchmark):
        if mark.unit.lower() in ("b/s", "bytes/s") and any(
            w in mark.name for w in ("read", "write", "disk", "dd", "fio", "copy")
        ):
            slow = mark.value < SLOW_BYTES_PER_S
            if slow or mark.value > FAST_BYTES_PER_S:
                yield Finding(
                    place(incident, mark.subject.path, mark),
                    (mark,),
                    f"{mark.name}: {mark.value / 1e6:.0f} MB/s",
                    present=slow,
                )
    yield from _saves(incident)
    yield from _hungry(incident)
    yield from _outlasted(incident)


def hardly_answers(values: Mapping[str, float], wait_ms: float) -> bool:
    """True for a disk whose few requests wait for tens of seconds: it is not slow, it fails."""
    done = [values[name] for name in ("reads_per_s", "writes_per_s") if name in values]
    return bool(done) and sum(done) < 1.0 and wait_ms >= HOPELESS_MS


def _outlasted(incident: Incident) -> Iterator[Finding]:
    """Reads that were not done within their limit, of a volume that served the job at the same time."""
    for command in incident.of(CommandOutcome):
        steps = reads_came_after(incident, command) if ran_into_its_limit(command) else ()
        subject = place_of(incident, command)
        if steps and on_network(incident, subject, command) is not False:
            note = f"`{command.command[:100]}` ran into its limit, while the job's reads came back late"
            yield Finding(subject, (command, *steps), note)


def _hungry(incident: Incident) -> Iterator[Finding]:
    """A disk whose rate of reading was seen while the workers of a loader did nothing but wait for its pages."""
    waits = [finding for finding in findings_of(incident, "data-wait-dominates") if finding.present]
    tables = {each.file for each in incident.reads("process-table")}
    looks: dict[str, list[ProcessState]] = defaultdict(list)
    for row in incident.of(ProcessState):
        process = incident.links.process_of(row)
        if process and is_worker(process) and row.source.file in tables:
            looks[row.source.file].append(row)
    blocked = [row for rows in looks.values() for row in rows if blocked_on_page(row)]
    always = all(2 * sum(map(blocked_on_page, rows)) >= len(rows) for rows in looks.values())
    mounts = [file_and_mount(incident, row)[1] for row in blocked]
    if (
        not waits
        or len(looks) < FEWEST_LOOKS
        or not always
        or not incident.volumes.all_mounts
        or any(mount and mount.network for mount in mounts)
    ):
        return
    rates = [row for row in incident.of(IoStatistics) if "since_boot" not in row.values and row.values.get(READS)]
    devices = {disk(mount.subject.device) for mount in mounts if mount} - {None}
    rates = [row for row in rates if not devices or disk(row.subject.device) in devices]
    best = max(rates, key=lambda row: row.values[READS], default=None)
    if best and best.values[READS] * 1024 < SLOW_BYTES_PER_S:
        note = f"it delivers {best.values[READS] / 1024:.1f} MiB/s, and the workers wait for its pages all the time"
        subject = replace(best.subject, device=disk(best.subject.device))
        yield Finding(subject, (best, *blocked[:3], *waits[0].evidence[:1]), note)


def _saves(incident: Incident) -> Iterator[Finding]:
    took = [e for e in incident.of(CheckpointEvent) if e.event in ("saved", "copied") and e.took_s]
    if len(took) < 3:
        return
    usual = median(e.took_s or 0.0 for e in took)
    for event in took:
        if (event.took_s or 0.0) > max(SLOWER * usual, 10.0):
            yield Finding(
                place(incident, event.subject.path, event),
                (event,),
                f"a save took {event.took_s:.0f} s, usually {usual:.1f} s",
            )


SYMPTOM = Symptom(
    title="the volume was measured and is slow",
    rule=rule,
    leak=0.01,
    because="volumes are measured when somebody already doubts them; healthy ones pass",
    tells_apart=("mount",),
    command="python -m diagnostics probe MOUNT",
    cost_minutes=2,
)
