"""NCCL took sockets although the job was set up for a faster network, the machine shows one that is up, or collectives
were measured at less than half of what they should take.

The set-up is a setting that only a fast network needs (libfabric's EFA provider, NCCL's network plugin, the InfiniBand
devices to use); a machine shows one with an InfiniBand port that is up, an adapter that `lspci` lists, or an interface
that belongs to InfiniBand, Slingshot (hsn0) or another RDMA network by its name, over which the sockets go. A setting
that switches the fast network off takes all of it back. A slow path ends no job, so it says nothing where the job
raised an error of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Evidence
from ..evidence.collective import NcclMessage
from ..evidence.job import PythonException, SettingSeen
from ..evidence.network import PortState, RdmaDevices
from ..evidence.people import Trial
from ..incident import Incident
from ._network import SWITCHED_OFF
from ._symptom import Finding, Symptom

SOCKETS = re.compile(r"Using network Socket|NET/Socket ?: Using|NET/OFI Selected Provider is (?:sockets|tcp)\b")
# FI_PROVIDER=efa    LD_PRELOAD=/opt/aws-ofi-nccl/lib/libnccl-net.so    NCCL_IB_HCA=mlx5    NCCL_NET_PLUGIN=ofi
WANTED = re.compile(
    r"FI_PROVIDER=(?:efa|verbs|cxi|opx|psm\d)|(?:LD_PRELOAD|LD_LIBRARY_PATH)=.*"
    "(?:libnccl-net|aws-ofi-nccl|nccl-rdma-sharp)"
    "|FI_EFA_USE_DEVICE_RDMA=1|NCCL_IB_HCA=[^^].*|NCCL_NET_PLUGIN=(?!none).+|NCCL_NET=(?:IB|AWS|OFI).*"
    "|NCCL_IB_DISABLE=0",
    re.I,
)

# NET/Socket : Using [0]ib0:192.0.2.21<0>      [0]hsn0: Slingshot      gpu0rdma0, rdma3: RoCE in a cloud
OVER_FAST = re.compile(
    r"NET/Socket ?: Using (?:\[\d{1,2}\])?(?:ib(?:\d{1,3}|[ps]\w{1,20})|hsn\d{1,2}|(?:gpu\d{1,2})?rdma\d{1,2}"
    r"|opa\d{1,2}):"
)
OF_COLLECTIVES = re.compile(
    r"all[-_ ]?reduce|all[-_ ]?gather|reduce[-_ ]?scatter|all[-_ ]?to[-_ ]?all|broadcast|collective|\bbus ?bw\b"
    r"|\bbus ?bandwidth",
    re.I,
)
OF_NETWORK = re.compile(r"NCCL|Dist\w*Error|[Cc]onnect|[Tt]imed? ?out|[Ss]ocket|peer|network")


def rule(incident: Incident) -> Iterator[Finding]:
    sockets = [message for message in incident.of(NcclMessage) if SOCKETS.search(message.text)]
    settings = incident.of(SettingSeen)
    if not sockets or _raised(incident) or any(SWITCHED_OFF.get(each.name) == each.value for each in settings):
        return
    wanted: list[Evidence] = [each for each in settings if WANTED.fullmatch(f"{each.name}={each.value}")]
    wanted += [port for port in incident.of(PortState) if port.state == "up" and port.fabric == "infiniband"]
    wanted += [each for each in incident.of(RdmaDevices) if each.found]
    wanted += [each for each in sockets if OVER_FAST.search(each.text)]
    wanted += [t for t in incident.of(Trial) if t.outcome == "slow" and OF_COLLECTIVES.search(t.condition)]
    if wanted:
        other = f", although {wanted[0].source.quote.strip()[:80]}" if wanted[0] not in sockets else ""
        said = f"{sockets[0].text[:100]}{other}"
        yield Finding(sockets[0].subject, (sockets[0], *wanted[:4]), said)


def _raised(incident: Incident) -> bool:
    """True where the job ended with an exception that speaks of no network."""
    return any(not OF_NETWORK.search(f"{each.type}: {each.text}") for each in incident.of(PythonException))


SYMPTOM = Symptom(
    title="sockets were taken where a fast network is set up",
    rule=rule,
    leak=0.002,
    because="whoever sets up a fast network means to use it",
    command="NCCL_DEBUG=INFO torchrun ... 2>&1 | grep -E 'NET/|plugin'; ls /dev/infiniband; ldconfig -p | grep -E "
    "'ibverbs|nccl-net'",
    cost_minutes=5,
)
