"""Tells a kernel message that has lost its stamp (`journalctl -k -o cat`) from a line of a job, by who speaks.

    ACPI BIOS Error (bug): Could not resolve symbol [\\_SB.PCI0.LPCB.EC0], AE_NOT_FOUND
    mlx5_core 0000:54:00.0: Port module event: module 0, Cable plugged
"""

from __future__ import annotations

import re

_SUBSYSTEMS = (
    r"ACPI(?: \w+){0,2}(?: \(bug\))?|acpi|AER|AMD-Vi|APIC|ata\d+(?:\.\d+)?|audit|block|bond\d*|BTRFS(?: \w+)?|capability|CIFS|cgroup|clocksource"
    r"|cpufreq|device-mapper|DMAR(?:-IR)?|docker\d|dracut|drm|EDAC|ERST|EXT4-fs|FAT-fs|GHES|hpet|hub|i2c|i8042|ib\d+|ima"
    r"|integrity|iommu|IPMI|ipmi_\w+|IPv[46]|iTCO_wdt|IPVS|kauditd\w*|kvm\w*|L1TF|libceph|LNet(?:Error)?|loop\d+|Lustre(?:Error)?|mce|MDS|MMIO Stale Data|md"
    r"|mlx\d\w*|mmfs\w*|NET|NFSD?|nfs\d?|NMI watchdog|nouveau|nv_\w+|NVRM|nvidia[-\w]*|nvme|pci|pcieport|perf|platform|pnp|process"
    r"|pstore|RAS|rbd|rcu|RETBleed|RPC|sched|scsi|sd|secureboot|SELinux|Spectre V\d|squashfs|svc|sysfs|system|systemd(?:-\w+)?|TAA|TCP|thermal"
    r"|tracedev|tpm\w*|tsc|TUN|usb|vfio\w*|virtio\w*|watchdog|workqueue|x86\S*|XFS|xhci_hcd|ZFS|zswap"
)
# NVRM: text     EXT4-fs (sda1): text     pci 0000:00:15.3: text     systemd[1]: text     [drm:nv_drm_load [nvidia_drm]] text
_SPEAKS = re.compile(
    rf"^(?:{_SUBSYSTEMS})(?: ?[(\[][^)\]]{{1,60}}[)\]])?(?: [\w.:-]{{1,40}}){{0,3}} ?: "
    r"|^[a-z]\w{1,20} [0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7](?: [\w@.-]{1,20})?: |^\[(?:drm[\]:]|Firmware )|^warning: `\w|^Error: Driver '|^Warning: (?:Unmaintained|Deprecated) [Dd]river is"
)


def is_kernel(line: str) -> bool:
    """True when a line begins as only the kernel's parts begin theirs."""
    return _SPEAKS.match(line[:300]) is not None
