"""Storage, the machine's side: disks that fail, filesystems that are damaged, and a kernel that deadlocks on them."""

from __future__ import annotations

from . import Cause, Check, Effect, Role
from ._hang import dies, hangs
from ._studies import ESTIMATE, FT_HSDP, LLAMA, STEPFUN, TSUBAME

CAUSES = (
    Cause(
        slug="local-disk-failure",
        title="a failing local disk",
        what="a disk of this machine times out, resets, vanishes or cannot read its own sectors",
        prior=0.02,
        source=LLAMA + "3 for SSDs; " + FT_HSDP + "4.4 %",
        on=("device",),
        effects=(
            Effect("block-device-trouble", 0.9,
                   "the kernel reports every failed request",
                   "the disk {device} did not answer as it should", Role.INITIATING),
            Effect("filesystem-damage-reported", 0.3,
                   "a filesystem whose disk fails reports errors too",
                   "the filesystem's errors are those of the disk below"),
            Effect("kernel-remounted-read-only", 0.4,
                   "ext4 stops writing when its disk fails",
                   "the kernel stopped writes because the disk failed"),
            Effect("read-only-error", 0.1,
                   "most filesystems stop writing when their disk fails",
                   "the filesystem stopped writing because its disk failed"),
            Effect("io-error-on-volume", 0.45,
                   "reads and writes of the bad area fail",
                   "the disk returned an error", Role.INITIATING),
            Effect("save-failed", 0.25,
                   "a save meets the bad area or the dead disk",
                   "the disk refused the write"),
            Effect("kernel-filesystem-hang", 0.1,
                   "tasks wait while the controller is reset",
                   "tasks waited for a disk that was being reset"),
            Effect("volume-slow-measured", 0.1,
                   "retries take seconds",
                   "the disk retried its reads"),
            Effect("bus-error", 0.05,
                   "a mapped page cannot be read",
                   "a mapped file could not be read from the disk"),
            *hangs("a disk that did not answer", silent=0.4),
        ),
        now=(
            "Save what is readable to another disk",
            "Look at the disk: `smartctl -a /dev/DEVICE`, `nvme smart-log`",
            "For a controller that vanished: disable deep power states (nvme_core.default_ps_max_latency_us=0), "
            "update firmware, reseat",
        ),
        for_good=(
            "Watch SMART and media errors; replace disks that report them",
            "Keep a second copy of checkpoints on another device",
        ),
        mistaken_for=(
            ("filesystem-corruption", "the filesystem's messages are the last and the loudest"),
            ("storage-client-evicted", "a block device of a cluster prints the same lines"),
            ("read-only-filesystem", "the remount is a consequence"),
        ),
        checks=(
            Check("the disk's own record",
                  "smartctl -a /dev/DEVICE; nvme smart-log /dev/DEVICE; nvme error-log /dev/DEVICE"),
        ),
    ),
    Cause(
        slug="filesystem-corruption",
        title="a damaged filesystem",
        what="the filesystem's own records (inodes, directories, journal) are inconsistent, whoever damaged them",
        prior=0.008,
        source=ESTIMATE + STEPFUN + "3 of a filesystem",
        on=("device",),
        effects=(
            Effect("filesystem-damage-reported", 0.95,
                   "the filesystem checks what it reads and says so",
                   "the filesystem on {device} found its records damaged", Role.INITIATING),
            Effect("kernel-remounted-read-only", 0.6,
                   "ext4 goes read-only where it is mounted with errors=remount-ro, and xfs shuts down",
                   "the kernel stopped writes to keep the damage from growing"),
            Effect("read-only-error", 0.25,
                   "ext4 goes read-only where it is mounted with errors=remount-ro, and xfs shuts down",
                   "the kernel stopped writes to keep the damage from growing"),
            Effect("io-error-on-volume", 0.35,
                   "damaged files are refused",
                   "the damaged part was refused", Role.INITIATING),
            Effect("save-failed", 0.25,
                   "writes are refused after the switch",
                   "the save was refused by a filesystem that had stopped"),
            Effect("checkpoint-unreadable", 0.1,
                   "damaged files do not load",
                   "the file lies on a damaged filesystem"),
            *dies("the filesystem refused", 0.1),
        ),
        now=(
            "Stop writing to it; unmount and run fsck (ext4), xfs_repair or btrfs check",
            "Resume from a checkpoint on another filesystem",
        ),
        for_good=(
            "Look for what damaged it: power loss, a full thin pool, a failing disk, memory errors",
        ),
        mistaken_for=(
            ("local-disk-failure", "then the log has the disk's own errors first"),
            ("disk-full", "torch words both alike"),
        ),
        checks=(
            Check("what the check finds", "umount MOUNT && fsck -n /dev/DEVICE"),
            Check("the disk's own errors", "dmesg -T | grep -i -E 'I/O error|nvme|ata'"),
        ),
    ),
    Cause(
        slug="filesystem-kernel-bug",
        title="a kernel bug in the filesystem or block layer",
        what="the kernel's own filesystem code deadlocks over healthy storage",
        prior=0.006,
        source=TSUBAME + "8.2 % bugs of XFS, 2.3 % of ext4",
        on=("host",),
        effects=(
            Effect("kernel-filesystem-hang", 0.9,
                   "tasks pile up in the same function",
                   "tasks waited inside the kernel's filesystem code, not for a disk", Role.INITIATING),
            Effect("experimental-filesystem-feature", 0.2,
                   "deadlocks live in the youngest code",
                   "the feature's code is where such deadlocks were found before"),
            Effect("orphans-unkillable", 0.3,
                   "a task inside the kernel cannot be killed",
                   "the killed process was inside the kernel"),
            Effect("volume-io-blocked", 0.1,
                   "clients of a server whose disk hangs wait",
                   "the volume's server waited on its own disk"),
            Effect("main-thread-waits-for-loader", 0.2,
                   "readers are among the hung tasks",
                   "the main thread waited for a reader that hung in the kernel"),
            *hangs("the kernel's filesystem code", silent=0.6),
        ),
        now=(
            "Collect `echo w > /proc/sysrq-trigger` and the kernel version; then reboot: the deadlock does not "
            "resolve",
        ),
        for_good=(
            "Update the kernel or turn the feature off (for ext4 fast_commit: `tune2fs -O ^fast_commit`)",
        ),
        mistaken_for=(
            ("local-disk-failure", "the disk has no errors of its own"),
            ("network-filesystem-fault", "a storage server that hangs on its disk hangs its clients"),
        ),
        checks=(
            Check("where the tasks wait", "echo w > /proc/sysrq-trigger; dmesg -T | tail -n 400"),
            Check("is the disk well", "dmesg -T | grep -i 'I/O error'; smartctl -H /dev/DEVICE"),
        ),
    ),
)  # fmt: skip
