"""The pod that holds a node's mounts is younger than the pods that use them, and processes have been in D since it
came.

A client in user space, or the connection that a driver holds, ends with its pod; mounts that it made before are
left without one. Two processes at least, in D, a minute old or more and no older than the client's pod.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.process import ProcessState, ServiceState
from ..incident import Incident
from ._symptom import Finding, Symptom

CLIENT = re.compile(
    "(?:^|-)csi(?:-|$).{0,60}(?:plugin|node|driver|mount)|plugin-[a-z0-9]{5}$"
    "|^(?:juicefs|jfs|fuse|gcsfuse|s3fs|blobfuse|mountpoint)-|-fuse-|(?:^|-)(?:csi|node-driver|mount-pod)-"
)
OTHER_PLUGIN = re.compile(r"device-plugin|nvidia")
OF_A_GPU = re.compile(r"^(?:os_acq|uvm_|nv_|nvidia|rm_)")
OLDER = 2.0
FEWEST, LONG_S = 2, 60.0


def rule(incident: Incident) -> Iterator[Finding]:
    pods = [pod for pod in incident.of(ServiceState) if pod.age_s is not None]
    clients = [
        pod for pod in pods if CLIENT.search(pod.subject.job or "") and not OTHER_PLUGIN.search(pod.subject.job or "")
    ]
    users = [pod for pod in pods if pod not in clients]
    for client in clients:
        age = client.age_s or 0.0
        stuck = [
            row
            for row in incident.of(ProcessState)
            if row.state == "D" and LONG_S <= (row.elapsed_s or 0.0) <= age and not OF_A_GPU.search(row.wchan or "")
        ]
        older = [user for user in users if (user.age_s or 0.0) >= OLDER * age]
        if len(stuck) >= FEWEST and older:
            note = f"{client.subject.job} is {age / 60:.0f} min old, and {len(stuck)} processes are in D since"
            yield Finding(Subject(host=client.subject.host), (client, *stuck[:3], older[0]), note)


SYMPTOM = Symptom(
    title="the client of a volume was replaced under its mounts",
    rule=rule,
    leak=0.0003,
    because="drivers are replaced now and then; that what uses their mounts hangs from then on is no chance",
    tells_apart=("host",),
    command="kubectl get pods -A -o wide | grep -i csi; ps -eo pid,stat,etime,args | awk '$2 ~ /D/'",
    cost_minutes=1,
)
