"""The loop closed: the diagnosis names a volume, the volume is asked, the diagnosis is made again."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .diagnosis import Diagnosis, diagnose
from .errors import ProbeError
from .mounttable import MountPoint, read_mount_table
from .probes import ProbeProgress, ProbeReport, run_probes

# the questions that cost nothing and write nothing; a write ladder is a person's decision
HARMLESS = ("stat", "statfs", "readdir", "read-data")
SUSPECT_POSTERIOR = 0.02


@dataclass(frozen=True)
class Moved:
    """A verdict before and after the probe's answers."""

    before: Diagnosis
    after: Diagnosis
    report: ProbeReport

    def __repr__(self) -> str:
        lines = [f"{self.before.verdict.value} -> {self.after.verdict.value}"]
        old = {(each.slug, each.subject): each.posterior for each in self.before.hypotheses}
        for each in self.after.hypotheses[:5]:
            was = old.get((each.slug, each.subject), each.cause.prior)
            lines.append(f"  {each.slug:28} {was:6.1%} -> {each.posterior:6.1%}  {each.subject}")
        return "\n".join(lines)


def volumes_worth_asking(diagnosis: Diagnosis, table: Sequence[MountPoint] | None = None) -> list[str]:
    """The volumes that a hypothesis within reach is about and that are mounted on this machine.

    Where no hypothesis names one: every network volume of this machine.
    """
    here = list(read_mount_table() if table is None else table)
    within_reach = [each for each in diagnosis.hypotheses if each.posterior >= SUSPECT_POSTERIOR]
    named = dict.fromkeys(each.about.mount for each in within_reach if each.about.mount)
    mounted = [mount for mount in named if mount in {row.mount for row in here}]
    return mounted or [row.mount for row in here if row.filesystem.network]


def probe_and_diagnose(
    diagnosis: Diagnosis,
    volumes: Sequence[str] = (),
    *,
    deadline_s: float = 30.0,
    on_progress: Callable[[ProbeProgress], None] | None = None,
    cancel: threading.Event | None = None,
) -> Moved:
    """Ask the volumes that the diagnosis is about, and judge again with what they answered.

    Raises ProbeError when there is no volume to ask on this machine.
    """
    chosen = list(volumes) or volumes_worth_asking(diagnosis)
    if not chosen:
        raise ProbeError(
            "no volume that the diagnosis names is mounted on this machine",
            "run it on the pod, or name one: probe MOUNT",
        )
    report = run_probes(chosen, only=HARMLESS, deadline_s=deadline_s, on_progress=on_progress, cancel=cancel)
    return Moved(diagnosis, diagnose(diagnosis.incident.with_evidence(report.answers)), report)
