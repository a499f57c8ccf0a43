"""Network: links that flap, paths that are wrong, peers that are not there."""

from __future__ import annotations

from . import Cause, Check, Effect, Role
from ._studies import ACME, ESTIMATE, FT_HSDP, LLAMA, RSC, STEPFUN, UNICRON

CAUSES = (
    Cause(
        slug="interconnect-link-fault",
        title="a fault of a network link",
        what="a cable, module, port or switch of the InfiniBand or Ethernet fabric drops the link or its packets",
        prior=0.03,
        source=LLAMA
        + "35 for switches and cables, 7 for network cards; "
        + FT_HSDP
        + "5.3 %; "
        + UNICRON
        + "3.9 % link flapping; "
        + STEPFUN
        + "40 links down, 30 network cards; "
        + RSC
        + "InfiniBand links are among the four frequent causes",
        on=("host",),
        effects=(
            Effect(
                "link-flapping",
                0.6,
                "a marginal link goes up and down for a while before it stays down",
                "the port lost its link again and again",
                Role.INITIATING,
            ),
            Effect(
                "network-setup-error",
                0.08,
                "a queue pair cannot be made over a port that is down",
                "the port that was to be used had no link",
            ),
            Effect(
                "link-down",
                0.4,
                "some faults end with the port down",
                "the port had no link",
                Role.INITIATING,
            ),
            Effect(
                "port-in-use-down",
                0.35,
                "a port that has died is one that the job was using",
                "the port that the job used had no link",
                Role.INITIATING,
            ),
            Effect(
                "expected-port-missing",
                0.15,
                "clusters whose nodes check themselves take such a node out before a job meets it",
                "the port that was checked had no link",
                Role.INITIATING,
            ),
            Effect(
                "port-errors",
                0.7,
                "damaged packets are counted, and RDMA gives up after its retries",
                "packets were lost on the link until RDMA gave up",
                Role.INITIATING,
            ),
            Effect(
                "rdma-test-passes",
                0.06,
                "a marginal link may pass a short test",
                "the test was too short to meet the fault",
            ),
            Effect(
                "physical-port-errors",
                0.5,
                "a bad cable or module damages bits, and the port counts them",
                "the link damaged what was sent over it",
                Role.INITIATING,
            ),
            Effect(
                "packets-lost",
                0.25,
                "a link that damages packets loses some of any kind",
                "some packets did not arrive",
                Role.INITIATING,
            ),
            Effect(
                "port-below-its-rate",
                0.15,
                "a bad cable or module makes the link train to fewer lanes or a lower rate",
                "the link ran at a part of its rate",
                Role.INITIATING,
            ),
            Effect(
                "port-not-set-up",
                0.02,
                "a port that comes and goes waits for the subnet manager each time",
                "the port had just come back",
            ),
            Effect(
                "no-rdma-device",
                0.05,
                "an adapter that has failed is not listed, and mostly its driver says why",
                "the adapter had failed",
                Role.INITIATING,
            ),
            Effect(
                "network-adapter-failed",
                0.2,
                "one fault in a few is the adapter's own, and its driver says so",
                "the adapter had failed",
                Role.INITIATING,
            ),
            Effect(
                "fails-across-nodes",
                0.5,
                "work within a node does not touch the link",
                "only traffic between nodes crossed the bad link",
            ),
            Effect(
                "slow-wherever-one-host-is",
                0.05,
                "a link that has come up at a lower rate slows all that its host takes part in",
                "the host's link was slow",
            ),
            Effect(
                "slow-across-nodes",
                0.15,
                "a bad link is seldom slow and steady: it counts errors and fails",
                "retransmissions slowed the traffic between nodes",
            ),
            Effect(
                "gpus-spin",
                0.5,
                "the GPUs wait in the collective's kernel",
                "the GPUs waited in the collective's kernel",
            ),
            Effect(
                "reachability-test-failed",
                0.08,
                "people test over the management network, which the fabric's links do not carry",
                "the node behind the bad port answered nobody",
            ),
            Effect(
                "no-route-to-host",
                0.02,
                "an interface without its link takes its routes along",
                "the node behind the bad port had no route any more",
            ),
            Effect(
                "peer-unreachable-error",
                0.08,
                "a port that is down makes its node unreachable",
                "the node behind the bad port could not be reached",
            ),
            Effect(
                "pace-fell",
                0.3,
                "a link that comes up at a lower rate, or retransmits, costs a part of the pace",
                "collectives waited for the slow link",
            ),
            Effect(
                "throughput-collapsed",
                0.3,
                "retransmissions slow collectives before they fail",
                "collectives waited for retransmissions",
            ),
            Effect(
                "collective-timed-out",
                0.5,
                "the transfer that is lost keeps its collective waiting",
                "the collective waited for packets that did not come",
            ),
            Effect(
                "peer-closed",
                0.4,
                "the first rank whose transfer fails leaves",
                "a rank left when its transfer failed",
                Role.TEARDOWN,
            ),
        ),
        now=("Take the node of the port out of the job and restart",),
        for_good=("Clean or replace cable and transceiver; watch symbol errors and link-downed counters per port",),
        mistaken_for=(
            ("rank-failed", "the other side of a lost link looks like a peer that crashed"),
            ("watchdog-too-short", "a longer time-out only hides the link"),
        ),
        checks=(
            Check("the port's counters", "ibqueryerrors; perfquery -x; ethtool -S IFACE | grep -iE 'err|crc|drop'"),
            Check("link changes", "sudo dmesg -T | grep -iE 'link (up|down)'"),
        ),
    ),
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
                "access control services, an IOMMU or a missing peer-memory module keep the adapter from the GPU's memory",
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
                "port-errors",
                0.25,
                "a wrong GID or MTU ends in exhausted retries",
                "packets with the wrong address or size were dropped",
            ),
            Effect(
                "no-step-yet",
                0.5,
                "it fails from the first start, before any step",
                "the job never got past setting up its communication",
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
    Cause(
        slug="peer-unreachable",
        title="a node or rank that cannot be reached",
        what="a firewall, missing name, full table or a node that is gone keeps one side from reaching the other",
        prior=0.025,
        source=UNICRON
        + "2.1 % connection refused, 1.0 % reset, 4.0 % other network errors; "
        + ACME
        + "147 connection errors, most "
        "to services beside the job, and 16 nodes",
        on=("server",),
        effects=(
            Effect(
                "transfer-cut-off",
                0.05,
                "a copy between the two sides ends as every other connection does",
                "the copy lost its other side",
            ),
            Effect(
                "no-route-to-host",
                0.5,
                "a filter that rejects, a missing route and a host that is gone are the frequent ways",
                "no route led to the other side, or a filter on it said so",
                Role.INITIATING,
            ),
            Effect(
                "peer-unreachable-error",
                0.6,
                "whoever tries to connect times out",
                "the other side did not answer",
                Role.INITIATING,
            ),
            Effect(
                "reachability-test-failed",
                0.6,
                "a person who tries from the other side gets no answer either",
                "a test from outside the job got no answer either",
                Role.INITIATING,
            ),
            Effect(
                "one-port-answers",
                0.4,
                "a filter lets some ports through, mostly the one of ssh",
                "a packet filter let the other port through and not this one",
                Role.INITIATING,
            ),
            Effect(
                "peer-name-unknown",
                0.35,
                "a name service that fails, or a node that is not yet there, is one of the ways",
                "the other side's name was not known",
                Role.INITIATING,
            ),
            Effect(
                "peer-refuses",
                0.25,
                "a host that is up and a process that is not",
                "nobody listened there",
                Role.INITIATING,
            ),
            Effect(
                "network-table-full",
                0.2,
                "large jobs that connect all to all fill tables of the default size",
                "the kernel dropped packets since its table was full",
                Role.INITIATING,
            ),
            Effect(
                "nobody-listens",
                0.01,
                "a host that cannot be reached has its listener",
                "the process that was to listen was gone",
            ),
            Effect(
                "firewall-in-force",
                0.4,
                "a filter that lets in only the rendezvous' port is one of the frequent ways",
                "the packet filter let in only what was listed, and the ports of the transfer were not",
                Role.INITIATING,
            ),
            Effect(
                "node-failed-report",
                0.4,
                "the scheduler notices a node that is gone",
                "the node was gone",
                Role.INITIATING,
            ),
            Effect(
                "no-step-yet",
                0.4,
                "at the start a rendezvous waits for all",
                "the job waited for all ranks to meet",
            ),
            Effect(
                "collective-timed-out",
                0.3,
                "in the middle of a run the others wait",
                "the others waited for the node that was gone",
            ),
            Effect(
                "ranks-never-joined",
                0.3,
                "the ranks of the lost node join nothing",
                "the ranks of the lost node could not come",
            ),
            Effect(
                "peer-closed",
                0.3,
                "connections to a node that goes away are reset",
                "the connection ended with the node",
            ),
        ),
        now=("Try the address and port from the other side (nc -vz, getent hosts); restart without the node",),
        for_good=("Open the ports between nodes, pin names, and test all pairs before a long run",),
        mistaken_for=(
            ("rank-failed", "a rank that died refuses connections too"),
            ("network-misconfigured", "the peer may be reachable over another interface"),
        ),
        checks=(Check("does it answer", "getent hosts HOST; nc -vz HOST PORT"),),
    ),
)
