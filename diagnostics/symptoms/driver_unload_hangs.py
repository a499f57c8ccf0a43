"""Taking the GPU driver's module out, or a card from the driver, does not come back: rmmod, `modprobe -r` or a write to
the card's `remove` or `unbind` waits in D for five minutes.

A module that is in use is refused at once, and a call to the GPU's processor that is not answered is given up after a
minute.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence.process import ProcessState
from ..incident import Incident
from ._gpu_driver import LONG_S, unloads
from ._symptom import Finding, Symptom


def rule(incident: Incident) -> Iterator[Finding]:
    for row in incident.of(ProcessState):
        if row.state == "D" and unloads(incident, row) and (row.elapsed_s or 0.0) >= LONG_S:
            note = f"{row.command[:80]} has not come back for {(row.elapsed_s or 0.0) / 60:.0f} minutes"
            yield Finding(row.subject, (row,), note)


SYMPTOM = Symptom(
    title="the GPU driver cannot be unloaded",
    rule=rule,
    leak=0.0003,
    because="rmmod of a driver that serves its devices ends in seconds, well or with an error",
    tells_apart=("host",),
    command="ps -eo pid,stat,etime,args | grep -E 'rmmod|modprobe -r'; sudo cat /proc/STUCK_PID/stack",
)
