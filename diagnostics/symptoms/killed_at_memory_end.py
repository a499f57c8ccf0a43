"""The job's own last look at the host's memory shows it used up, and the next that its log says is an end by SIGKILL.

Both in one log, so that they are of one machine and in order; or a record of the memory, kept beside the log, fills
up and ends there; or somebody saw the machine without memory and without swap, and no other end is told. Where the
kernel's report of a kill for memory was kept, it has the say, and this is not looked for.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from ..evidence.kernel import OomKill
from ..evidence.storage import MemoryInfo
from ..evidence.supervisor import ProcessEnded, SchedulerEvent
from ..incident import Incident
from ._memory import is_low
from ._symptom import Finding, Symptom

LOOKS = 3
SWAP_LEFT = 0.05


def rule(incident: Incident) -> Iterator[Finding]:
    if any(kill.scope != "unknown" for kill in incident.of(OomKill)):
        return
    for end in incident.of(ProcessEnded):
        before = [
            info
            for info in incident.of(MemoryInfo)
            if info.source.file == end.source.file and info.source.line < end.source.line
        ]
        if end.signal == "SIGKILL" and before and is_low(before[-1]):
            yield Finding(end.subject, (before[-1], end), "memory was used up when the process was ended by SIGKILL")
        elif end.signal == "SIGKILL" and not before and (last := _last_of_a_record(incident)):
            yield Finding(end.subject, (last, end), "the record of the memory ends with none left")
        elif end.signal == "SIGKILL" and not before and (last := _used_up(incident)):
            yield Finding(end.subject, (last, end), "the machine had neither memory nor swap left")


def _last_of_a_record(incident: Incident) -> MemoryInfo | None:
    """The last of three looks or more at the whole machine's memory, in one file, that began with some left and ends
    with none.
    """
    files: dict[str, list[MemoryInfo]] = defaultdict(list)
    for info in incident.of(MemoryInfo):
        if info.subject.pid is None and "MemTotal" in info.values_kib:
            files[info.source.file].append(info)
    for looks in files.values():
        if len(looks) >= LOOKS and not is_low(looks[0]) and is_low(looks[-1]):
            return looks[-1]
    return None


def _used_up(incident: Incident) -> MemoryInfo | None:
    """A look at the machine that shows neither memory nor swap left, where no scheduler tells of another end."""
    if incident.of(SchedulerEvent):
        return None
    for info in incident.of(MemoryInfo):
        swap, left = info.values_kib.get("SwapTotal"), info.values_kib.get("SwapFree")
        known = info.subject.pid is None and swap is not None and left is not None
        if known and is_low(info) and (left or 0) <= SWAP_LEFT * (swap or 0):
            return info
    return None


SYMPTOM = Symptom(
    title="a process was ended by SIGKILL when memory was used up",
    rule=rule,
    leak=0.0005,
    because="who else kills a process would have to do so at that moment",
    command="sudo dmesg -T | grep -i -A 3 'out of memory'; grep -n -B 5 'return code = -9' train.log",
)
