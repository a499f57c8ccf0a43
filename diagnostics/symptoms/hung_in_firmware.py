"""A process hangs in a read that platform firmware serves, not a file system.

A hung task, or a thread in D, in ACPI, IPMI or hwmon code; or a process in D that holds a sysfs file of such a device
open and no file of a network volume.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence.kernel import HungTask, RcuStall, SoftLockup
from ..evidence.process import OpenFile, ProcessState, ThreadState
from ..incident import Incident
from ._symptom import Finding, Symptom

FRAME = re.compile(r"^(?:acpi_|power_meter|hwmon_|ipmi_|dell_smm|i8k_|wmi_|efi_|apei_|show_power|tpm_)")
FILE = re.compile(r"^/sys/.*(?:ACPI|PNP0|LNXSYSTM|hwmon|ipmi|power\d+_|wmi)")
WAITING = ("D",)


def rule(incident: Incident) -> Iterator[Finding]:
    reports: list[HungTask | SoftLockup | RcuStall] = [
        *incident.of(HungTask),
        *incident.of(SoftLockup),
        *incident.of(RcuStall),
    ]
    for fact in reports:
        if any(FRAME.search(frame) for frame in (fact.function or "", *fact.frames)):
            yield Finding(fact.subject, (fact,), f"{fact.subject.comm or 'a task'} hangs in {fact.function}")
    for thread in incident.of(ThreadState):
        if thread.state in WAITING and any(FRAME.search(frame) for frame in (thread.wchan or "", *thread.frames)):
            yield Finding(thread.subject, (thread,), f"{thread.subject.comm or 'a thread'} is in D in firmware code")
    for row in incident.of(ProcessState):
        if row.state in WAITING and FRAME.search(row.wchan or ""):
            yield Finding(row.subject, (row,), f"{row.subject.comm or 'a process'} is in D in {row.wchan}")
    yield from _by_open_file(incident)


def _by_open_file(incident: Incident) -> Iterator[Finding]:
    links = incident.links
    files = incident.of(OpenFile)
    served = [file for file in files if FILE.match(file.target)]
    waits: list[ProcessState | ThreadState] = [*incident.of(ProcessState), *incident.of(ThreadState)]
    if not served or any((mount := incident.volumes.mount_of(file.target, file)) and mount.network for file in files):
        return
    for fact in waits:
        mine = [file for file in served if links.may_be_one(file, fact)]
        if mine and fact.state in WAITING:
            note = f"{fact.subject.comm or 'a process'} {fact.subject.pid} is in D and reads {mine[0].target}"
            yield Finding(fact.subject, (fact, *mine[:3]), note)


SYMPTOM = Symptom(
    title="a process hangs in a read that firmware serves",
    rule=rule,
    leak=0.0006,
    because="such a file is open for the milliseconds of one read; to catch a process in D there is firmware that "
    "hangs",
    tells_apart=("host",),
    command="sudo cat /proc/STUCK_PID/stack; ls -l /proc/STUCK_PID/fd",
)
