"""A GPU's clocks are held down by heat or power.

An active hardware slowdown, thermal slowdown or power brake, from the driver, a health test or a monitor; a board whose
power cable is not plugged in (Xid 54), or a card that its driver switches off for heat; or a busy GPU that is hot and
runs at less than half of its highest clock, or whose clock fell as it grew hot, or fell while its power limit was
raised, with the card or its memory hot. A software power cap is how every loaded GPU of a capped fleet looks and is no
part of this. ABSENT where every GPU that was seen busy was asked for its reasons, and names neither.
"""

from __future__ import annotations

import itertools
import re
from collections import defaultdict
from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.gpu import GpuDiagnostic, GpuNotThrottled, GpuStatus, GpuThrottle
from ..evidence.kernel import ThermalOrPowerMessage, Xid
from ..incident import Incident
from ._reports import by_device, gpu_subject, said, words_of
from ._symptom import Finding, Symptom

BUSY_PERCENT, WARM_C, HELD_DOWN = 80.0, 80.0, 0.5
WARMER_C, FELL = 10.0, 0.75
VERY_HOT_C, FELL_IN_HEAT = 87.0, 0.85  # a card that is so hot is at its limit, and a power limit is met at any heat
RAISED, FELL_ALL_THE_SAME = 1.1, 0.9  # a higher limit alone never lowers a clock
WORDS = re.compile(
    "(?:thermal|power) violations? totaling|clocks? event due to (?:thermal|power) violation"
    "|clocks? (?:are being throttled|throttling)|HW Slowdown is engaged|HW_SLOWDOWN_VIOLATION|hw slowdown events",
    re.I,
)
NO_CABLE = 54
# the driver switches the card off, or the host down
TOO_HOT = re.compile(
    "amdgpu: .{0,40}(?:over temperature range|Critical Temperature Fault|GPU SW CTF"
    "|thermal throttling temperature reached)|power brake slowdown|soctherm: OC ALARM|NVRM: .{0,60}thermal shutdown",
    re.I,
)
REASONS = ("hw slowdown", "thermal slowdown", "power brake")


def rule(incident: Incident) -> Iterator[Finding]:
    held = list(_held_down(incident))
    yield from held or _free(incident)


def _free(incident: Incident) -> Iterator[Finding]:
    """That the busy GPUs were asked what holds their clocks down, and none names heat or power."""
    busy = {each.subject.gpu for each in incident.of(GpuStatus) if (each.utilisation_percent or 0.0) >= BUSY_PERCENT}
    free = incident.of(GpuNotThrottled)
    if busy and busy <= {each.subject.gpu for each in free}:
        note = f"{len(busy)} busy, and neither heat nor power is among the reasons for lower clocks"
        yield Finding(Subject(), tuple(each for each in free if each.subject.gpu in busy), note, present=False)


def _held_down(incident: Incident) -> Iterator[Finding]:
    for fact in incident.of(GpuThrottle):
        if any(reason in fact.reason.lower() for reason in REASONS):
            yield Finding(gpu_subject(incident, fact.subject), (fact,), f"{fact.reason} is active")
    for xid in incident.of(Xid):
        if xid.code == NO_CABLE:
            yield Finding(gpu_subject(incident, xid.subject), (xid,), f"Xid {xid.code}: {xid.meaning}")
    for message in incident.of(ThermalOrPowerMessage):
        if TOO_HOT.search(message.text):
            yield Finding(message.subject, (message,), message.text[:200])
    tests = [test for test in incident.of(GpuDiagnostic) if WORDS.search(test.text)]
    for report in (*tests, *said(incident, WORDS)):
        yield Finding(gpu_subject(incident, report.subject), (report,), words_of(report)[:200])
    for status in incident.of(GpuStatus):
        if status.max_sm_clock_mhz and (status.utilisation_percent or 0.0) >= BUSY_PERCENT:
            share = (status.sm_clock_mhz or status.max_sm_clock_mhz) / status.max_sm_clock_mhz
            if share < HELD_DOWN and (status.temperature_c or 0.0) >= WARM_C:
                note = f"busy, {status.temperature_c:.0f} °C, at {share:.0%} of its highest clock"
                yield Finding(gpu_subject(incident, status.subject), (status,), note)
    yield from _slower_when_hotter(incident)
    yield from _slower_with_more_power(incident)


def _slower_when_hotter(incident: Incident) -> Iterator[Finding]:
    """GPUs that were looked at several times, whose clock fell as they grew hot: an idle one grows cool."""
    told = [each for each in incident.of(GpuStatus) if each.temperature_c is not None and each.sm_clock_mhz]
    for statuses in by_device(incident, told):
        cool, hot = (pick(statuses, key=lambda status: status.temperature_c or 0.0) for pick in (min, max))
        warmer = (hot.temperature_c or 0.0) - (cool.temperature_c or 0.0)
        share = (hot.sm_clock_mhz or 0.0) / (cool.sm_clock_mhz or 1.0)
        heat = hot.temperature_c or 0.0
        if warmer >= WARMER_C and heat >= WARM_C and share <= (FELL_IN_HEAT if heat >= VERY_HOT_C else FELL):
            note = f"from {cool.temperature_c:.0f} to {hot.temperature_c:.0f} °C its clock fell to {share:.0%}"
            yield Finding(gpu_subject(incident, hot.subject), (cool, hot), note)


def _slower_with_more_power(incident: Incident) -> Iterator[Finding]:
    """GPUs under several power limits, whose clock is the lower the higher the limit, and that are warm there."""
    looks: dict[tuple[str, int | None], list[GpuStatus]] = defaultdict(list)
    for status in incident.of(GpuStatus):
        if status.power_limit_w and status.sm_clock_mhz:
            looks[status.source.file, status.subject.gpu].append(status)
    for statuses in looks.values():
        ordered = sorted(statuses, key=lambda status: status.power_limit_w or 0.0)
        clocks = [status.sm_clock_mhz or 0.0 for status in ordered]
        low, high = ordered[0], ordered[-1]
        raised = (high.power_limit_w or 0.0) / (low.power_limit_w or 1.0)
        falls = all(later < earlier for earlier, later in itertools.pairwise(clocks))
        warm = _hottest(high) >= WARM_C and _hottest(high) >= _hottest(low)
        if falls and warm and raised >= RAISED and clocks[-1] <= FELL_ALL_THE_SAME * clocks[0]:
            share = clocks[-1] / clocks[0]
            note = f"its clock fell to {share:.0%} with {raised:.1f} times the power limit, at {_hottest(high):.0f} °C"
            yield Finding(gpu_subject(incident, high.subject), (low, high), note)


def _hottest(status: GpuStatus) -> float:
    return max(status.temperature_c or 0.0, status.memory_temperature_c or 0.0)


SYMPTOM = Symptom(
    title="heat or power holds clocks down",
    rule=rule,
    leak=0.001,
    because="a hardware slowdown is no part of normal work",
    tells_apart=("host", "pci"),
    command="nvidia-smi -q -d PERFORMANCE,TEMPERATURE,POWER",
)
