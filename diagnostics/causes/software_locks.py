"""Software that waits for itself: locks inherited over a fork, locks taken in two orders, helpers that are gone."""

from __future__ import annotations

from . import Cause, Check, Effect, Role
from ._hang import hangs
from ._studies import BLOOM, ESTIMATE

CAUSES = (
    Cause(
        slug="fork-deadlock",
        title="a deadlock after fork",
        what="a worker was forked while another thread held a lock; in the child nobody exists who could release it",
        prior=0.015,
        source=ESTIMATE + "workers that inherit a locked lock (pytorch#75147); " + BLOOM + "one such evaluation cost "
               "11 hours; CPython warns of fork with threads since 3.12",
        on=(),
        effects=(
            Effect("worker-waits-for-lock", 0.85,
                   "the worker's stack ends at the lock, on a futex",
                   "the worker waited for a lock whose holder was not copied by fork", Role.INITIATING),
            Effect("child-at-runtime-lock", 0.85,
                   "below Python, too, the child's stack ends at the lock or at the team that it has not",
                   "the child waited for a runtime's lock or threads that were not copied by fork", Role.INITIATING),
            Effect("start-method-cures-it", 0.5,
                   "a worker that is started afresh inherits no lock",
                   "a forked worker inherited a lock that nobody in it could release", Role.INITIATING),
            Effect("parents-threads-decide", 0.3,
                   "without a thread in the parent that holds a lock there is none to inherit",
                   "the lock was taken in the parent before the fork", Role.INITIATING),
            Effect("main-thread-waits-for-loader", 0.9,
                   "the parent waits for the worker's batch",
                   "the main thread waited for a worker that never came out of its lock"),
            Effect("no-step-yet", 0.3,
                   "workers are forked before the first batch",
                   "the first batch never came"),
            *hangs("a worker that had inherited a locked lock"),
        ),
        now=(
            "Kill the run and start it with multiprocessing_context='forkserver' (or 'spawn')",
        ),
        for_good=(
            "Start threads after the workers, or never fork from a process with threads",
            "Give the loader a timeout, so that it raises instead of waiting for ever",
        ),
        mistaken_for=(
            ("network-filesystem-fault",
             "the main thread waits in the same poll(); but the worker is in S on a futex, not in D on a file"),
            ("worker-died-unnoticed", "the worker is alive"),
            ("lock-deadlock", "the worker has a single thread, so nobody in it can hold the lock"),
        ),
        checks=(
            Check("what the worker waits in",
                  "py-spy dump --nonblocking --pid WORKER_PID; cat /proc/WORKER_PID/task/*/wchan"),
            Check("threads of the parent at the fork", "py-spy dump --nonblocking --pid PARENT_PID"),
        ),
    ),
    Cause(
        slug="lock-deadlock",
        title="a deadlock between threads",
        what="threads of one process each hold what another needs (locks in two orders, or the GIL against a "
        "native lock)",
        prior=0.012,
        source=ESTIMATE + "the GIL against locks of allocator, autograd and futures (pytorch#97833, #119262, #58391)",
        on=(),
        effects=(
            Effect("threads-wait-for-each-other", 0.9,
                   "both stacks end at locks",
                   "two threads of one process each held the lock that the other wanted", Role.INITIATING),
            Effect("waits-with-the-gil", 0.4,
                   "the GIL is the one lock that every thread of a Python process needs",
                   "a thread kept the GIL while it waited, and the one that could have ended its wait wanted the GIL",
                   Role.INITIATING),
            Effect("main-thread-waits-for-loader", 0.1,
                   "a prefetch thread may be one of the two",
                   "the main thread waited for a thread in the deadlock"),
            Effect("worker-waits-for-lock", 0.05,
                   "a worker with threads can deadlock too",
                   "the worker was in the deadlock", Role.INITIATING),
            Effect("child-at-runtime-lock", 0.05,
                   "a runtime's lock may be one of the two",
                   "the thread was in the deadlock", Role.INITIATING),
            *hangs("locks that its own threads held", silent=0.85),
        ),
        now=(
            "Keep both stacks (`py-spy dump --nonblocking`), then kill the run: it does not resolve",
        ),
        for_good=(
            "Take locks in one order everywhere; never call back into Python with a native lock held",
        ),
        mistaken_for=(
            ("network-filesystem-fault",
             "the log is silent and the process idle; but nothing is in D and no file operation is open"),
            ("fork-deadlock", "here both holders exist"),
            ("compile-deadlock", "a futex wait is seen"),
        ),
        checks=(
            Check("all threads' stacks",
                  "py-spy dump --nonblocking --pid JOB_PID; gdb -p JOB_PID -batch -ex 'thread apply all bt'"),
        ),
    ),
    Cause(
        slug="worker-died-unnoticed",
        title="a helper that died unnoticed",
        what="a loader worker or helper thread ended, and the one that needs it waits for ever instead of raising",
        prior=0.015,
        source=ESTIMATE + "loaders that wait for a worker or a pin-memory thread that is gone (pytorch#21554, #1355)",
        on=(),
        effects=(
            Effect("worker-gone", 0.9,
                   "the process table or the helper's own last words show it",
                   "the helper was gone and nobody told the main thread", Role.INITIATING),
            Effect("helper-thread-ended", 0.6,
                   "a thread that raises prints it and is gone; Python tells nobody",
                   "the thread ended, and the main thread was not told", Role.INITIATING),
            Effect("user-code-exception", 0.15,
                   "an exception of its own is one end of a helper, and it is printed where nobody looks",
                   "the helper had raised it, and nobody told the main thread"),
            Effect("main-thread-waits-for-loader", 0.75,
                   "it waits without a limit",
                   "the main thread waited for a helper that no longer existed"),
            Effect("dead-worker-uncollected", 0.6,
                   "a parent that has not noticed does not collect either, where somebody looked twice",
                   "the worker was dead and its parent had not noticed", Role.INITIATING),
            Effect("shm-error", 0.25,
                   "losing a shared-memory file is one way for a helper to die",
                   "the helper died of it, and the parent did not see it", Role.INITIATING),
            Effect("checkpoint-unreadable", 0.05,
                   "a helper that writes leaves its part of the checkpoint unwritten, and the save is called done",
                   "the thread that was to write this part had ended, and nobody told the one who saved"),
            *hangs("a helper that no longer existed", silent=0.7),
        ),
        now=(
            "Restart the run; give the DataLoader a timeout so that it raises",
        ),
        for_good=(
            "Watch helpers: a thread that dies must end the process",
            "Find what ended the helper: its own stderr",
        ),
        mistaken_for=(
            ("network-filesystem-fault",
             "the main thread waits in the same place; but there is no worker left that could be in D"),
            ("fork-deadlock", "there the worker is alive"),
        ),
        checks=(
            Check("which helpers are alive", "ps -ef --forest | grep -A 8 JOB_PID"),
            Check("their last words", "grep -n -A 20 -i 'exception in thread\\|exited unexpectedly' *.log"),
        ),
    ),
)  # fmt: skip
