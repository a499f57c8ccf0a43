"""The servers of a volume report requests that are slow, and report later that all of them were answered; or the job's
steps go on and wait for data that come.

A report that nothing takes back speaks of a server that may have stopped altogether, and counts as a complaint.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence.storage import VolumeClientMessage
from ..filesystems import by_filesystem
from ..incident import Incident
from ._places import volume_of_client
from ._registry import findings_of
from ._reports import follows
from ._symptom import Finding, Symptom


def rule(incident: Incident) -> Iterator[Finding]:
    said = incident.of(VolumeClientMessage)
    reports = [message for message in said if message.about == "slow"]
    late = [finding for finding in (findings_of(incident, "data-wait-dominates") if reports else ()) if finding.present]
    for slow in reports:
        answered = next((later for later in said if later.about == "recovered" and follows(later, slow)), None)
        if answered is not None:
            yield Finding(volume_of_client(incident, slow, slow.filesystem), (slow, answered), slow.text[:160])
        elif late:
            facts = (slow, *late[0].evidence[:1])
            yield Finding(volume_of_client(incident, slow, slow.filesystem), facts, slow.text[:160])


SYMPTOM = Symptom(
    title="the servers answer late",
    rule=rule,
    leak=0.001,
    because="half a minute for a request is far beyond what a sound cluster needs",
    tells_apart=("mount",),
    command=by_filesystem(
        "dmesg -T | grep -i -E 'slow|not responding'",
        cephfs="ceph health detail; ceph daemon mds.NAME dump_ops_in_flight",
        rbd="ceph health detail; ceph osd perf",
        nfs="nfsiostat 5 3 MOUNT; dmesg -T | grep -i 'nfs.*not responding'",
        lustre="dmesg -T | grep -i -E 'lustre.*slow|request.*timed out'; lctl get_param osc.*.import",
    ),
    cost_minutes=3,
)
