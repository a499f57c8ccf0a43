"""Work on files that hangs or fails under one kernel goes through under another, with the rest as it was.

From a table of trials that name kernels by version, and of which two differ in nothing but that, a patch to it or a
commit taken out of it. No kernel may be both well and ill, and files must be what it is about: a mount, a filesystem or
a call on files in the table, or a hung task inside such a call. Devices with drivers of their own are another matter.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.kernel import HungTask
from ..evidence.people import Trial
from ..incident import Incident
from ._symptom import Finding, Symptom

# mainline v4.15 + 63576c13bd      kernel 5.15.0-91-generic      6.1.0-18-amd64      4.18.0-477.el8.x86_64
KERNEL = re.compile(
    r"(?:\b(?:linux|kernel|mainline|vanilla|upstream|lts|hwe)"
    r"(?:[ =:-]{1,2}(?:kernel|version))?[ =:-]{0,2}v?[2-7]\.\d{1,2}(?:[\w.~-]{0,60}\w)?"
    r"|(?<![\w.])v?[2-7]\.\d{1,2}\.\d{1,3}-[\w.~-]{0,40}"
    r"(?:generic|amd64|x86_64|arm64|aarch64|el\d\w{0,3}|fc\d\d|aws|azure|gcp|gke|oracle|pve|arch\d?|lowlatency"
    r"|default|amzn\d)\b[\w.-]{0,20})"
    r"(?P<patch>[ ,]{1,2}(?:\+|plus|with|minus|without)? ?"
    "(?:commit |patch(?:ed)? ?|revert(?:ed|ing)?(?: of)? |cherry-?pick(?:ed)? "
    r"|backport(?:ed)?(?: of)? )?[0-9a-f]{7,40}(?: reverted| applied)?\b)?",
    re.I,
)
FILES = re.compile(
    r"\bu?n?mount(?:s|ed|ing)?\b|\bfile ?systems?\b"
    r"|\b(?:fuse|nfs\w{0,4}|xfs|ext4|btrfs|zfs|bcachefs|overlay(?:fs)?|ceph(?:fs)?|cifs|smb3?|9p|virtiofs|lustre"
    r"|squashfs)\b"
    r"|\b(?:readdir|fsync|fdatasync|getdents|stat\(\)|lookup|rename\(\)|O_DIRECT|io_uring)\b",
    re.I,
)
IN_A_CALL_ON_FILES = re.compile(
    "^_{0,2}(?:vfs_|do_sys_open|do_filp_open|path_openat|path_lookupat|lookup_slow|link_path_walk|iterate_dir"
    r"|do_unlinkat|filename_|fuse_|nfs\d?_|ceph_|cifs_|ext4_|xfs_|btrfs_)"
)
DEVICES = re.compile(r"\b(?:nvidia|cuda|gpus?|amdgpu|rocm|nouveau|mlx\d|infiniband|rdma|wi-?fi|usb)\b", re.I)


def rule(incident: Incident) -> Iterator[Finding]:
    works: dict[tuple[str, str], list[tuple[str, Trial]]] = defaultdict(list)
    for trial in incident.of(Trial):
        if found := KERNEL.search(trial.condition):
            rest = (trial.condition[: found.start()] + " " + trial.condition[found.end() :]).lower()
            works[trial.source.file, " ".join(re.findall(r"\w+", rest))].append((found[0].lower(), trial))
    for tried in works.values():
        well = [(kernel, trial) for kernel, trial in tried if trial.outcome == "ok"]
        ill = [(kernel, trial) for kernel, trial in tried if trial.outcome in ("fail", "hang")]
        mixed = {kernel for kernel, _ in well} & {kernel for kernel, _ in ill}
        trials = [trial for _, trial in (*ill, *well)]
        said = " ".join(f"{trial.condition} {trial.text}" for trial in trials)
        if well and ill and not mixed and not DEVICES.search(said):
            tasks = [task for task in incident.of(HungTask) if any(map(IN_A_CALL_ON_FILES.match, task.frames))]
            if FILES.search(said) or tasks:
                note = f"it is ill under {ill[0][0]} and well under {well[0][0]}"
                yield Finding(Subject(), (*trials[:4], *tasks[:2]), note)


SYMPTOM = Symptom(
    title="work on files goes through under another kernel",
    rule=rule,
    leak=0.0001,
    because="disks, servers and programs are the same under both; only the kernel's code is another",
    command="uname -r; boot the other kernel and run the same work again",
    cost_minutes=20,
)
