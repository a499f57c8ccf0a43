"""The host's memory: limits, exhaustion, leaks, and shared memory that is too small."""

from __future__ import annotations

from . import Cause, Check, Effect, Role
from ._hang import dies
from ._studies import ACME, ESTIMATE, PHILLY, RSC

CAUSES = (
    Cause(
        slug="container-out-of-memory",
        title="a memory limit of the container",
        what="the memory limit of a cgroup (container, pod, job step) was reached, and the kernel killed a "
        "process inside it",
        prior=0.04,
        source=PHILLY + "12,076 out of CPU memory, the most frequent reason, counted with the machine's own; " + ACME + "6 killed data "
        "loaders; " + RSC + "0.1 % of jobs end out of memory",
        on=("host",),
        effects=(
            Effect("cgroup-oom-kill", 0.9,
                   "the kernel reports each such kill, and counts it",
                   "the limit of the container was reached and {comm} was killed for it", Role.INITIATING),
            Effect("dead-worker-uncollected", 0.02,
                   "torch's loader notices a killed worker within seconds; other pools may not",
                   "the worker had been killed for memory"),
            Effect("worker-gone", 0.2,
                   "loader workers are often the largest or the youngest",
                   "the worker was killed for memory"),
            Effect("memory-grows", 0.015,
                   "a load that is too big is so from the start; a growing one is a leak",
                   "memory approached the limit", Role.INITIATING),
            Effect("cannot-allocate-memory", 0.04,
                   "some allocations are refused before the kill",
                   "the refusal came just before the limit"),
            Effect("main-thread-waits-for-loader", 0.04,
                   "a parent may wait for the killed worker",
                   "the main thread waited for a worker that had been killed"),
            Effect("network-volume-error", 0.04,
                   "a volume's client in a sidecar may be what is killed",
                   "the volume's own client had been killed for memory"),
            Effect("user-code-exception", 0.05,
                   "the parent raises in its own words",
                   "the exception tells of the killed worker"),
            *dies("the memory limit killed a process", 0.55),
        ),
        now=(
            "Raise the limit or load less: fewer workers, smaller prefetch, no copy of the data set in each worker",
            "See what the limit was: `cat /sys/fs/cgroup/memory.max memory.events`",
        ),
        for_good=(
            "Watch the resident size of the job over time: if it grows from step to step, a larger limit only "
            "delays the end",
        ),
        mistaken_for=(
            ("watchdog-too-short", "the run is gone without an error, like after a watchdog's kill"),
            ("gpu-memory-exhausted", "both are called OOM"),
            ("host-out-of-memory", "the node as a whole has plenty"),
        ),
        checks=(
            Check("the kernel's report", "dmesg -T | grep -i -A 3 'memory cgroup out of memory'"),
            Check("the cgroup's counters", "cat /sys/fs/cgroup/memory.events /sys/fs/cgroup/memory.peak"),
        ),
    ),
    Cause(
        slug="host-out-of-memory",
        title="a machine without memory",
        what="the whole machine ran out of memory; the kernel killed a process to save the rest",
        prior=0.025,
        source=ESTIMATE + "the rarer half, since schedulers set limits; " + PHILLY + "12,076 out of CPU memory, by limit or machine",
        on=("host",),
        effects=(
            Effect("global-oom-kill", 0.9,
                   "the kernel reports each such kill",
                   "the machine had no memory left and {comm} was killed for it", Role.INITIATING),
            Effect("machine-memory-low", 0.4,
                   "who looks before the kill, or while it swaps, sees it",
                   "the machine had hardly any memory left", Role.INITIATING),
            Effect("killed-at-memory-end", 0.3,
                   "jobs that log the host's memory show it, where the kernel's log was not kept",
                   "the machine's memory was used up, and the process was killed for it", Role.INITIATING),
            Effect("worker-gone", 0.15,
                   "loader workers are often the largest",
                   "the worker was killed for memory"),
            Effect("memory-grows", 0.02,
                   "a load that is too big is so from the start; a growing one is a leak",
                   "memory approached the machine's end", Role.INITIATING),
            Effect("cannot-allocate-memory", 0.35,
                   "allocations are refused before or instead of the kill",
                   "the allocation was refused because the machine had no memory left", Role.INITIATING),
            Effect("processor-stuck-once", 0.05,
                   "reclaiming memory may hold a processor for half a minute",
                   "the processor was stuck in the search for memory"),
            Effect("cpu-starved-signs", 0.05,
                   "a machine that swaps or reclaims has no CPU for the job",
                   "the CPUs were busy reclaiming memory"),
            *dies("the machine's out-of-memory killer struck", 0.5),
        ),
        now=(
            "Load less or use a larger machine: fewer workers, memory-mapped data",
            "Look who held the memory: the table in the kernel's report",
        ),
        for_good=(
            "Give each job a memory limit, so that one cannot take the machine",
        ),
        mistaken_for=(
            ("container-out-of-memory", "then the report says `Memory cgroup`"),
            ("preempted", "the run is gone without an error"),
        ),
        checks=(
            Check("the kernel's report", "dmesg -T | grep -i -B 2 -A 40 'out of memory'"),
        ),
    ),
    Cause(
        slug="memory-leak",
        title="memory that leaks",
        what="something keeps what it should let go, so memory grows until a limit or the machine ends the run",
        prior=0.012,
        source=ESTIMATE + "copies in loader workers grow from step to step (pytorch#13246, #62066); " + ACME + "6 data loaders were "
        "killed, after 26 hours on average",
        on=(),
        effects=(
            Effect("memory-grows", 0.85,
                   "growth is what a leak is, where somebody measured it more than twice",
                   "memory was kept from step to step and never let go", Role.INITIATING),
            Effect("machine-memory-low", 0.2,
                   "without a limit it takes the whole machine",
                   "the growth had taken the machine's memory"),
            Effect("cgroup-oom-kill", 0.4,
                   "in a container the limit ends it",
                   "the limit ended a growth that was bound to reach it"),
            Effect("global-oom-kill", 0.45,
                   "without a limit the machine's memory ends it",
                   "the machine's memory ended a growth that was bound to reach it"),
            Effect("killed-at-memory-end", 0.15,
                   "jobs that log the host's memory show it, where the kernel's log was not kept",
                   "the growth had used up the machine's memory"),
            Effect("cannot-allocate-memory", 0.15,
                   "the last allocations are refused",
                   "the refusal is the end of the growth"),
            Effect("worker-gone", 0.2,
                   "a leaking worker is the one that is killed",
                   "the worker had grown until it was killed"),
            *dies("a growth of memory reached its end", 0.5),
        ),
        now=(
            "Restart with a smaller interval between checkpoints, and measure the size of trainer and workers "
            "each minute",
        ),
        for_good=(
            "Find what is kept: losses with their graph, lists of Python objects copied into workers, caches "
            "without a bound",
            "A larger limit only delays the end",
        ),
        mistaken_for=(
            ("container-out-of-memory", "the kill is the end, not the cause"),
            ("host-out-of-memory", "the machine is not too small for one step"),
        ),
        checks=(
            Check("size over time", "while sleep 60; do date; ps -o pid,rss,args --sort=-rss | head -n 8; done"),
        ),
    ),
    Cause(
        slug="shared-memory-too-small",
        title="shared memory that is too small or was cleaned away",
        what="loader workers pass batches through /dev/shm, and it had no room (containers get 64 MiB) or the "
        "files in it were removed",
        prior=0.02,
        source=ESTIMATE + "a standing question, since containers get 64 MiB (pytorch#5040, #1355)",
        on=(),
        effects=(
            Effect("more-shared-memory-cures-it", 0.5,
                   "most who meet it in a container try a larger /dev/shm",
                   "/dev/shm was too small for the batches or NCCL's segments", Role.INITIATING),
            Effect("shm-error", 0.3,
                   "a segment that was cleaned away is missed by who opens it",
                   "a segment in /dev/shm could not be had", Role.INITIATING),
            Effect("shm-no-space", 0.45,
                   "what is written with a check gets the errno",
                   "/dev/shm had no room for the segment", Role.INITIATING),
            Effect("bus-error", 0.6,
                   "what is mapped without a check dies at the first touch",
                   "the worker touched a page for which /dev/shm had no room", Role.INITIATING),
            Effect("shm-small", 0.75,
                   "the size shows in df and in the mounts",
                   "/dev/shm was too small for the batches in flight", Role.INITIATING),
            Effect("worker-gone", 0.25,
                   "the worker dies of it",
                   "the helper died for want of shared memory"),
            Effect("helper-thread-ended", 0.03,
                   "the thread that pins memory opens every segment",
                   "the thread could not open a segment of shared memory"),
            Effect("main-thread-waits-for-loader", 0.05,
                   "a parent may wait on",
                   "the main thread waited for a worker that had died"),
            *dies("shared memory had no room", 0.05),
        ),
        now=(
            "Start the container with --shm-size=16g or --ipc=host (Kubernetes: an emptyDir of medium Memory on "
            "/dev/shm)",
            "Or use fewer workers, smaller batches, or num_workers=0",
        ),
        for_good=(
            "Check the size of /dev/shm before the first step",
        ),
        mistaken_for=(
            ("container-out-of-memory", "a worker is gone, and the limit was not reached"),
            ("host-memory-error", "a bus error sounds like hardware"),
            ("disk-full", "the errno is the same"),
        ),
        checks=(
            Check("its size and what is in it", "df -h /dev/shm; ls -la /dev/shm | head"),
        ),
    ),
)  # fmt: skip
