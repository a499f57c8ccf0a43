"""The host's other limits on processes: descriptors, CPU time, and processes that somebody stopped."""

from __future__ import annotations

from . import Cause, Check, Effect, Role
from ._hang import dies, hangs
from ._studies import ESTIMATE

CAUSES = (
    Cause(
        slug="open-file-limit",
        title="the limit on open files",
        what="a process may have only so many descriptors, and reached that number",
        prior=0.012,
        source=ESTIMATE + "'Too many open files' and 'received 0 items of ancdata' (pytorch#973, #11201)",
        on=(),
        effects=(
            Effect("too-many-open-files", 0.95,
                   "the errno names it, and descriptors stripped from a message are its known sign",
                   "the process had no descriptor left", Role.INITIATING),
            Effect("worker-gone", 0.3,
                   "a worker dies of it",
                   "the worker had no descriptor left"),
            Effect("helper-thread-ended", 0.05,
                   "the thread that pins memory receives a descriptor for every batch",
                   "the thread could receive no descriptor more"),
            Effect("shm-error", 0.08,
                   "each shared tensor takes a descriptor, so one of these may be the first to fail",
                   "the shared-memory file could not be opened for want of a descriptor"),
            Effect("user-code-exception", 0.1,
                   "the main process raises EOFError or the like",
                   "the exception is the consequence in the other process"),
            *dies("a process had no descriptor left", 0.05),
        ),
        now=(
            "`ulimit -n 65536` before the start (systemd: LimitNOFILE)",
            "For loaders: torch.multiprocessing.set_sharing_strategy('file_system')",
        ),
        for_good=(
            "Close files in the data set; open them once per worker",
        ),
        mistaken_for=(
            ("peer-unreachable", "EOFError and connection errors follow in the main process"),
            ("shared-memory-too-small", "the loader fails in the same place"),
        ),
        checks=(
            Check("count against limit",
                  "for p in $(pgrep -f train); do ls /proc/$p/fd | wc -l; grep 'open files' /proc/$p/limits; done"),
        ),
    ),
    Cause(
        slug="cpu-starved",
        title="too little CPU",
        what="a quota, too many threads or a neighbour keeps the job's processes from the CPUs they need",
        prior=0.02,
        source=ESTIMATE + "Weng et al. (2022) name CPUs as a bottleneck of GPU jobs, Mohan et al. (2021) measure stalls in "
        "pre-processing",
        on=("host",),
        effects=(
            Effect("cpus-cure-it", 0.2,
                   "who suspects the CPUs gives more of them, or other threads",
                   "the job was as fast as it should be with other threads or more CPUs", Role.INITIATING),
            Effect("cpu-starved-signs", 0.85,
                   "pressure and throttling counters show it",
                   "the processes waited for a CPU most of the time", Role.INITIATING),
            Effect("bound-to-one-cpu", 0.12,
                   "an affinity that a launcher or library left behind is one of the ways to starve",
                   "all its threads and workers shared that CPU", Role.INITIATING),
            Effect("pace-fell", 0.4,
                   "the pace falls with the CPUs",
                   "the pace fell because the CPUs were taken"),
            Effect("throughput-collapsed", 0.4,
                   "the pace falls with the CPUs",
                   "the pace fell because the CPUs were taken"),
            Effect("data-wait-dominates", 0.4,
                   "loader workers are what needs CPUs",
                   "the workers had no CPU to prepare batches"),
            Effect("gpus-idle", 0.4,
                   "GPUs that are not fed have nothing to do",
                   "the GPUs waited for what the CPUs prepared late"),
            Effect("main-thread-waits-for-loader", 0.3,
                   "the loader is behind",
                   "the main thread waited for workers that had no CPU"),
            Effect("phase-outlasts-limit", 0.04,
                   "work on the CPU takes many times its usual time",
                   "the work outlasted its limit for want of CPU"),
            Effect("one-rank-elsewhere", 0.15,
                   "the starved rank is late",
                   "the odd rank was late for want of CPU"),
            Effect("gpu-slower-than-peers", 0.05,
                   "a GPU that is not fed is idle, and an idle one is no straggler",
                   "the GPU waited for its CPU"),
            Effect("collective-timed-out", 0.15,
                   "the late rank may be too late",
                   "the others waited for a rank without CPU"),
            Effect("watchdog-killed", 0.1,
                   "a starved run may fall silent",
                   "the watchdog saw a starved run as silent"),
            Effect("progress-stopped", 0.08,
                   "steps go on, slowly",
                   "the steps nearly ceased"),
        ),
        now=(
            "See who has the CPUs: `top -H`, `cat /sys/fs/cgroup/cpu.stat`",
            "Raise the quota, or lower OMP_NUM_THREADS and the number of workers",
        ),
        for_good=(
            "Pin ranks and workers to cores; keep a core free per worker",
        ),
        mistaken_for=(
            ("storage-too-slow", "batches come late too"),
            ("gpu-straggler", "the rank is slow, the GPU is well"),
        ),
        checks=(
            Check("pressure and throttling", "cat /proc/pressure/cpu /sys/fs/cgroup/cpu.stat; nproc; uptime"),
        ),
    ),
    Cause(
        slug="process-stopped",
        title="a stopped process",
        what="somebody stopped a process (SIGSTOP, Ctrl-Z, a debugger, a freezer); it takes no part until it is "
        "told to go on",
        prior=0.005,
        source=ESTIMATE + "no study counts it; debuggers and freezers leave processes stopped",
        on=(),
        effects=(
            Effect("process-stopped", 0.95,
                   "its state says so",
                   "{comm} was stopped and did nothing until told to go on", Role.INITIATING),
            Effect("main-thread-waits-for-loader", 0.5,
                   "a stopped worker delivers nothing",
                   "the main thread waited for a worker that was stopped"),
            *hangs("a process that was stopped"),
        ),
        now=(
            "`kill -CONT PID`; find who stopped it (a debugger: `grep TracerPid /proc/PID/status`)",
        ),
        for_good=(
            "Take stacks with py-spy --nonblocking, which does not stop its target",
        ),
        mistaken_for=(
            ("network-filesystem-fault", "the main thread waits in the same poll()"),
            ("fork-deadlock", "so it does there"),
        ),
        checks=(
            Check("who traces or stops it",
                  "grep -E 'State|TracerPid' /proc/PID/status; cat /sys/fs/cgroup/cgroup.freeze"),
        ),
    ),
)  # fmt: skip
