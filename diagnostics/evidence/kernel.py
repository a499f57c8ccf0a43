"""What the kernel says of itself, its devices and its filesystems."""

from __future__ import annotations

from dataclasses import dataclass

from . import Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class HungTask(Evidence):
    """A task was blocked for longer than the hung-task limit.

    Subject: comm, pid (the thread group), tid. `function` is the guilty frame (for a FUSE wait the
    filesystem operation, not the wait); `frames` are innermost first.

        INFO: task python:27966 blocked for more than 120 seconds.
    """

    blocked_s: float | None
    function: str | None = None
    frames: tuple[str, ...] = ()
    io_wait: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class HungTaskReportsEnded(Evidence):
    """The kernel will report no more hung tasks (`hung_task_warnings` is used up).

    Future hung task reports are suppressed, see sysctl kernel.hung_task_warnings
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class SoftLockup(Evidence):
    """A CPU ran in the kernel without letting anybody else run.

    watchdog: BUG: soft lockup - CPU#3 stuck for 22s! [python:4242]
    """

    cpu: int | None
    stuck_s: float | None
    function: str | None = None
    frames: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class HardLockup(Evidence):
    """A CPU did not even take interrupts.

    NMI watchdog: Watchdog detected hard LOCKUP on cpu 5
    """

    cpu: int | None
    function: str | None = None
    frames: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RcuStall(Evidence):
    """A CPU or task kept a read-copy-update grace period from ending.

    rcu: INFO: rcu_preempt self-detected stall on CPU
    """

    cpus: tuple[int, ...] = ()
    function: str | None = None
    frames: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class OomKill(Evidence):
    """The kernel killed a process for lack of memory. Subject: the victim's pid and comm, the cgroup.

    `scope` is "global" or "cgroup", or "unknown" where the report is cut before it says whose memory was full.

        Memory cgroup out of memory: Killed process 3399 (python) total-vm:9GB, anon-rss:1GB, ...
    """

    scope: str
    limit_kib: int | None = None
    usage_kib: int | None = None
    anon_rss_kib: int | None = None
    file_rss_kib: int | None = None
    shmem_rss_kib: int | None = None
    invoker: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PageAllocationFailure(Evidence):
    """The kernel could not get memory for itself.

    python: page allocation failure: order:4, mode:0x40cc0(GFP_KERNEL|__GFP_COMP)
    """

    order: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Xid(Evidence):
    """An error report of the NVIDIA driver. Subject: gpu's pci address, pid and comm when given.

    `meaning` is NVIDIA's catalogue text for the code.

        NVRM: Xid (PCI:0000:8b:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.
    """

    code: int
    meaning: str
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SwitchXid(Evidence):
    """An error report of an NVSwitch (SXid).

    nvidia-nvswitch3: SXid (PCI:0000:c1:00.0): 12028, Non-fatal, Link 44 egress non-posted PRIV error
    """

    code: int
    fatal: bool
    detail: str = ""
    meaning: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class GpuDriverMessage(Evidence):
    """A line of a GPU's driver that is no Xid (API mismatch, RmInitAdapter failed, GSP time-out, AMD's page fault ...).

    `about` is one of "version-mismatch", "off-bus", "init-failed", "rpc-timeout", "memory", "ecc", "link",
    "page-fault", "removed-in-use", "queues", "no-window", "other".

        NVRM: API mismatch: the client has the version 535.161.08, but this kernel module has 535.154.05.
    """

    about: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchedInVain(Evidence):
    """Somebody searched the kernel log and found nothing. `pattern` is what was searched for.

    $ dmesg -T | grep -c Xid
    """

    pattern: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NfsNotResponding(Evidence):
    """An NFS client waits for its server. Subject: server.

    nfs: server 10.0.0.7 not responding, still trying
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class NfsOk(Evidence):
    """The NFS server answers again. Subject: server.

    nfs: server 10.0.0.7 OK
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkFilesystemMessage(Evidence):
    """A client of a network filesystem speaks in the kernel log. Subject: server, mount, device where said.

    `filesystem` is "lustre", "ceph", "rbd", "cifs", "beegfs", "gpfs", "glusterfs", "fuse", "nfs" ...;
    `about` is one of "not-responding", "connection-lost", "evicted", "blocklisted", "stale",
    "io-error", "data-lost", "recovered", "other".

        ceph: mds0 10.0.0.3:6801 session blacklisted
    """

    filesystem: str
    about: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FilesystemError(Evidence):
    """A local filesystem reports damage or a failed operation. Subject: device.

    `about` is "corruption", "io-error", "no-space", "directory-full", "shutdown", "journal-abort" or "other".

        EXT4-fs error (device nvme0n1p1): ext4_find_entry:1683: inode #2: comm sh: reading directory lblock 0
    """

    filesystem: str
    about: str
    function: str | None = None
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RemountedReadOnly(Evidence):
    """The kernel turned a filesystem read-only. Subject: device.

    EXT4-fs (nvme0n1p1): Remounting filesystem read-only
    """

    filesystem: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FilesystemUnmounted(Evidence):
    """The kernel unmounted a filesystem. Subject: device.

    XFS (loop1): Unmounting Filesystem 9b01c89b-2390-4a92-8bcd-250d819d7ef1
    """

    filesystem: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockIoError(Evidence):
    """A request to a block device failed. Subject: device.

    blk_update_request: I/O error, dev rbd2, sector 33928 op 0x0:(READ) flags 0x3000
    """

    operation: str | None = None
    sector: int | None = None
    medium_error: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockDeviceTrouble(Evidence):
    """A disk or its controller timed out, was reset, or is gone. Subject: device.

    `about` is "timeout", "reset", "gone", "read-only", "media-error" or "other".

        nvme nvme0: controller is down; will reset: CSTS=0xffffffff, PCI_STATUS=0xffff
    """

    about: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PcieError(Evidence):
    """An error on a PCIe link (AER, DPC, link down). Subject: pci.

    `level` is "corrected", "non-fatal", "fatal" or "link-down".

        pcieport 0000:3a:00.0: AER: Uncorrected (Fatal) error received: 0000:3b:00.0
    """

    level: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HostMemoryError(Evidence):
    """The memory controller or a machine check reports a memory error. Subject: device (the DIMM's label).

    EDAC MC0: 1 UE memory read error on CPU_SrcID#0_Ha#0_Chan#1_DIMM#0
    """

    corrected: bool
    count: int = 1
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class MachineCheck(Evidence):
    """A machine check that does not say memory.

    mce: [Hardware Error]: CPU 12: Machine Check Exception: 5 Bank 4: b200000000070f0f
    """

    corrected: bool
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ThermalOrPowerMessage(Evidence):
    """Throttling, a power brake, a failed supply, or platform firmware (ACPI, BMC) complaining.

    `about` is "thermal", "power", "acpi", "firmware", "boot" (ACPI or firmware while the machine boots) or "shutdown".

        CPU12: Package temperature above threshold, cpu clock throttled (total events = 1)
    """

    about: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PowerSupply(Evidence):
    """A power supply of the machine and what it can give.

    Max Power Capacity: 490 W
    """

    capacity_w: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PowerState(Evidence):
    """Whether a machine is switched on, by its management controller. Subject: host.

    cn101: Chassis Power is off
    """

    on: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkChange(Evidence):
    """A network port went up or down. Subject: interface.

    mlx5_core 0000:a1:00.0 ib0: Link down
    """

    up: bool
    fabric: str = "ethernet"


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkDeviceTrouble(Evidence):
    """A network adapter reports errors (transmit time-out, health, cable, module). Subject: interface, pci.

    NETDEV WATCHDOG: eth0 (i40e): transmit queue 3 timed out
    """

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Segfault(Evidence):
    """A process died in its own code. Subject: comm, pid.

    python[4242]: segfault at 0 ip 00007f2c sp 00007ffd error 4 in libcuda.so.535.104.05[7f2c+1000]
    """

    library: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolOnline(Evidence):
    """A pool of disks whose own report finds all of them there and none of its data damaged. Subject: device.

    state: ONLINE
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelFault(Evidence):
    """The kernel's own code failed: BUG, Oops, general protection fault, WARNING.

    `about` is "bug", "oops", "warning" or "panic"; `module` is the one that `function` belongs to.

        BUG: kernel NULL pointer dereference, address: 0000000000000010
    """

    about: str
    function: str | None = None
    module: str | None = None
    frames: tuple[str, ...] = ()
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockJump(Evidence):
    """A clock is unstable or jumped.

    clocksource: timekeeping watchdog on CPU3: Marking clocksource 'tsc' as unstable because the skew is too large
    """

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelLogSpan(Evidence):
    """An edge of a kernel log: what it does not show between its edges did not happen. Subject: host.

    `edge` is "first" or "last".

        [    3.284410] usb 1-1: new high-speed USB device number 5
    """

    edge: str


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelBoot(Evidence):
    """The kernel started: what stands before it belongs to an earlier boot.

    `last_words` are the last lines of that earlier boot in the same log, latest first; empty when there are none.

        Linux version 6.8.0-45-generic (buildd@lcy02-amd64-080) (gcc 13.2.0) #45-Ubuntu SMP
    """

    version: str
    last_words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class UnrecognisedKernelLine(Evidence):
    """A kernel line above info that no pattern knows; kept so that nothing is lost.

    Lines that differ only in numbers are one fact; `count` says how many there were.

        weird_driver 0000:01:00.0: something odd happened
    """

    level: str
    count: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockReading(Evidence):
    """Two clocks of one machine read at one moment: what anchors uptime to the calendar.

    `wall_s` is seconds since the epoch (UTC when `utc`, else as if the local zone were UTC); `boot_s` the wall
    time of the boot in the local zone, where shown instead of the uptime.

        up since 2026-11-29 11:38:17, uptime 4741.99 s
    """

    wall_s: float | None
    uptime_s: float | None
    boot_s: float | None = None
    utc: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkDeviceKept(Evidence):
    """The kernel waits for the last reference to a network device that is being removed. Subject: interface.

    unregister_netdevice: waiting for lo to become free. Usage count = 1
    """

    text: str = ""
