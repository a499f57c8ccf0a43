"""Loading weights, shards or a data set takes ten minutes and more, at twenty seconds a piece and more.

By the load's own bar; that it comes in fits is another symptom.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence.training import ProgressBar
from ..filesystems import by_filesystem
from ..incident import Incident
from ._loading import LOADS, LONG_S
from ._symptom import Finding, Symptom

A_PIECE_S = 20.0


def rule(incident: Incident) -> Iterator[Finding]:
    for bar in incident.of(ProgressBar):
        if LOADS.search(bar.label) and (bar.elapsed_s or 0.0) >= LONG_S and (bar.slowest_s or 0.0) >= A_PIECE_S:
            note = f"{bar.label}: {bar.done} of {bar.total} after {bar.elapsed_s:.0f} s"
            yield Finding(bar.subject, (bar,), note)


SYMPTOM = Symptom(
    title="a load takes very long",
    rule=rule,
    leak=0.015,
    because="very large models take minutes from good storage too",
    command=by_filesystem(
        "iostat -x 5 3; grep -a -o 'Loading.*' serve.log | tail",
        nfs="nfsiostat 5 3 MOUNT; grep -a -o 'Loading.*' serve.log | tail",
    ),
)
