"""A network volume that is mounted shows no capacity: 0 blocks in stat -f, or no row for it in a df that listed the
other disks. A missing row of a volume that is nobody's says nothing: the run names its paths, and none of them, no open
file and nothing that anybody looked at lies there.

ABSENT where df shows the volume with a size.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence import Evidence
from ..evidence.process import OpenFile
from ..evidence.storage import DiskUsage, Mount
from ..evidence.training import RunStarted
from ..incident import Incident
from ._symptom import Finding, Symptom


def rule(incident: Incident) -> Iterator[Finding]:
    """Each network mount that df does not know or knows with no blocks."""
    rows = [row for row in incident.of(DiskUsage) if not row.inodes]
    for mount in (each for each in incident.volumes.all_mounts if each.network):
        beside = [row for row in rows if incident.links.may_be_beside(row, mount)]
        whole = {row.source.file for row in beside if row.subject.mount == "/"}
        mine = [row for row in beside if row.subject.mount == mount.subject.mount]
        empty = [row for row in mine if row.size == 0]
        if empty:
            yield Finding(mount.subject, tuple(empty), f"{mount.subject.mount} shows a size of 0 blocks")
        elif mine:
            yield Finding(mount.subject, tuple(mine), f"{mount.subject.mount} shows its size", present=False)
        elif whole and not _is_nobodys(incident, mount):
            listed = [row for row in beside if row.source.file in whole]
            yield Finding(mount.subject, (mount, *listed), f"df lists the other disks and not {mount.subject.mount}")


def _is_nobodys(incident: Incident, mount: Mount) -> bool:
    """True where the run says where its files are, and nothing that anybody named is on this volume."""
    of_runs = [(path, run) for run in incident.of(RunStarted) for path in run.paths if path.startswith("/")]
    opened = [(file.target, file) for file in incident.of(OpenFile)]
    looked_at = [(fact.subject.path, fact) for fact in incident.evidence if not isinstance(fact, Mount)]
    named: list[tuple[str | None, Evidence]] = [*of_runs, *opened, *looked_at]
    once = {(path, incident.links.machine_of(fact)): fact for path, fact in named if path} if of_runs else {}
    found = (incident.volumes.mount_of(path, fact) for (path, _), fact in once.items())
    return bool(of_runs) and not any(
        each.device == mount.device and each.subject.mount == mount.subject.mount for each in found if each
    )


SYMPTOM = Symptom(
    title="the mounted volume shows no capacity",
    rule=rule,
    leak=0.03,
    because="some clients never report a size, so a missing row alone says little",
    tells_apart=("mount",),
    command="timeout -s KILL 10 df -h & timeout -s KILL 10 stat -f MOUNT &",
)
