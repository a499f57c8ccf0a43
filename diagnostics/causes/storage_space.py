"""Storage, room: disks that are full, quotas that are used up, filesystems that nobody may write to."""

from __future__ import annotations

from . import Cause, Check, Effect, Role, by_filesystem
from ._hang import dies
from ._studies import ESTIMATE, STEPFUN

# how each filesystem is asked for its quotas
_QUOTAS = {
    "lustre": "lfs quota -h -u $USER MOUNT",
    "gpfs": "mmlsquota -u $USER",
    "beegfs": "beegfs-ctl --getquota --uid $USER",
    "cephfs": "getfattr -n ceph.quota.max_bytes -n ceph.quota.max_files DIR",
    "xfs": "xfs_quota -x -c 'report -h' MOUNT",
    "nfs": "quota -s",
    "ext4": "quota -s",
}

CAUSES = (
    Cause(
        slug="disk-full",
        title="a full disk",
        what="there is no space (or no inode) left where something had to be written",
        prior=0.045,
        source=ESTIMATE + "failed saves are reported often, and seldom under this name (pytorch#10577, "
               "h2o-llmstudio#214); studies count them under script errors",
        on=("mount",),
        effects=(
            Effect("disk-usage-full", 0.8,
                   "df shows it, unless the file was removed before somebody looked",
                   "{mount} had no room", Role.INITIATING),
            Effect("pool-out-of-space", 0.15,
                   "a thin pool, or the host below a disk that is a file, fills while the volume still shows room",
                   "the pool below the volume was full, whatever df showed", Role.INITIATING),
            Effect("no-space-error", 0.55,
                   "most programs pass the errno on; torch's zip writer does not",
                   "the write found no space on {mount}", Role.INITIATING),
            Effect("save-failed", 0.55,
                   "checkpoints are the largest files that a job writes",
                   "the checkpoint did not fit on {mount}; torch words it as a stream error"),
            Effect("inodes-exhausted", 0.06,
                   "a volume of very many small files runs out of inodes first",
                   "{mount} had no inode left", Role.INITIATING),
            Effect("directory-full", 0.01,
                   "a directory's index holds some ten million names, which hardly a job makes",
                   "a directory on {mount} took no more names; the caller was told that there is no space",
                   Role.INITIATING),
            Effect("checkpoint-truncated", 0.45,
                   "the file holds what fitted",
                   "the file holds what fitted on {mount}; what came after was never written"),
            Effect("part-far-smaller", 0.05,
                   "the first part that does not fit is cut, and its writer mostly says so and removes it",
                   "the part holds what fitted on {mount}"),
            Effect("temporary-file-left", 0.1,
                   "some writers do not clean up after an error",
                   "what did not fit was left under its temporary name"),
            Effect("checkpoint-unreadable", 0.3,
                   "the next run picks the torn file",
                   "the next run picked the file that had not fitted"),
            Effect("shorter-than-recorded", 0.1,
                   "the file holds what fitted",
                   "the file holds what fitted on {mount}"),
            Effect("bus-error", 0.045,
                   "a file that is mapped before it is filled gets its blocks at the first touch",
                   "a page of a mapped file found no block on {mount}"),
            Effect("volume-io-blocked", 0.05,
                   "clients of a full cluster hold writes back until there is room again",
                   "{comm} waited in a write for which {mount} had no room"),
            Effect("network-volume-error", 0.02,
                   "servers may word a full volume as an I/O error",
                   "the server worded its full disk as an I/O error"),
            Effect("filesystem-shut-down", 0.06,
                   "one in a thin pool or in a file cannot write its journal once there is no room below it",
                   "the filesystem stopped because what lies below it was full"),
            Effect("kernel-remounted-read-only", 0.1,
                   "btrfs stops itself when its own records find no room, though df may show some",
                   "the filesystem found no room for its own records and stopped itself"),
            Effect("read-only-error", 0.02,
                   "what a filesystem that stopped itself answers afterwards",
                   "the filesystem had stopped itself for want of room"),
            *dies("a write found no space", 0.05),
        ),
        now=(
            "Where df still shows {mount} full, free space on it: `du -xh --max-depth=2 MOUNT | sort -h | tail`",
            "Delete the truncated file, and resume from the last complete checkpoint (`python -m diagnostics "
            "checkpoint verify DIR`)",
        ),
        for_good=(
            "Prune checkpoints by number and by free space",
            "Publish checkpoints by a rename, so that a torn one never bears a final name",
        ),
        mistaken_for=(
            ("checkpoint-code-bug", "torch words it as a stream error and never says that there is no space"),
            ("network-filesystem-fault", "a lost volume gives the same two texts"),
            ("shared-memory-too-small", "no space on /dev/shm carries the same errno"),
        ),
        checks=(
            Check("is there room now", "df -h; df -i"),
            Check("what filled it", "du -xh --max-depth=2 MOUNT | sort -h | tail"),
        ),
    ),
    Cause(
        slug="quota-exceeded",
        title="a quota that is used up",
        what="the volume has room, but this user, group or project may not have more of it",
        prior=0.012,
        source=ESTIMATE + "a fourth of full disks: no study counts it, and only shared home and project directories "
               "have quotas",
        on=("mount",),
        effects=(
            Effect("quota-error", 0.9,
                   "the errno is passed on by nearly everybody",
                   "the quota on {mount} was used up", Role.INITIATING),
            Effect("save-failed", 0.4,
                   "checkpoints are what fills a quota",
                   "the checkpoint was refused by the quota"),
            Effect("no-space-error", 0.15,
                   "some servers say no space for it",
                   "the server worded the quota as no space", Role.INITIATING),
            Effect("checkpoint-truncated", 0.3,
                   "the file holds what was allowed",
                   "the file holds what the quota allowed"),
            Effect("part-far-smaller", 0.04,
                   "the first part beyond the quota is cut, and its writer mostly says so and removes it",
                   "the part holds what the quota left room for"),
            Effect("checkpoint-unreadable", 0.2,
                   "the next run picks the torn file",
                   "the next run picked the file that the quota had cut"),
            *dies("a write was refused by the quota", 0.05),
        ),
        now=(
            by_filesystem(
                "Look at the quota, not at df: `quota -s`; on Lustre `lfs quota -h -u $USER MOUNT`",
                **{name: f"Look at the quota, not at df: `{asked}`" for name, asked in _QUOTAS.items()},
            ),
            "Remove old checkpoints or caches, or ask for a larger quota",
        ),
        for_good=(
            "Keep caches (~/.cache, ~/.triton) and checkpoints off home directories",
            "Alert at nine tenths of the quota",
        ),
        mistaken_for=(
            ("disk-full", "the write fails alike while df shows plenty of room"),
        ),
        checks=(
            Check("how much is allowed and used",
                  by_filesystem("quota -s; lfs quota -h -u $USER MOUNT; xfs_quota -x -c report MOUNT", **_QUOTAS)),
        ),
    ),
    Cause(
        slug="read-only-filesystem",
        title="a filesystem that is read-only",
        what="the volume is mounted without the right to write, or was switched to that by an administrator, or by "
            "the kernel for a reason that is not shown",
        prior=0.02,
        source=ESTIMATE + "volumes mounted read-only by mistake; " + STEPFUN + "1",
        on=("mount",),
        effects=(
            Effect("read-only-error", 0.9,
                   "every write says so",
                   "{mount} accepts no writes", Role.INITIATING),
            Effect("kernel-remounted-read-only", 0.45,
                   "the kernel may do it, for a reason that its log no longer shows",
                   "the kernel switched it to read-only; why is not shown"),
            Effect("filesystem-shut-down", 0.25,
                   "what aborted the journal may be gone from the log",
                   "the filesystem had stopped itself; why is not shown"),
            Effect("save-failed", 0.35,
                   "a save is refused",
                   "the save was refused because {mount} is read-only"),
            *dies("a write was refused", 0.05),
        ),
        now=(
            "Write elsewhere, or remount: `mount -o remount,rw MOUNT`; first find out why it is read-only",
        ),
        for_good=(
            "Test that the output folder can be written before the first step",
        ),
        mistaken_for=(
            ("filesystem-corruption", "the kernel switches a damaged filesystem to read-only; then its log says why"),
            ("local-disk-failure", "so it does when the disk below fails"),
        ),
        checks=(
            Check("mount options and why",
                  "grep MOUNT /proc/mounts; dmesg -T | grep -i -E 'remount|read-only|error'"),
        ),
    ),
)  # fmt: skip
