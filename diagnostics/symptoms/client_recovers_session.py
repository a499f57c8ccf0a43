"""A thread waits until its volume's client has set up its session with the server anew.

By its kernel stack or wait channel: the client of NFS in the recovery of its lease or state or before the server's
first answer, of SMB in a reconnect, of Lustre in the recovery of an import. Who waits for a reply only is another
symptom.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence.kernel import HungTask
from ..evidence.process import ProcessState, ThreadState
from ..filesystems import by_filesystem
from ..incident import Incident
from ._places import volume_beside
from ._symptom import Finding, Symptom

RECOVERS = re.compile(
    "^_{0,2}(?:nfs4_wait_clnt_recover|nfs4_client_recover_expired_lease|nfs4_run_state_manager"
    "|nfs_wait_client_init_complete"
    "|nfs4_discover_server_trunking|nfs41_sequence_recover|cifs_reconnect|cifs_wait_for_server_reconnect"
    "|smb2_reconnect|ptlrpc_reconnect_import|ptlrpc_recover_import"
    r"|ceph_mdsc_wait_for_open|wait_requests_session)\b"
)


def rule(incident: Incident) -> Iterator[Finding]:
    waiting: list[ThreadState | ProcessState | HungTask] = [
        *incident.of(ThreadState),
        *incident.of(ProcessState),
        *incident.of(HungTask),
    ]
    for fact in waiting:
        channel = None if isinstance(fact, HungTask) else fact.wchan
        frames = () if isinstance(fact, ProcessState) else fact.frames
        if found := next((name for name in (channel or "", *frames) if RECOVERS.match(name)), None):
            note = f"{fact.subject.comm or 'a thread'} waits in {found}"
            yield Finding(volume_beside(incident, fact), (fact,), note)


STACKS = "for p in JOB_PID; do cat /proc/$p/task/*/stack; done"

SYMPTOM = Symptom(
    title="a volume's client has lost its session and waits to get it back",
    rule=rule,
    leak=0.0005,
    because="a server that answers grants a session at once",
    tells_apart=("mount",),
    command=by_filesystem(
        f"{STACKS}; dmesg -T | tail -n 200",
        nfs=f"{STACKS}; dmesg -T | grep -i nfs; nfsstat -rc",
        lustre=f"{STACKS}; dmesg -T | grep -i lustre; lctl get_param '*.*.import' | grep -A3 state",
        cifs=f"{STACKS}; dmesg -T | grep -i cifs; cat /proc/fs/cifs/DebugData",
    ),
    cost_minutes=1,
)
