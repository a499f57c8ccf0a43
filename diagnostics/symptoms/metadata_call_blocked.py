"""A process waits in the kernel for a network volume's answer to a question that moves no data: statfs, getattr,
lookup, access.

A server answers these from memory within milliseconds, however busy its disks are and however full they are. Only the
client's own wait counts: the stack holds the call and the client's remote procedure call below it. Or the client's
recovery thread is in D beside another process: the kernel starts it (`ADDRESS-manager` of NFS) when its server has lost
the client's state or is away, and it ends with the server's answer. Or a person's own df or stat of such a volume did
not come back, or a traced call of that kind.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from ..evidence import Subject
from ..evidence.kernel import HungTask
from ..evidence.process import ProcessState, SystemCall, ThreadState
from ..evidence.storage import CommandOutcome
from ..incident import Incident
from ._places import network_mounts, on_network, only_network_mount, place, volume_beside
from ._symptom import Finding, Symptom
from ._volume_calls import LONG_S, QUESTIONS

# 192.0.2.197-manager, as the kernel cuts it after 15 letters
RECOVERS = re.compile(r"^\[?(?P<server>[\w.:]{3,14})-(?:m|ma|man|mana|manag|manage|manager)\]?$")
ASKS = re.compile(
    r"^_?(?:nfs\d{0,2}_(?:proc_)?(?:statfs|getattr|lookup|access)|(?:ceph|fuse|ll|cifs|smb2|v9fs|gpfs)_statfs)"
)
ASKED = re.compile(r"^(?:sudo |timeout (?:-\S{1,20} ){0,3}\S{1,8} ){0,2}(?:df|stat)\b")
CALLS = re.compile(r"^_{0,2}rpc_|^request_wait_answer|^ceph_mdsc_|^ptlrpc_|^wait_for_response|^p9_client_rpc|^cxiWait")


def rule(incident: Incident) -> Iterator[Finding]:
    waiting: list[ThreadState | HungTask] = [*incident.of(ThreadState), *incident.of(HungTask)]
    for fact in waiting:
        asks = next((frame for frame in fact.frames if ASKS.match(frame)), None)
        if asks and any(CALLS.match(frame) for frame in fact.frames):
            who = fact.subject
            subject = replace(volume_beside(incident, fact), pid=who.pid, comm=who.comm, host=who.host)
            yield Finding(subject, (fact,), f"{fact.subject.comm or 'a process'} waits for an answer to {asks}")
    yield from _recoveries(incident)
    for command in incident.of(CommandOutcome):
        subject = place(incident, command.subject.path, command)
        if (
            command.outcome in ("hanging", "timed-out")
            and ASKED.match(command.command)
            and on_network(incident, subject, command)
        ):
            yield Finding(subject, (command,), f"`{command.command[:100]}` did not come back")
    for call in incident.of(SystemCall):
        about = place(incident, call.subject.path, call) if call.subject.path else None
        one = only_network_mount(incident, call) if about is None and (call.duration_s or 0.0) >= LONG_S else None
        if call.unfinished and call.name in QUESTIONS and ((about and on_network(incident, about, call)) or one):
            where = about or (one.subject if one else Subject())
            yield Finding(where, (call,), f"{call.name}() has not been answered")


def _recoveries(incident: Incident) -> Iterator[Finding]:
    """Recovery threads of NFS in D, with the mount by the server that their name starts with."""
    tasks: list[ThreadState | ProcessState] = [*incident.of(ThreadState), *incident.of(ProcessState)]
    stuck = [fact for fact in tasks if (fact.state or "").startswith("D")]
    for fact in stuck:
        found = RECOVERS.match(fact.subject.comm or "")
        other = next((each for each in stuck if each.subject.pid != fact.subject.pid), None)
        mounts = [
            mount
            for mount in network_mounts(incident, fact)
            if found and (mount.subject.server or "").startswith(found["server"]) and mount.filesystem == "nfs"
        ]
        if found and other and mounts:
            point = mounts[0].subject.mount if len(mounts) == 1 else None
            yield Finding(
                Subject(mount=point, server=mounts[0].subject.server, host=fact.subject.host),
                (fact, other, mounts[0]),
                f"the client's recovery thread {fact.subject.comm} waits for its server, and "
                f"{other.subject.comm} beside it",
            )


SYMPTOM = Symptom(
    title="a question that moves no data is not answered by a network volume",
    rule=rule,
    leak=0.001,
    because="the answer comes from the server's memory; to catch a process in it takes a server that is away",
    tells_apart=("mount",),
    command="for p in STUCK_PID; do grep -H . /proc/$p/task/*/{wchan,stack}; done; timeout 10 stat -f MOUNT",
)
