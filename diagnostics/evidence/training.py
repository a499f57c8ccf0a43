"""What a training run logs: its steps, its phases, its checkpoints, its end."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from . import Evidence, Source, Stamp


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

    @property
    def last_source(self) -> Source:
        """The last step's line, or the first one's where that line is not kept."""
        line = int(self.columns["line"][-1])
        return Source(self.source.file, line, self.quotes[line]) if line in self.quotes else self.source

    @property
    def stride(self) -> int:
        """Steps from one logged step to the next; 1 where fewer than two are logged."""
        logged = [step for step in self.columns.get("step", ()) if step == step]
        return int(min((abs(b - a) for a, b in itertools.pairwise(logged) if a != b), default=1))

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
class MarkerFile(Evidence):
    """A file by which processes tell each other that something is ready. Subject: rank, path.

    `edge` is "awaited" (somebody waits for it) or "made" (somebody says that he made it).

        Waiting for path '/scratch/run/broadcasts/step_96/NCCL_READY'
    """

    name: str
    edge: str


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
