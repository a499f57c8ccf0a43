"""Ranks use a slow path although the machine has, or the job expects, a fast one.

NCCL falls back to sockets because it found no InfiniBand device, plugin or library, and the job spans several nodes; or
RDMA or peer access was switched off by a setting of the job, not of a trial.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence.collective import NcclMessage
from ..evidence.job import SettingSeen
from ..evidence.people import Trial
from ..incident import Incident
from ._network import SWITCHED_OFF
from ._symptom import Finding, Symptom

FALL_BACK = re.compile(
    r"NET/IB : No device found|Failed to open libibverbs|No (?:IB|InfiniBand) devices?|Using network Socket"
    "|NET/OFI .{0,80}(?:initialization failed|Only EFA provider|No eligible providers"
    r"|Could not find any optimal provider|Failed to initialize \w+ protocol)"
    r"|NET/OFI Selected Provider is (?:sockets|tcp)\b|Using non-device net plugin|GPU Direct RDMA Disabled"
    r"|P2P is disabled|(?:Could not find: |No plugin found \(|cannot open shared object file.{0,40})libnccl-net",
    re.I,
)
SET_OFF = re.compile(r"NCCL_(?:IB|P2P|SHM)_DISABLE set by environment to 1")


def rule(incident: Incident) -> Iterator[Finding]:
    messages = incident.of(NcclMessage)
    hosts = {message.subject.host for message in messages if message.subject.host}
    several = len(hosts) > 1 or any((trial.nodes or 0) > 1 for trial in incident.of(Trial))
    for message in messages if several else ():
        if FALL_BACK.search(message.text):
            yield Finding(message.subject, (message,), message.text[:200])
    for message in messages:
        if SET_OFF.search(message.text):
            yield Finding(message.subject, (message,), message.text[:200])
    tried = {(trial.source.file, trial.source.line) for trial in incident.of(Trial)}
    for setting in incident.of(SettingSeen):
        if (setting.source.file, setting.source.line) not in tried and SWITCHED_OFF.get(setting.name) == setting.value:
            yield Finding(setting.subject, (setting,), f"{setting.name}={setting.value}")


SYMPTOM = Symptom(
    title="ranks use a slow path",
    rule=rule,
    leak=0.05,
    because="clusters without InfiniBand print it on every start, and small models run well over Ethernet",
    command="NCCL_DEBUG=INFO torchrun ... 2>&1 | grep -E 'NET/|via'",
    cost_minutes=5,
)
