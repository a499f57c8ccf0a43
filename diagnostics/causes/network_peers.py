"""Network: peers that are not there."""

from __future__ import annotations

from . import Cause, Check, Effect, Role
from ._studies import ACME, UNICRON

CAUSES = (
    Cause(
        slug="peer-unreachable",
        title="a node or rank that cannot be reached",
        what="a firewall, missing name, full table or a node that is gone keeps one side from reaching the other",
        prior=0.025,
        source=UNICRON
        + "2.1 % connection refused, 1.0 % reset, 4.0 % other network errors; "
        + ACME
        + "147 connection errors, most to services beside the job, and 16 nodes",
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
                "sent-and-not-acknowledged",
                0.4,
                "a node that goes away, or a way to it that is cut, leaves its open connections repeating",
                "packets between the two nodes were lost, and the kernel sent them again and again",
                Role.INITIATING,
            ),
            Effect(
                "rdma-gave-up",
                0.25,
                "a node that goes away, or a way to it that is cut, acknowledges nothing to RDMA either",
                "the other side no longer acknowledged what RDMA sent",
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
