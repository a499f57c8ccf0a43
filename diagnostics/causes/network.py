"""Network: links that flap, damage bits or come up slow."""

from __future__ import annotations

from . import Cause, Check, Effect, Role
from ._studies import FT_HSDP, LLAMA, RSC, STEPFUN, UNICRON

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
                "damaged packets are counted",
                "packets were damaged on the link",
                Role.INITIATING,
            ),
            Effect(
                "rdma-gave-up",
                0.7,
                "a link that loses packets for longer than the retries last ends in error 12; most faults are met so",
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
                "large-packets-lost",
                0.01,
                "the longer a packet the more likely a marginal link damages it, but seldom all of them",
                "the link damaged every long packet",
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
                "fails-where-a-port-is-ill",
                0.25,
                "who looks at the ports of all nodes and keeps a list of the jobs finds it; few do both",
                "the jobs that failed were those that used the ill ports",
                Role.INITIATING,
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
                "sent-and-not-acknowledged",
                0.03,
                "most of the fabric's faults are met by RDMA, which no socket shows",
                "the packets were lost on the link",
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
)
