"""The memory controller or a machine check reports errors of the host's memory.

Any uncorrectable error; corrected ones from the hundredth on, at five reports of one module within a minute each, or
from the threshold that a tool of the platform sets, since a sound DIMM corrects one now and then; or of one page again
an hour or more later, since what a particle flips is written anew and stays right. ABSENT where a kernel log long
enough to speak is silent.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise

from ..evidence.kernel import HostMemoryError
from ..incident import Incident
from ._reports import kernel_log, nothing
from ._symptom import Finding, Symptom

MANY_CORRECTED = 100
# CPU 0 ... exceeded threshold: 10 in 24h     rate exceeded for DIMM_A7     errors detected (limit of 9)
BEYOND = re.compile(
    r"exceed(?:ed)? threshold|threshold exceeded|rate (?:exceeded|has increased)|limit (?:of \d{1,9}\)|reached)"
    "|logging disabled|failing DIMM|predictive failure",
    re.I,
)
AGAIN_S = 3600.0
# page:0xee30a0 offset:0x0      physical addr: 0x1f20b03000      ADDR 0x3f5a2c0
PAGE = re.compile(r"(?i)\b(?:page|physical[ _]addr(?:ess)?|addr(?:ess)?)[:= ] ?0x([0-9a-f]{3,16})\b")
IN_A_ROW, WITHIN_S = 5, 60.0  # reports of one module, and the longest time between two of them


def rule(incident: Incident) -> Iterator[Finding]:
    modules: dict[tuple[str | None, str | None], list[HostMemoryError]] = defaultdict(list)
    for fact in incident.of(HostMemoryError):
        modules[fact.subject.host, fact.subject.device].append(fact)
    found = False
    for (_, device), facts in modules.items():
        hard = [fact for fact in facts if not fact.corrected]
        corrected = sum(fact.count for fact in facts if fact.corrected)
        beyond = any(BEYOND.search(fact.text) for fact in facts)
        if hard or beyond or corrected >= MANY_CORRECTED or _in_a_row(facts) or _same_page(facts):
            found = True
            note = f"{len(hard)} uncorrected and {corrected} corrected errors of {device or 'the memory'}"
            yield Finding(facts[0].subject, tuple([*hard, *facts][:8]), note)
    if not found:
        yield from nothing(kernel_log(incident), "the kernel log was read and reports no memory error")


def _in_a_row(facts: Sequence[HostMemoryError]) -> bool:
    """True where one module, known by name, needs repairs again and again within minutes."""
    # what is printed within one second is one event
    times = sorted({int(fact.stamp.seconds) for fact in facts if fact.stamp and fact.subject.device})
    return any(
        all(later - earlier <= WITHIN_S for earlier, later in pairwise(times[first : first + IN_A_ROW]))
        for first in range(len(times) - IN_A_ROW + 1)
    )


def _same_page(facts: Sequence[HostMemoryError]) -> bool:
    """True where a page that was repaired once had to be repaired again, at another time."""
    pages: dict[str, list[float]] = defaultdict(list)
    for fact in facts:
        if fact.stamp and (page := PAGE.search(fact.text)) and int(page[1], 16):
            pages[page[1]].append(fact.stamp.seconds)
    return any(max(times) - min(times) >= AGAIN_S for times in pages.values())


SYMPTOM = Symptom(
    title="the host's memory reports errors",
    rule=rule,
    leak=0.001,
    because="the controller sees each error in hardware",
    tells_apart=("host", "device"),
    command="sudo dmesg -T | grep -iE 'EDAC|mce|Hardware Error'; sudo ras-mc-ctl --errors",
)
