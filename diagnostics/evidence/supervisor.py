"""What those who look after a job say: launchers, watchdogs, schedulers."""

from __future__ import annotations

from dataclasses import dataclass

from . import Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessEnded(Evidence):
    """A process ended, as its shell, launcher or supervisor reports it. Subject: pid, rank where said.

    `status` is the exit status; `signal` the signal's name when one ended it (status 128+N counts as such).

        2026-11-29 12:46:21 run.sh: trainer exited with status 137
    """

    status: int | None
    signal: str | None = None
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LauncherFailure(Evidence):
    """torchrun's (or another launcher's) summary names a failed rank. Subject: rank, pid, host.

    `first` is True for the one it calls the root cause (the first it observed: not always the first to fail).

        rank      : 1 (local_rank: 1)
    """

    first: bool
    exit_code: int | None = None
    error_text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerKilled(Evidence):
    """A DataLoader worker died of a signal, as its parent reports it. Subject: pid (the worker) where said.

    `signal` is the signal's name ("SIGBUS"), or "" where only "exited unexpectedly" is said.

    RuntimeError: DataLoader worker (pid 20417) is killed by signal: Bus error.
    """

    signal: str
    worker: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchdogObservation(Evidence):
    """A watchdog looked and did nothing. Subject: pid.

    [watchdog] pid=21047 alive, log age 54s
    """

    age_s: float | None = None
    limit_s: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchdogFired(Evidence):
    """A watchdog of any make decided that its charge was stuck. Subject: pid, job.

    `action` is "kill", "restart", "alert" or "abort"; `watchdog` names it ("home-made", "systemd", "kubernetes",
    "torchelastic", "slurm", "nccl").

        [watchdog] STALE: no output for 54s (limit 50s), sending SIGKILL to 21047
    """

    watchdog: str
    action: str
    age_s: float | None = None
    limit_s: float | None = None
    signal: str | None = None
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SchedulerEvent(Evidence):
    """Slurm, Kubernetes or a cloud speaks of the job. Subject: job, host, pid.

    `about` is "oom-killed", "evicted", "preempted", "time-limit", "cancelled", "node-failed", "failed",
    "completed", "pending", "suspended", "restarted", "disk-pressure", "memory-pressure", "probe-failed", "node-removed"
    or "other".

        slurmstepd: error: Detected 1 oom_kill event in StepId=7110.0.
    """

    system: str
    about: str
    text: str
    exit_code: int | None = None
    signal: int | None = None
    count: int = 1
