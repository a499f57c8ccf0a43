"""What the job, its launcher, its watchdog and its scheduler said."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from . import Evidence, Stamp


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStarted(Evidence):
    """A run begins. Subject: pid, rank where said. `command` is the command line where shown.

    2026-11-29 12:46:17 + python -u /workspace/train/trainer.py --data /workspace/mfs/mnt/shards
    """

    command: str = ""
    paths: tuple[str, ...] = ()
    world_size: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFinished(Evidence):
    """The job says that it came to its own end (last step, configured time limit).

    done at step 34
    """

    text: str
    step: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingSteps(Evidence):
    """The progress of one run on one rank, as columns of equal length; the source is the first step's line.

    `columns` holds "line" (1-based) and "step", and where logged "seconds" (on the stamp's clock), "loss",
    "grad_norm", "learning_rate", "tokens_per_s", "samples_per_s", "step_s", "data_wait_s", and "step_mean_s" and
    "data_wait_mean_s" of meters that print the mean since the epoch began in brackets; a missing value is NaN. Of a
    very long log the columns do not hold every step: `merged` counts the steps without a row of their own, and
    "count" tells how many step lines a row stands for, itself and those just before it.
    `quotes` holds the raw lines that a rule is likely to cite (first, last, first non-finite, slowest), by
    line number.

        step 16 | loss 4.4248 | grad_norm 0.714 | lr 1.00e-03 | 6,648 tok/s | data_wait 0.00s
    """

    columns: Mapping[str, Sequence[float]] = field(repr=False)
    quotes: Mapping[int, str] = field(repr=False)
    run: int = 0  # numbers the runs of one file, from 0
    steps: int = 0
    merged: int = 0
    first_step: int | None = None
    last_step: int | None = None

    @property
    def last_stamp(self) -> Stamp | None:
        """When the last step that is dated was logged, on the clock of the first."""
        last = next((float(at) for at in reversed(self.columns.get("seconds", ())) if at == at), None)
        return self.stamp._replace(seconds=last) if self.stamp and last is not None else None

    def fields(self) -> dict[str, object]:
        """A summary: JSON readers get the extent and the last values that are finite, not millions."""
        last = {
            name: float(values[-1])
            for name, values in self.columns.items()
            if name != "count" and len(values) and math.isfinite(values[-1])
        }
        return {
            "run": self.run,
            "steps": self.steps,
            "merged": self.merged,
            "first_step": self.first_step,
            "last_step": self.last_step,
            "last": last,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class EpochTime(Evidence):
    """How long one pass over the data took. Subject: rank.

    epoch 112 time 131.20 s
    """

    epoch: int
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class LoaderQueue(Evidence):
    """How many batches lie ready between a loader and its trainer; `size` is None where it is not said. Subject: rank.

    step 41034 loss 2.121 3.04 s/step loader queue 9/32
    """

    held: float
    size: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NonFiniteValue(Evidence):
    """The first NaN or infinity that a run logs. Subject: rank.

    step 14 | loss nan | grad_norm nan
    """

    quantity: str
    step: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdateSkipped(Evidence):
    """An update of the weights that was left out since the norm of its gradients was above a limit. Subject: rank.

    step 120: gradient norm 1.92 > 1.0, skipping update
    """

    norm: float
    limit: float | None = None
    step: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkSkipped(Evidence):
    """A sample or batch that one rank left out as it trained. Subject: rank.

    [rank1] skipping batch 41: no labels left after truncation
    """

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LossScaleLowered(Evidence):
    """Dynamic loss scaling skipped a step whose gradients overflowed, and lowered its scale to `scale`. Subject: rank.

    OVERFLOW! Rank 0 Skipping step. Attempted loss scale: 65536, reducing to 32768
    """

    scale: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Phase(Evidence):
    """The job says what it does next or has done, other than a step. Subject: rank.

    `phase` is "evaluation", "compile", "save", "load", "preprocess", "epoch-end", "data-end", "warmup", "init"
    or "download"; `edge` is "begin" or "end" where the line tells.

        step 18: running evaluation on 400 batches
    """

    phase: str
    edge: str | None = None
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseTook(Evidence):
    """How long a phase of the job (as in `Phase`) takes, by its own word or by somebody's measurement.

    Getting full model state dict took 812.41 secs
    """

    phase: str
    seconds: float
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitCounted(Evidence):
    """The job counts how often it has looked in vain for what it waits for; the last of many such lines. Subject: rank.

    `first` and `last` are the counts on the first and last line of its kind.

        still waiting for samples: attempt 5120, queue empty
    """

    first: int
    last: int
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildLockWait(Evidence):
    """The last word of a process is that it waits for the lock of what another one builds. Subject: path, rank, pid.

    `waited_s` is how long it has waited by its own word, `owner` the process that it waits for.

        (Worker_TP5) [aiter] waiting for baton release at /tmp/tuned/gemm.csv.lock
    """

    text: str
    waited_s: float | None = None
    owner: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckpointEvent(Evidence):
    """The job saves, has saved, copied or resumed a checkpoint. Subject: path.

    `event` is "saving", "saved", "copying" (the path is the copy), "copied", "resuming", "resumed" or "removed".

        saved /workspace/local/ckpt/step_000010.pt (63.7 MB) in 0.0 s
    """

    event: str
    step: int | None = None
    size: int | None = None
    took_s: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PythonException(Evidence):
    """A Python traceback, or the line that a torn one left. Subject: rank, pid, path where the text names it.

    `frames` are "function (file:line)", innermost first; `causes` are the exceptions it was raised from,
    nearest first, as "Type: text"; `worker` is the DataLoader worker it came from; `error` is the errno's name.

        RuntimeError: PytorchStreamReader failed reading zip archive: failed finding central directory.
    """

    type: str
    text: str
    frames: tuple[str, ...] = ()
    causes: tuple[str, ...] = ()
    worker: int | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerKilled(Evidence):
    """A DataLoader worker died of a signal, as its parent reports it. Subject: pid (the worker) where said.

    `signal` is the signal's name ("SIGBUS"), or "" where only "exited unexpectedly" is said.

    RuntimeError: DataLoader worker (pid 20417) is killed by signal: Bus error.
    """

    signal: str
    worker: int | None = None


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
class MarkerFile(Evidence):
    """A file by which processes tell each other that something is ready. Subject: rank, path.

    `edge` is "awaited" (somebody waits for it) or "made" (somebody says that he made it).

        Waiting for path '/scratch/run/broadcasts/step_96/NCCL_READY'
    """

    name: str
    edge: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectiveTimeout(Evidence):
    """A collective outlasted its time limit. Subject: rank, host.

    `group` is the process group's name where it is the same on every rank, `completed` the last collective of it that
    the rank has finished, `elements` how many numbers the rank put into the call.

    Watchdog caught collective operation timeout: WorkNCCL(SeqNum=4, OpType=ALLREDUCE, ...) ran for 600029 ms
    """

    operation: str | None = None
    sequence: int | None = None
    limit_s: float | None = None
    ran_s: float | None = None
    group: str | None = None
    completed: int | None = None
    elements: int | None = None
    backend: str = "nccl"


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectiveProgress(Evidence):
    """How far one rank came in one process group, by its own flight recorder. Subject: rank.

    `group` is the group's name, the same on every rank, and `ranks` its members; `enqueued` and `completed` are
    the sequence numbers of the last collective that the rank asked for and that its device finished. `calls`
    are the collectives still remembered, by sequence number, as "operation sizes". `operation`, `state`,
    `age_s` (at the rank's latest entry) and `frames` are of the first one that is not complete; None when
    nothing is outstanding.

        _dump_12: TENSOR_MODEL_PARALLEL_GROUP: _all_gather_base #42806 is scheduled, 12 outstanding
    """

    group: str | None
    description: str = ""
    ranks: tuple[int, ...] = ()
    enqueued: int | None = None
    completed: int | None = None
    operation: str | None = None
    state: str | None = None
    age_s: float | None = None
    calls: Mapping[int, str] = field(default_factory=dict)
    frames: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PickleRefused(Evidence):
    """A pickle that is more than plain data, or torn, and was therefore not loaded. Nothing of it was run.

    `wants` is what loading it would have imported or called; None when it is only torn.

        _dump_3: a pickle that would import posix.system
    """

    reason: str
    wants: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectiveStuck(Evidence):
    """A collective that some ranks of its group never joined (flight recorder, desync report).

    `missing_ranks` are those that never joined; `joined_ranks` those that wait. Subject: rank when one is missing.

        _dump_12
    """

    operation: str | None
    sequence: int | None
    group: str | None
    missing_ranks: tuple[int, ...]
    joined_ranks: tuple[int, ...] = ()
    state: str | None = None
    frames: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectiveMismatch(Evidence):
    """Ranks of one group are in different collectives, or disagree on its shape or type.

    Detected mismatch between collectives on ranks. Rank 0 is running collective: ... SequenceNumber=9, ALLREDUCE
    """

    text: str
    calls: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class NcclMessage(Evidence):
    """A line of NCCL's own log. Subject: host, pid, gpu, interface where said.

    `level` is INFO, WARN, TRACE or VERSION; `about` is "transport", "interface", "connection", "memory",
    "topology", "ib", "plugin" or "other".

        node1:4242:4242 [0] NCCL INFO NET/Socket : Using [0]lo:127.0.0.1<0>
    """

    level: str
    about: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteFailure(Evidence):
    """A rank reports that its peer or store is gone or unreachable: usually a victim, not a culprit. Subject: rank.

    `about` is "peer-closed", "refused", "unreachable", "timed-out", "aborted", "name" or "wrong-peer" (another rank
    answered).

        Connection closed by peer [10.0.0.4]:31245
    """

    about: str
    text: str
    peer: str | None = None


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
class WatchdogDescription(Evidence):
    """What a person says of a watchdog of their own, so that its log can be read.

    `fired` and `alive` are lines with placeholders: {pid}, {age}, {limit}, {job}, {rank}, and * for anything.

        fired = "giving up on {pid}: silent for {age}"
    """

    name: str
    fired: str
    alive: str = ""
    action: str = "kill"
    limit_s: float | None = None


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


@dataclass(frozen=True, slots=True, kw_only=True)
class CountedOn(Evidence):
    """Work that counted while a collective of other ranks timed out, by the first line below that time-out.

    `before` is what the same words had counted above it, and `before_line` where; `total` is None where nobody says it.

        Creating json file for train ... 62%|######2   | 8122/13100
    """

    label: str
    before: int
    before_line: int
    done: int
    total: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgressBar(Evidence):
    """The last state of a progress bar, and the seconds a piece that its states showed. Subject: rank.

    Preparing test set...:  46%|####6     | 31/67 [29:02<35:12, 58.67s/it]
    """

    label: str
    done: int | None
    total: int | None
    elapsed_s: float | None = None
    fastest_s: float | None = None
    slowest_s: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial(Evidence):
    """One row of a table of trials: under this condition it went so. Subject: gpu where the condition names one.

    `outcome` is "ok", "slow", "hang", "fail", "off" (the machine or device went dark) or "varies"; `nodes` is the
    number of nodes where the condition says it.

        3+ nodes x 8 GPU: hang
    """

    condition: str
    outcome: str
    text: str
    nodes: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LoginSession(Evidence):
    """A person's login session that began or ended ("begin", "end"); PAM names none, which is "". Subject: host.

    Jun 23 11:06:52 c07 systemd-logind[1711]: Removed session 41.
    """

    session: str
    edge: str
    user: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WorldMismatch(Evidence):
    """What came to the start of a job does not fit its world: more workers than it has, or a rank that it has not.

    dist.init_process_group(backend='nccl', init_method=opt.dist_url, world_size=1, rank=1)
    """

    world_size: int
    workers: int | None = None
    rank: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingSeen(Evidence):
    """A configuration value that somebody set: environment variable, flag, sysctl, mount feature. Subject: job.

    NCCL_BLOCKING_WAIT=1
    """

    name: str
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LogLine(Evidence):
    """A line of a job log at warning level or above that no pattern knows; kept so that nothing is lost.

    [rank3] WARNING: something odd
    """

    level: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PackageChanged(Evidence):
    """A package was installed, upgraded or removed (apt history, unattended-upgrades).

    Upgrade: nvidia-driver-535:amd64 (535.154.05-0ubuntu1, 535.161.08-0ubuntu1)
    """

    package: str
    old: str | None
    new: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorNote(Evidence):
    """What a person wrote about the incident: shown, never weighed, since people are sometimes wrong.

    Storage team says the array has plenty of space.
    """

    text: str
