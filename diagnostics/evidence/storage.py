"""What is known of volumes, files and their contents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from . import Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class Mount(Evidence):
    """A mounted filesystem. Subject: mount, device, server.

    `filesystem` is the recognised name ("moosefs", "nfs", "ext4", ...: matched by the source, since a FUSE
    type says nothing); `network` is True when its data live behind a server.

        mfs#10.0.0.1:9421 /workspace fuse rw,nosuid,nodev,relatime,user_id=0,group_id=0,allow_other 0 0
    """

    device: str
    type: str
    filesystem: str
    network: bool
    options: tuple[str, ...] = ()

    @property
    def read_only(self) -> bool:
        return "ro" in self.options


@dataclass(frozen=True, slots=True, kw_only=True)
class DiskUsage(Evidence):
    """A row of df: bytes, or counts of inodes when `inodes`. Subject: mount, device.

    /dev/loop0      344M  344M     0 100% /workspace/ckpt
    """

    size: int | None
    used: int | None
    available: int | None
    used_percent: float | None = None
    inodes: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotaUsage(Evidence):
    """A row of a quota tool, in bytes, or in files when `files`; None = no such limit. Subject: mount or device.

    `marked` is the tool's own star behind a number: over the quota.

        /scratch  10.01T*    10T     10T       -  812311  2000000 2000000       -
    """

    used: int
    soft: int | None
    hard: int | None
    files: bool = False
    marked: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class FileEntry(Evidence):
    """A file in a listing; None = the listing does not say. Subject: path.

    -rw-r--r-- 1 root root 130845335 2026-11-29 12:23:54 step_000020.pt
    """

    size: int | None
    modified: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SizeCompared(Evidence):
    """A file's size beside the one that it should have, in bytes. Subject: path.

    shard_0003.tar           1073741824    411041792
    """

    expected: int
    actual: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Checksum(Evidence):
    """A content hash of a file. Subject: path.

    a4c14c9712d95f886d575822d98051af  step_000010.pt
    """

    algorithm: str
    digest: str
    size: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockDeviceSeen(Evidence):
    """A disk or a part of one. Subject: device, mount. None = not said.

    `transport` is "sata", "nvme", "iscsi", "fc" ...; a maker of servers as `vendor` says that the blocks lie behind
    one.

        sdb  200G disk IET      VIRTUAL-DISK
    """

    rotational: bool | None = None
    vendor: str | None = None
    model: str | None = None
    transport: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChecksumVerdict(Evidence):
    """A file compared with what it should be. Subject: path.

    `outcome` is "ok", "differs", "unreadable" or "missing": could not be read is not a mismatch. `different` is how
    many bytes differ between two files that were read to their common end; `against` is the file that it was compared
    with, where the tool names it.

        step_000020.pt: FAILED
    """

    outcome: str
    first_difference: int | None = None
    different: int | None = None
    against: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolError(Evidence):
    """A tool's own error message about a file. Subject: path. `error` is the errno's name where recognised.

    cp: error writing '/workspace/ckpt/test.pt': No such device or address
    """

    tool: str
    error: str | None
    text: str
    operation: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandOutcome(Evidence):
    """What became of a command that a person ran. Subject: path where the command names one.

    `outcome` is "ok", "failed", "timed-out", "hanging" or "interrupted" (by a Ctrl-C).

        (still hanging after 13 s, although timeout has sent SIGTERM)
    """

    command: str
    outcome: str
    status: int | None = None
    after_s: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class VolumeClientMessage(Evidence):
    """The user-space client of a network filesystem complains. Subject: pid, server, mount where said.

    `about` is "no-copies", "timed-out", "connection-lost", "write-failed", "io-error", "no-space", "over-quota",
    "slow", "recovered" or "other".

        mfsmount[25425]: file: 6, index: 0, chunk: 0000000000000004, version: 1 - there are no valid copies
    """

    filesystem: str
    about: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Pressure(Evidence):
    """A line of /proc/pressure (PSI), percent of time. It is machine-wide unless the subject has a cgroup.

    io some avg10=5.58 avg60=42.88 avg300=27.83 total=1102539691
    """

    resource: str
    scope: str
    avg10: float
    avg60: float
    avg300: float


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryInfo(Evidence):
    """The machine's memory, in KiB (meminfo, free), or only which share of it is used.

    MemTotal:       24684084 kB
    """

    values_kib: Mapping[str, int]
    used_percent: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SizeSeen(Evidence):
    """A row of a table of sizes (bytes) over time that does not say what was measured.

    server 2.3.5  +13h40   14.1G
    """

    name: str
    at: str
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TensorBytes(Evidence):
    """What somebody counted in a checkpoint, in bytes. Subject: path where said.

    `what` is "tensors" (their elements, summed), "storage" (the memory behind a tensor, which is what is written) or
    "file".

        >>> sum(v.numel() * v.element_size() for v in sd.values())
    """

    what: str
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CgroupMemory(Evidence):
    """A memory cgroup's limit and use, in bytes; None = unlimited or unknown. Subject: cgroup.

    1926234112	1926234112	2223	oom_kill_disable 0	under_oom 0	oom_kill 1
    """

    limit: int | None
    usage: int | None
    peak: int | None = None
    oom_kills: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class IoStatistics(Evidence):
    """Rates and waits of a device or a mount (iostat, nfsiostat, mountstats, fio), or of a process for a CPU. Subject:
    device, mount or pid.

    nvme0n1  12.0  0.5  3.1  ...  99.8
    """

    values: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class ZeroRun(Evidence):
    """A stretch of a file that reads back as zeros, in bytes. Subject: path where said.

    shard_00042.bin  zero region 419430400..419434496 (4096 bytes)
    """

    offset: int
    length: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TensorValues(Evidence):
    """What somebody computed of the numbers in one tensor or one file of them; None = not said. Subject: path of a
    file.

    `greatest` is the largest magnitude that was said; `zeros_percent` is 100 where all are zero.

        lm_head.weight   F32 absmean 0.0000  zeros 100.0%
    """

    name: str
    greatest: float | None = None
    zeros_percent: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PowerLosses(Evidence):
    """How often a drive lost its power without being told before, by its own count, and how often it was switched on
    where that is told too. Subject: device.

        Unsafe Shutdowns:                   61
    """

    unannounced: int
    power_cycles: int | None = None
