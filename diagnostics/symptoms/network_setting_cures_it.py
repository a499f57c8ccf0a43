"""The same work fails without a setting of the network and goes through with it.

From a table of trials: a variable of NCCL, Gloo, UCX or libfabric that chooses an interface, device, address, traffic
class or plugin, in the condition of a trial that went well and in that of none that failed. So is one that keeps GPU
Direct out of it: the link goes on in use. A setting that avoids the fast network altogether (NCCL_IB_DISABLE,
NCCL_NET=Socket) cures a broken link too, and is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Subject
from ..incident import Incident
from ._cures import cures, settings
from ._symptom import Finding, Symptom

CHOOSES = re.compile(
    r"\b(?:NCCL_(?:IB_(?:GID_INDEX|HCA|TC|SL|PKEY|ROCE_VERSION_NUM|ADDR_FAMILY|ADDR_RANGE)|SOCKET_(?:IFNAME|FAMILY)"
    "|CROSS_NIC|PXN_DISABLE|NET_PLUGIN|(?:NET|IB)_GDR_(?:LEVEL|READ)|IB_CUDA_SUPPORT|DMABUF_ENABLE|IB_PCI_RELAXED_OR"
    "DERING)"
    "|(?:GLOO|TP)_SOCKET_IFNAME|UCX_(?:NET_DEVICES|TLS(?![= ](?:tcp|self))|IB_GID_INDEX|IB_TRAFFIC_CLASS)"
    "|FI_PROVIDER(?![= ](?:tcp|sockets))"
    r"|HCOLL_MAIN_IB|(?:OMPI_MCA_)?(?:btl|oob)_tcp_if_(?:include|exclude)|MASTER_ADDR)[= ]\S{1,80}"
    r"|\b\w[\w-]{1,20} (?:NCCL )?net(?:work)? plugin\b"
    r"|\b(?:mtu|gid(?:[ _]index)?)[ =]\d{1,5}\b",
    re.I,
)


def rule(incident: Incident) -> Iterator[Finding]:
    for well, failed, setting in cures(incident, settings(CHOOSES), bad=("fail", "hang", "slow")):
        yield Finding(Subject(), (well, *failed[:3]), f"it goes through with {setting} and fails without")


SYMPTOM = Symptom(
    title="a setting of the network makes it work",
    rule=rule,
    leak=0.002,
    because="a link that is broken stays broken whatever the job is told",
    command="try again with NCCL_SOCKET_IFNAME, NCCL_IB_HCA and NCCL_IB_GID_INDEX set by hand, and write down how "
    "each went",
    cost_minutes=15,
)
