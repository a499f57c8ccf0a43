"""Software that compiles: slowly, never, or in each other's way."""

from __future__ import annotations

from . import Cause, Check, Effect, Role
from ._hang import dies, hangs
from ._studies import ESTIMATE

CAUSES = (
    Cause(
        slug="compile-slow",
        title="a compilation that takes its time",
        what="the job looks stuck and is compiling kernels (torch.compile, inductor, Triton, nvcc); it goes on by "
        "itself",
        prior=0.015,
        source=ESTIMATE + "single kernels have taken 7 to 14 minutes to compile (pytorch#181293)",
        on=(),
        effects=(
            Effect("compiling", 0.95,
                   "compilers are seen at work",
                   "the kernels of the model were being compiled; nothing was wrong", Role.INITIATING),
            Effect("first-pass-slow", 0.1,
                   "the first epoch meets every shape first",
                   "the first epoch compiled"),
            Effect("no-step-yet", 0.7,
                   "the first step compiles",
                   "the first step waited for the compiler"),
            Effect("phase-outlasts-limit", 0.04,
                   "a limit may be shorter than the compilation",
                   "the compilation outlasted a limit"),
            Effect("bar-stands-at-limit", 0.04,
                   "kernels are compiled and captured under a bar",
                   "the compilation outlasted a limit"),
            Effect("probe-ended-preparation", 0.04,
                   "a server compiles before its first request",
                   "the compilation outlasted the probe"),
            Effect("progress-stopped", 0.15,
                   "new shapes compile in mid-run",
                   "the step waited for the compiler"),
            Effect("pace-fell", 0.1,
                   "recompilations slow the steps",
                   "steps were compiled anew"),
            Effect("throughput-collapsed", 0.1,
                   "recompilations slow the steps",
                   "steps were compiled anew"),
            Effect("watchdog-killed", 0.15,
                   "a long compilation is silent",
                   "the watchdog saw a compilation as silence"),
            Effect("collective-timed-out", 0.15,
                   "ranks compile at different times",
                   "the others waited for a rank that compiled"),
            Effect("one-rank-elsewhere", 0.15,
                   "the rank that compiles is elsewhere",
                   "the odd rank was compiling"),
        ),
        now=(
            "Wait: watch compiler processes come and go and CPU time grow",
            "If a limit kills it, raise that limit for the first step",
        ),
        for_good=(
            "Keep the compile cache between runs (TORCHINDUCTOR_CACHE_DIR on a local disk)",
            "Mark dynamic shapes; exclude the configuration that takes minutes",
        ),
        mistaken_for=(
            ("compile-deadlock", "then nothing compiles and no CPU time is used"),
            ("network-filesystem-fault", "no step comes, and the workers idle in poll()"),
        ),
        checks=(
            Check("is a compiler at work", "ps -ef --forest | grep -E 'cc1plus|ptxas|nvcc|compile_worker'"),
            Check("what takes so long", "TORCH_LOGS=+inductor,recompiles python train.py"),
        ),
    ),
    Cause(
        slug="compile-deadlock",
        title="a compiler that waits for itself",
        what="torch.compile, Triton or inductor waits for a lock, a future or a worker of its own that will never "
        "be done",
        prior=0.005,
        source=ESTIMATE + "compile workers hang at exit or in a kernel's compilation (pytorch#125235, #126624); far "
               "rarer than suspected",
        on=(),
        effects=(
            Effect("compile-waits-idle", 0.9,
                   "the stack is inside the compiler and nothing compiles",
                   "the compiler waited for a part of itself", Role.INITIATING),
            Effect("no-step-yet", 0.5,
                   "the first step compiles",
                   "the first step waited for the compiler"),
            Effect("one-compiler-cures-it", 0.2,
                   "a compiler alone waits for no other",
                   "compilers side by side waited for each other or for the same device", Role.INITIATING),
            Effect("compiling", 0.1,
                   "compile workers may idle in the table",
                   "the compiler's processes were idle", Role.INITIATING),
            *hangs("a compiler that waited for itself", silent=0.6),
        ),
        now=(
            "Start with TORCHINDUCTOR_COMPILE_THREADS=1, or remove stale locks in the cache folder",
            "As a test only: TORCH_COMPILE_DISABLE=1",
        ),
        for_good=(
            "Update torch; keep the cache on a local disk, one per job",
        ),
        mistaken_for=(
            ("compile-slow", "then compilers are at work"),
            ("network-filesystem-fault", "a futex wait of one thread says nothing about the compiler"),
        ),
        checks=(
            Check("stacks and compilers", "py-spy dump --nonblocking --pid JOB_PID; ps -ef --forest"),
        ),
    ),
    Cause(
        slug="jit-cache-race",
        title="a race on a shared compile cache",
        what="ranks or hosts share one folder of compiled kernels, and one removes, rewrites or locks what another "
        "needs",
        prior=0.008,
        source=ESTIMATE + "caches under a shared home directory (triton#2688, #11512, pytorch#173679) and locks whose "
               "owner was killed (pytorch#189245)",
        on=(),
        effects=(
            Effect("cache-race-error", 0.95,
                   "the loader names the file in the cache",
                   "the cached kernel was replaced while it was loaded", Role.INITIATING),
            Effect("own-cache-cures-it", 0.3,
                   "with a folder for each nobody meets; few take the time to try it",
                   "the ranks met in one folder of compiled code", Role.INITIATING),
            Effect("waits-for-build-lock", 0.4,
                   "a lock file that a killed builder left, or that another rank holds, stops everybody else",
                   "the process waited for a lock file whose owner was gone", Role.INITIATING),
            Effect("no-step-yet", 0.2,
                   "extensions and kernels are built before the first step",
                   "the first step waited for a build that nobody was doing"),
            Effect("network-volume-error", 0.1,
                   "a replaced file on NFS gives a stale handle",
                   "the stale handle is of a file that another host had replaced"),
            Effect("io-error-on-volume", 0.1,
                   "which is an input/output error like any other",
                   "the error was of a file that another host had replaced"),
            Effect("crashed-natively", 0.1,
                   "a library that is replaced while it is mapped crashes",
                   "the cached library was replaced under the process"),
            Effect("user-code-exception", 0.2,
                   "it surfaces as an ordinary import or file error",
                   "the error is about the cache's file, not about the job's code"),
            *dies("a cached kernel could not be loaded", 0.03),
        ),
        now=(
            "If ranks wait for a lock file and nothing compiles: remove the lock (and the half-built folder), then "
            "start again",
            "Set TRITON_CACHE_DIR and TORCHINDUCTOR_CACHE_DIR to a folder on each node's local disk, one per rank",
        ),
        for_good=(
            "Never keep a compile cache on a network home directory",
        ),
        mistaken_for=(
            ("network-filesystem-fault", "a stale handle names NFS, whose server is well"),
            ("rank-failed", "the other ranks only see that one is gone"),
        ),
        checks=(
            Check("where the cache lies", "df -T $TRITON_CACHE_DIR ~/.triton; ls -la ~/.triton/cache | head"),
        ),
    ),
)  # fmt: skip
