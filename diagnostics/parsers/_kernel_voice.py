"""Tells a kernel message that has lost its stamp (`journalctl -k -o cat`) from a line of a job, by who speaks.

ACPI BIOS Error (bug): Could not resolve symbol [\\_SB.PCI0.LPCB.EC0], AE_NOT_FOUND
mlx5_core 0000:54:00.0: Port module event: module 0, Cable plugged
"""

from __future__ import annotations

import re

# only words that no job would begin a line with
_SUBSYSTEMS = (
    r"ACPI(?: \w+){0,2}(?: \(bug\))?|acpi|AER|AMD-Vi|APIC|ata\d+(?:\.\d+)?|audit|bond\d+|BTRFS(?: \w+)?|capability"
    r"|CIFS|cgroup|clocksource|cpufreq|device-mapper|DMAR(?:-IR)?|docker\d|dracut(?:-[\w-]+)?|EDAC|ERST|EXT4-fs"
    r"|FAT-fs|GHES|hid-\w+|hpet|i2c|i8042|ib\d+|integrity|iommu|IPMI|ipmi_\w+|IPv[46]|iTCO_wdt|IPVS|irdma|kauditd\w*"
    r"|kvm\w*|L1TF|libceph|LNet(?:Error)?|loop\d+|Lustre(?:Error)?|mce|MDS|mlx\d[\w.]*|mmfs\w*|MMIO Stale Data|NFSD?"
    r"|nfs\d?|NMI watchdog|nouveau|nv_\w+|NVRM|nvidia[-\w]*|nvme|pci|pcieport|platform|pnp|pstore|RAS|rbd|rcu"
    r"|RETBleed|RPC|sched|scsi|sd|secureboot|SELinux|SLUB|Spectre V\d|squashfs|svc|sysfs|system \d\d:\d\d"
    r"|systemd(?:-\w+)?|TAA|TCP: Peer|thermal|tpm\w*|tracedev|tsc|TUN|usb|vfio\w*|virtio\w*|workqueue|x86\S*|XFS"
    r"|xhci_hcd|ZFS|zswap"
)
# NVRM: text     EXT4-fs (sda1): text     pci 0000:00:15.3: text     systemd[1]: text
_SUBSYSTEM = rf"(?:{_SUBSYSTEMS})(?: ?[(\[][^)\]]{{1,60}}[)\]])?(?: [\w.:-]{{1,40}}){{0,3}} ?: "
# mlx5_core 0000:54:00.0 enp84s0np0: text
_DRIVER = r"[a-z]\w{1,20} [0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7](?: [\w@.()-]{1,20}){0,3}: "
# [drm:nv_drm_load [nvidia_drm]] text     [Firmware Bug]: text     warning: `ethtool' uses ...
_OWN_WORDS = (
    r"\[(?:drm[\]:]|Firmware )|warning: `\w|watchdog: Delayed init|process: WARNING: polling|Error: Driver '"
    r"|Warning: (?:Unmaintained|Deprecated) [Dd]river is"
)
_SPEAKS = re.compile(rf"^(?:{_SUBSYSTEM}|{_DRIVER}|{_OWN_WORDS})")


def is_kernel(line: str) -> bool:
    """True when a line begins as only the kernel's parts begin theirs."""
    return _SPEAKS.match(line[:300]) is not None
