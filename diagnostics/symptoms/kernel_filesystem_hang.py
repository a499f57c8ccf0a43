"""Tasks hang inside a local filesystem or the block layer: hung tasks in ext4, jbd2, xfs, btrfs, bcachefs or
writeback functions, a filesystem's own thread that waits for a lock, or that of a pool whose disks are there,
or processes (a storage server's among them) in D on a local disk.

No page wait on a network volume and no fuse or nfs function. Never ABSENT: the detector stops after a few reports, and
a killable wait is not reported at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.kernel import HungTask, PoolOnline
from ..evidence.process import ProcessState, ThreadState
from ..filesystems import DAEMONS
from ..incident import Incident
from ..kernel_waits import CLIENT_WAITS
from ._kernel import LOCAL
from ._symptom import Finding, Symptom

# where a filesystem's own thread waits for its disk day by day
AT_HOME = frozenset({"jbd2_journal_commit_transaction", "kjournald2", "kjournald", "txg_sync_thread", "xfsaild"})
# txg_sync      dbuf_evict      jbd2/nvme0n1p2-8      xfsaild/dm-0      btrfs-transacti
OWN_THREADS = re.compile(
    r"^(?:txg_|z_(?:wr|rd|fr|cl)_|dbuf_evict|arc_(?:reap|evict|prune|reclaim)|zil_|jbd2/|xfsaild/|btrfs-)"
)
OF_A_POOL = re.compile(r"^(?:txg_|z_|dbuf_evict|arc_|zil_)")
LOCKS = re.compile(r"^_{0,2}(?:mutex_lock|rwsem_down|down_(?:read|write))")
DISK = re.compile(r"^(?:io_schedule|blk_|bio_|submit_bio|wait_on_(?:page|buffer)|bit_wait_io)")
LOCAL_TOOL = re.compile(r"^(?:touch|ls|rm|cp|dd|sync|cat|mkdir|stat|umount|fsck\S*)\s")


def rule(incident: Incident) -> Iterator[Finding]:
    """Each task that hangs below a local filesystem."""
    for task in incident.of(HungTask):
        words = (task.function or "", *task.frames)
        if any(word.startswith(CLIENT_WAITS) for word in words) or _waits_for_its_disk(task):
            continue
        inside = next((word for word in words if LOCAL.match(word) and word not in AT_HOME), None)
        # its trace was left out, but its disks are known to be well
        own = not task.frames and incident.of(PoolOnline) and OF_A_POOL.match(task.subject.comm or "")
        if inside or own:
            where = f"hangs in {inside}" if inside else "hangs"
            yield Finding(Subject(host=task.subject.host), (task,), f"{task.subject.comm} {where}")
    for thread in incident.of(ThreadState):
        inside = next((word for word in (thread.wchan or "", *thread.frames) if LOCAL.match(word)), None)
        if thread.state == "D" and inside and not any(word.startswith(CLIENT_WAITS) for word in thread.frames):
            yield Finding(Subject(host=thread.subject.host), (thread,), f"{thread.subject.comm} waits in {inside}")
        elif thread.state == "D" and OWN_THREADS.match(thread.subject.comm or "") and _waits_for_a_lock(thread):
            yield Finding(Subject(host=thread.subject.host), (thread,), f"{thread.subject.comm} waits for a lock")
    for row in incident.of(ProcessState):
        comm = row.subject.comm or row.command
        if row.state == "D" and LOCAL.match(row.wchan or ""):
            yield Finding(Subject(host=row.subject.host), (row,), f"{comm} waits in {row.wchan}")
        elif row.state == "D" and (comm.startswith(DAEMONS) or row.command.startswith(DAEMONS)):
            yield Finding(Subject(host=row.subject.host), (row,), f"the storage server {comm} is itself in D")
        elif row.state == "D" and LOCAL_TOOL.match(row.command) and _local(incident, row):
            yield Finding(Subject(host=row.subject.host), (row,), f"`{row.command[:80]}` is in D on a local disk")


def _waits_for_its_disk(task: HungTask) -> bool:
    """True for a pool's own thread whose stack shows a wait for a disk and none for a lock."""
    own = OF_A_POOL.match(task.subject.comm or "")
    return bool(own and any(map(DISK.match, task.frames)) and not any(map(LOCKS.match, task.frames)))


def _waits_for_a_lock(thread: ThreadState) -> bool:
    """True where a stack, which may be cut short, shows a wait for a lock and none for a disk."""
    return any(map(LOCKS.match, thread.frames)) and not any(map(DISK.match, thread.frames))


def _local(incident: Incident, row: ProcessState) -> bool:
    """True where every path of the command is on a mount that is known to be local."""
    mounts = [incident.volumes.mount_of(word, row) for word in row.command.split() if word.startswith("/")]
    return bool(mounts) and all(mount and not mount.network for mount in mounts)


SYMPTOM = Symptom(
    title="tasks hang inside a local filesystem",
    rule=rule,
    leak=0.0005,
    because="a local filesystem over a healthy disk does not hang",
    command="dmesg -T | grep -A 25 'blocked for more than'; ps -eo pid,stat,wchan:32,args | awk '$2 ~ /D/'",
)
