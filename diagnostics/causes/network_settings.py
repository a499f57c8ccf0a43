"""Network: interfaces, addresses, sizes and plugins that are set wrongly."""

from __future__ import annotations

from . import Cause, Check, Effect, Role
from ._studies import ESTIMATE, STEPFUN

CAUSES = (
    Cause(
        slug="network-misconfigured",
        title="a network that is configured wrongly",
        what="wrong interface, GID, MTU or plugin, or a silent fall-back to a slow path; the hardware is well",
        prior=0.03,
        source=ESTIMATE
        + "interfaces and GIDs chosen wrongly (NVIDIA/nccl#286, #551, #1581); "
        + STEPFUN
        + "11 wrong GIDs",
        on=(),
        effects=(
            Effect(
                "wrong-interface-chosen",
                0.6,
                "NCCL logs the interface that it chose",
                "ranks bootstrapped over an interface that other nodes cannot reach",
                Role.INITIATING,
            ),
            Effect(
                "hosts-share-a-name",
                0.03,
                "machines that are installed from one image keep its name until somebody changes it",
                "NCCL took the other machine for its own by its name, and chose ways that lead within one",
                Role.INITIATING,
            ),
            Effect(
                "network-setup-error",
                0.5,
                "a wrong GID, interface name, plugin or MTU is refused at the start",
                "the network could not be set up as it was configured",
                Role.INITIATING,
            ),
            Effect(
                "rdma-test-passes",
                0.3,
                "a test by hand is told its device and address, and the job chooses them itself",
                "the link carried what was addressed rightly",
                Role.INITIATING,
            ),
            Effect(
                "gpu-direct-on-some-hosts",
                0.12,
                "a module that is not loaded on one host leaves it the way through memory",
                "one host could not let its adapter at the GPU's memory",
                Role.INITIATING,
            ),
            Effect(
                "packets-lost",
                0.04,
                "a fabric without flow control drops packets under load",
                "the network dropped packets",
            ),
            Effect(
                "nobody-listens",
                0.25,
                "torchrun opens its store only where the endpoint is a name or address that it knows for its own",
                "no process took the endpoint for its own, so nobody opened the store",
                Role.INITIATING,
            ),
            Effect(
                "mtus-differ",
                0.15,
                "an MTU that is set on some hosts only is one of the frequent ways",
                "packets of one host were too long for another",
                Role.INITIATING,
            ),
            Effect(
                "large-packets-lost",
                0.15,
                "a switch or tunnel with a smaller MTU than the hosts lets the small packets of every test by hand "
                "through",
                "packets of the full size were too long for the way between the hosts",
                Role.INITIATING,
            ),
            Effect(
                "sent-and-not-acknowledged",
                0.1,
                "packets that are too long for the way are sent again and again, where the job speaks TCP",
                "the large packets were lost each time, and the kernel sent them again",
            ),
            Effect(
                "port-not-set-up",
                0.12,
                "a fabric without a running subnet manager, or with the port left out of its rules",
                "nobody had set the port up",
                Role.INITIATING,
            ),
            Effect(
                "no-rdma-device",
                0.4,
                "adapters that are not passed into the container, and drivers that are not loaded, are frequent ways",
                "the job had no adapter that it could use",
                Role.INITIATING,
            ),
            Effect(
                "rdma-memory-refused",
                0.1,
                "access control services, an IOMMU or a missing peer-memory module keep the adapter from the GPU's "
                "memory",
                "the adapter was not let at the memory that it was to send",
                Role.INITIATING,
            ),
            Effect(
                "peer-traffic-redirected",
                0.15,
                "whoever looks into a GPU Direct that fails finds it",
                "PCIe sent what the adapter asked of the GPU through the root complex",
            ),
            Effect(
                "fast-network-expected",
                0.4,
                "a plugin or library that is missing in the container leaves NCCL only sockets",
                "NCCL did not find the fast network that was set up, and took sockets",
                Role.INITIATING,
            ),
            Effect(
                "network-setting-cures-it",
                0.4,
                "whoever tries finds the setting that was wrong by setting it right",
                "the work went through once the setting was right",
                Role.INITIATING,
            ),
            Effect(
                "default-gid-not-routed",
                0.3,
                "RoCE with the wrong GID is one of the frequent ways",
                "RDMA used an address that no switch forwards",
                Role.INITIATING,
            ),
            Effect(
                "slow-transport-chosen",
                0.5,
                "NCCL logs its fall-back",
                "traffic took the slow path",
                Role.INITIATING,
            ),
            Effect(
                "slow-across-nodes",
                0.6,
                "a fall-back works, at a fraction of the rate",
                "traffic between nodes took the slow path",
                Role.INITIATING,
            ),
            Effect(
                "fails-across-nodes",
                0.4,
                "a wrong address or interface does no harm within a node",
                "only traffic between nodes took the wrong path",
                Role.INITIATING,
            ),
            Effect(
                "gpus-spin",
                0.7,
                "a slow path makes the GPUs wait in the collective's kernel for most of each step",
                "full utilisation was NCCL's kernels spinning, not work",
            ),
            Effect(
                "peer-refuses",
                0.4,
                "on the wrong interface another process, or none, has the port",
                "the address led to another machine than was meant",
            ),
            Effect(
                "no-route-to-host",
                0.06,
                "an address of the wrong interface mostly times out or belongs to somebody else",
                "no route led to the address that was chosen",
            ),
            Effect(
                "peer-unreachable-error",
                0.12,
                "connections to an address of the wrong interface time out",
                "the address was not reachable from there",
            ),
            Effect(
                "peer-name-unknown",
                0.02,
                "a wrong name is a setting too, if a rare one",
                "the name was set wrongly",
            ),
            Effect(
                "rdma-gave-up",
                0.2,
                "a wrong GID or MTU ends in exhausted retries, most other settings in a slow path or a refusal",
                "packets with the wrong address or size were dropped",
            ),
            Effect(
                "no-step-yet",
                0.5,
                "it fails from the first start, before any step",
                "the job never got past setting up its communication",
            ),
            Effect(
                "progress-stopped",
                0.1,
                "a setting that somebody changes on a switch or host meets the jobs that run",
                "the steps ceased when the setting was changed",
            ),
            Effect(
                "collective-timed-out",
                0.3,
                "the first collective hangs",
                "the first collective never got through",
            ),
        ),
        now=("Name the interface: NCCL_SOCKET_IFNAME and NCCL_IB_HCA; check with NCCL_DEBUG=INFO",),
        for_good=(
            "Put the settings into the job's template and run an all-reduce test over the nodes before training",
        ),
        mistaken_for=(
            ("interconnect-link-fault", "both fail only across nodes; here counters are clean and it never worked"),
            ("peer-unreachable", "the peer is there and reachable over the right interface"),
            ("gpu-straggler", "GPUs show 100 % because they spin in NCCL"),
        ),
        checks=(Check("which path NCCL takes", "NCCL_DEBUG=INFO torchrun ... 2>&1 | grep -E 'NET/|Using|via'"),),
    ),
)
