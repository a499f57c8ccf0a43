"""A file operation on a network volume returned an error: one that only a network client gives (not connected, stale
handle, endpoint shut down, host down), or any I/O error on a file that lies on such a volume.

So do the errors of a disk whose blocks lie behind a server (rbd, nbd, iSCSI) and of the filesystem on it, and the loss
of the session with that server. A mount that its server does not answer counts too. A mount whose own daemon was killed
for memory is another symptom.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Evidence, Subject
from ..evidence.kernel import BlockIoError, FilesystemError
from ..evidence.storage import ToolError
from ..incident import Incident
from ._disks import disk_reports
from ._errors import matching
from ._places import is_remote_disk, lost_sessions, on_network, place_of_error
from ._symptom import Finding, Symptom
from ._volume_calls import ERROR_NAMES, IO_ERROR, NOT_CONNECTED, about_a_file, disconnected

ONLY_NETWORK = re.compile(
    r"Stale (?:NFS )?file handle|Transport endpoint is not connected|transport endpoint shutdown|Remote I/O error"
    r"|Software caused connection abort|Host is down|\[Errno (?:107|108|112|116|121)\]",
    re.I,
)
UNANSWERED = ("ETIMEDOUT", "EHOSTUNREACH", "ENETUNREACH", "ECONNREFUSED", "EHOSTDOWN")
UNSERVED = re.compile(r"^no mds \(Metadata Server\) is up")


def rule(incident: Incident) -> Iterator[Finding]:
    """Each such error with the volume it was about."""
    by_kill = disconnected(incident) is not None
    for said in matching(incident, IO_ERROR, *ERROR_NAMES):
        if by_kill and NOT_CONNECTED.search(said.text):
            continue
        subject = place_of_error(incident, said.fact, said.path)
        remote = on_network(incident, subject, said.fact)
        if about_a_file(said) and (remote or (remote is None and ONLY_NETWORK.search(said.text))):
            yield Finding(subject, (said.fact,), said.text.splitlines()[0][:160])
    for tool in incident.of(ToolError):
        if tool.tool.startswith("mount") and (tool.error in UNANSWERED or UNSERVED.search(tool.text)):
            yield Finding(tool.subject, (tool,), f"{tool.tool}: {tool.text}"[:160])
    # damaged records came back as they lie there: that is no refusal of the volume
    refused = [fact for fact in disk_reports(incident, FilesystemError) if fact.about != "corruption"]
    kernel: list[Evidence] = [*disk_reports(incident, BlockIoError), *refused]
    for fact in kernel:
        name = (fact.subject.device or "").rpartition("/")[2]
        if is_remote_disk(incident, name, fact):
            mount = next((m for m in incident.volumes.mounts(fact) if m.device.rpartition("/")[2] == name), None)
            subject = mount.subject if mount else Subject(device=fact.subject.device)
            yield Finding(subject, (fact,), f"{name}, a disk behind a server, returned an error")
    for lost in lost_sessions(incident):
        yield Finding(Subject(), (lost,), lost.text[:160])


SYMPTOM = Symptom(
    title="a network volume returns errors",
    rule=rule,
    leak=0.001,
    because="a volume that is served returns none of these",
    tells_apart=("mount",),
    command="ls -l MOUNT; dmesg -T | tail -n 100; python -m diagnostics probe MOUNT",
)
