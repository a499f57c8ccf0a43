"""Hangs and faults in the kernel: whose code they are in, and what else was late with them."""

from __future__ import annotations

import re

from ..evidence import Severity
from ..evidence.kernel import BlockDeviceTrouble, BlockIoError, HardLockup, KernelFault, RcuStall, SoftLockup
from ..incident import Incident
from ..machines import by_machine
from ._disks import disk_reports

LOCAL = re.compile(
    "^_{0,2}(?:ext4|jbd2|xfs|btrfs|f2fs|zfs|txg_|zio_|dmu_|bch2_|six_lock|jfs_|reiserfs|nilfs|ocfs2_|gfs2_"
    r"|submit_bio|blk_mq|wbt_|rq_qos|md_|raid|handle_stripe|dm_|bcache|bch_"
    r"|dbuf_|arc_|dsl_|spa_|zil_|zvol_|zpl_|zap_|add_transaction_credits|wait_current_trans|start_transaction"
    r"|start_this_handle|wait_transaction|kjournald|wb_wait|writeback|balance_dirty)"
)
SOURCE = re.compile(r"\bat fs/\w{2,12}/|\bat (?:block|drivers/md)/|not syncing: LBUG")
CLIENT = re.compile(r"^_{0,2}(?:ceph|nfs\d?|cifs|smb2|ll|osc|mdc|fuse|v9fs|afs|gfs2|beegfs|nfsd\d?)_")
IN_THE_DISKS_DRIVER = re.compile(r"^_{0,2}(?:nvme|blk|bio|scsi|sd|ata|ahci|mpt3sas|megasas|virtblk|dm|md)_")


def is_of_filesystem(fault: KernelFault) -> bool:
    """True where the kernel stopped itself in the code of a filesystem."""
    return fault.about in ("bug", "oops", "panic") and bool(SOURCE.search(fault.text) or _inside(fault))


def _inside(fault: KernelFault) -> str | None:
    names = (fault.function or "", *fault.frames[:3])
    return next((name for name in names if LOCAL.match(name) or CLIENT.match(name)), None)


def lone(incident: Incident) -> list[SoftLockup]:
    """Each machine's only report of a stuck processor, where it is a soft lockup without a trace."""
    stuck = by_machine(incident.of(SoftLockup, HardLockup, RcuStall, KernelFault))
    only = [reports[0] for reports in stuck if len(reports) == 1]
    return [each for each in only if isinstance(each, SoftLockup) and not each.function and not each.frames]


def late_beside_lockup(incident: Incident) -> list[BlockDeviceTrouble]:
    """The timeouts that stuck processors would explain, or none."""
    troubles = [each for each in disk_reports(incident, BlockDeviceTrouble) if each.severity is not Severity.INFO]
    stuck: list[SoftLockup | HardLockup | RcuStall] = [
        *incident.of(SoftLockup),
        *incident.of(HardLockup),
        *incident.of(RcuStall),
    ]
    errors = any(each.severity is not Severity.INFO for each in disk_reports(incident, BlockIoError))
    on_the_disk = any(
        IN_THE_DISKS_DRIVER.match(frame) for each in stuck for frame in (each.function or "", *each.frames)
    )
    if len(stuck) < 2 or errors or on_the_disk or any(each.about != "timeout" for each in troubles):
        return []
    return troubles
