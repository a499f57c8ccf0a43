"""Somebody was told that there is no space: ENOSPC by number, name or text, the job, the client of its volume, or a
local filesystem that found no room for its own records.

An error about shared memory is another symptom, though it carries the same errno, and so does the want of inotify
watches, semaphores, mounts and control groups, which is no want of space at all. torch.save never says it (see
save-failed), so it is ABSENT only of a full volume beside those that the errors name.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.kernel import FilesystemError, NetworkFilesystemMessage
from ..evidence.storage import DiskUsage, VolumeClientMessage
from ..incident import Incident
from ._disks import disk_reports
from ._errors import matching
from ._places import place_of_error, same_device, volume_of_client
from ._shared_memory import SHARED_MEMORY, makes_segments
from ._space import NO_DISK, NO_SPACE, POOL, is_full, real
from ._symptom import Finding, Symptom


def rule(incident: Incident) -> Iterator[Finding]:
    """Each such error with its volume; and the other full volumes, of which nobody was told anything."""
    found = list(_told(incident))
    yield from found
    for row in incident.of(DiskUsage) if found else ():
        if row.inodes or not real(incident, row) or not is_full(row):
            continue
        beside = [finding for finding in found if finding.fact and incident.links.may_be_beside(finding.fact, row)]
        named = {finding.subject.mount for finding in beside}
        if beside and not named & {None, row.subject.mount}:
            note = f"the errors are about {', '.join(sorted(filter(None, named)))}, not about {row.subject.mount}"
            yield Finding(Subject(mount=row.subject.mount), beside[0].evidence, note, present=False)


def _told(incident: Incident) -> Iterator[Finding]:
    """Each such error with the volume it was about, and each client that was told so by its servers."""
    for said in matching(incident, NO_SPACE, "ENOSPC", orchestrator=True):
        of_memory = SHARED_MEMORY.search(said.text) or makes_segments(said.fact)
        if not of_memory and not NO_DISK.search(said.text):
            yield Finding(place_of_error(incident, said.fact, said.path), (said.fact,), said.text.splitlines()[0][:160])
    told: list[VolumeClientMessage | NetworkFilesystemMessage] = [*incident.of(VolumeClientMessage)]
    for message in told + incident.of(NetworkFilesystemMessage):
        if message.about == "no-space":
            yield Finding(volume_of_client(incident, message, message.filesystem), (message,), message.text[:160])
    for error in disk_reports(incident, FilesystemError):
        if error.about == "no-space" and error.filesystem != POOL:
            beside = incident.volumes.mounts(error)
            mount = next((m for m in beside if same_device(m.device, error.subject.device)), None)
            yield Finding(mount.subject if mount else Subject(), (error,), error.text[:160])


SYMPTOM = Symptom(
    title="an error says that there is no space",
    rule=rule,
    leak=0.0004,
    because="hardly anything but a full volume, inode table or quota returns this errno",
    tells_apart=("mount",),
    command="df -h; df -i; grep -rn -i 'no space' *.log",
)
