"""The kernel reports one soft lockup, without the trace that would tell what the processor did, and nothing else.

Reclaim of memory, a paused virtual machine, an interrupt storm, a driver and the kernel's own faults all end in this
one line. With a trace, a second report or a stall beside it, it is a lockup; one that every run of the incident
outlived to its proper end has passed.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..incident import Incident
from ._kernel import lone
from ._reports import is_over
from ._runs import all_finished
from ._symptom import Finding, Symptom


def rule(incident: Incident) -> Iterator[Finding]:
    for fact in () if all_finished(incident) else lone(incident):
        if not is_over(incident, fact, passes=True):
            note = f"processor {fact.cpu} was stuck for {fact.stuck_s:.0f} s; the trace is missing"
            yield Finding(fact.subject, (fact,), note)


SYMPTOM = Symptom(
    title="a processor was stuck once, nobody knows where",
    rule=rule,
    leak=0.01,
    because="machines under memory pressure and virtual machines report one now and then, and go on",
    tells_apart=("host",),
    command="sudo dmesg -T | grep -A 40 'soft lockup'; vmstat 1 5; free -h",
    may_pass=True,
)
