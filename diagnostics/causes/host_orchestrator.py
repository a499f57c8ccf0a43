"""Hosts taken away: evictions, preemptions, time limits."""

from __future__ import annotations

from . import Cause, Check, Effect, Role
from ._studies import ESTIMATE, LLAMA, PHILLY, RSC

TAKEN_AWAY = (
    Effect(
        "killed-by-signal",
        0.6,
        "the orchestrator sends SIGTERM, then SIGKILL",
        "the signal was the orchestrator's",
    ),
    Effect(
        "ended-silently",
        0.3,
        "a job that does not handle the signal writes nothing",
        "the job was ended from outside in the middle of its work",
    ),
    Effect(
        "node-failed-report",
        0.25,
        "where the whole node is taken, it is noted as gone",
        "the node went away with the slot",
    ),
    Effect(
        "peer-closed",
        0.3,
        "ranks on other nodes notice the loss",
        "the peer was taken away",
        Role.TEARDOWN,
    ),
)

CAUSES = (
    Cause(
        slug="pod-evicted",
        title="an eviction by the orchestrator",
        what="Kubernetes removed the pod because its node ran short of disk or memory, was drained or tainted",
        prior=0.012,
        source=ESTIMATE + "the nearest count is of nodes taken away for unplanned maintenance; " + LLAMA + "32",
        on=("job",),
        effects=(
            Effect(
                "pod-evicted-report",
                0.95,
                "the orchestrator records what it did",
                "the orchestrator had removed the pod",
                Role.INITIATING,
            ),
            Effect(
                "node-removed-as-spare",
                0.15,
                "an autoscaler that consolidates is one of those who empty a node",
                "the autoscaler had held the node to be spare and removed it with the pod on it",
                Role.INITIATING,
            ),
            Effect(
                "disk-usage-full",
                0.3,
                "disk pressure is one of the frequent reasons",
                "the node's disk was short of space",
            ),
            *TAKEN_AWAY,
        ),
        now=("Read the eviction's reason and restart with requests and limits that cover the use",),
        for_good=("Set requests equal to use (also ephemeral-storage), a priority class and a disruption budget",),
        mistaken_for=(
            ("container-out-of-memory", "an OOM kill ends a container, an eviction the pod"),
            ("watchdog-too-short", "both end a healthy process with a signal"),
        ),
        checks=(Check("the reason", "kubectl describe pod POD; kubectl get events --sort-by=.lastTimestamp"),),
    ),
    Cause(
        slug="preempted",
        title="a preemption or the scheduler's time limit",
        what="the scheduler or the cloud took the slot back: higher priority, spot reclaim, or the job's time was up",
        prior=0.025,
        source=RSC + "10 % of jobs end preempted, 0.6 % at their time limit; " + PHILLY + "147 preempted",
        on=("job",),
        effects=(
            Effect(
                "preempted-report",
                0.7,
                "the scheduler records what it did; the rest are time limits",
                "the scheduler had given the slot to somebody else",
                Role.INITIATING,
            ),
            Effect(
                "time-limit-report",
                0.5,
                "the scheduler records the limit that it enforced",
                "the job's time was up",
                Role.INITIATING,
            ),
            Effect(
                "job-suspended",
                0.02,
                "few sites suspend what they preempt: most end or requeue it",
                "the job had been suspended for one of higher priority",
            ),
            Effect(
                "pod-evicted-report",
                0.15,
                "a node that is about to be reclaimed is drained first",
                "the pod was evicted since its node was about to be taken back",
            ),
            *TAKEN_AWAY,
        ),
        now=("Resume from the last checkpoint; ask for enough time",),
        for_good=("Save on SIGTERM or SIGUSR1 (signal before the limit), and requeue",),
        mistaken_for=(
            ("rank-failed", "ranks end without a word of their own"),
            ("node-failed", "the nodes are well"),
        ),
        checks=(
            Check("the job's state", "sacct -j JOB -o JobID,State,ExitCode,Elapsed,Timelimit; scontrol show job JOB"),
        ),
    ),
)
