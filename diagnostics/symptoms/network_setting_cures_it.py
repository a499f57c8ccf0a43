"""The same work fails without a setting of the network and goes through with it.

From a table of trials: a variable of NCCL, Gloo, UCX or libfabric that chooses an interface, device, address, traffic class or
plugin, in the condition of a trial that went well and in that of none that failed. A setting that avoids the fast
network altogether (NCCL_IB_DISABLE, NCCL_NET=Socket) cures a broken link too, and is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.job import Trial
from ..incident import Incident
from . import Finding, Symptom

BAD = ("fail", "hang", "slow")
CHOOSES = re.compile(
    r"\b((?:NCCL_(?:IB_(?:GID_INDEX|HCA|TC|SL|PKEY|ROCE_VERSION_NUM|ADDR_FAMILY|ADDR_RANGE)|SOCKET_(?:IFNAME|FAMILY)|CROSS_NIC|NET_PLUGIN)"
    r"|(?:GLOO|TP)_SOCKET_IFNAME|UCX_(?:NET_DEVICES|TLS|IB_GID_INDEX|IB_TRAFFIC_CLASS)|FI_PROVIDER|OMPI_MCA_btl_tcp_if_include"
    r"|MASTER_ADDR)[= ]\S{1,80}|(?:mtu|gid(?:[ _]index)?) ?=? ?\d{1,5}\b)",
    re.I,
)
INSTEAD = re.compile(r"FI_PROVIDER[= ](?:tcp|sockets)|UCX_TLS[= ](?:tcp|self)", re.I)


def rule(incident: Incident) -> Iterator[Finding]:
    trials = incident.of(Trial)
    bad = [trial for trial in trials if trial.outcome in BAD]
    failed = {setting for trial in bad for setting in _chosen(trial)}
    for trial in trials if bad else ():
        cures = [each for each in _chosen(trial) if each not in failed and not INSTEAD.match(each)]
        if trial.outcome == "ok" and cures and any(_same_work(trial, other) for other in bad):
            yield Finding(Subject(), (trial, *bad[:3]), f"it goes through with {cures[0]} and fails without")


def _chosen(trial: Trial) -> list[str]:
    return [setting.replace(" ", "=").lower() for setting in CHOOSES.findall(trial.condition)]


def _same_work(trial: Trial, other: Trial) -> bool:
    """True when two trials are of one program: their first words agree, or a trial is nothing but its setting."""
    first = CHOOSES.sub("", trial.condition).split()[:1]
    return not first or first == CHOOSES.sub("", other.condition).split()[:1] or first[0].startswith(("-", "with"))


SYMPTOM = Symptom(
    title="a setting of the network makes it work",
    rule=rule,
    leak=0.002,
    because="a link that is broken stays broken whatever the job is told",
    command="try again with NCCL_SOCKET_IFNAME, NCCL_IB_HCA and NCCL_IB_GID_INDEX set by hand, and write down how each went",
    cost_minutes=15,
)
