"""Software of the job itself: limits, divergence, plain errors, saving code, and runs that simply ended."""

from __future__ import annotations

from . import Cause, Check, Effect, Role
from ._hang import dies
from ._studies import ACME, BLOOM, ESTIMATE, LLAMA, OPT, PHILLY

CAUSES = (
    Cause(
        slug="watchdog-too-short",
        title="a limit that is shorter than healthy work",
        what="an evaluation, save, load or preparation took longer than a watchdog or a collective's timeout "
        "allows; nothing was broken",
        prior=0.02,
        source=ESTIMATE + "torch's limit for NCCL went from 30 to 10 minutes (pytorch#110947); " + LLAMA + "7 NCCL watchdog time-outs, "
        "of all reasons",
        on=(),
        effects=(
            Effect("phase-outlasts-limit", 0.85,
                   "the work that was under way is named in the log",
                   "the work was healthy and longer than the limit on it", Role.INITIATING),
            Effect("longer-limit-cures-it", 0.4,
                   "healthy work ends when it is given the time",
                   "the work was healthy and needed more time", Role.INITIATING),
            Effect("busy-while-silent", 0.7,
                   "a look shows it at work",
                   "the trainer was at work; it printed nothing", Role.INITIATING),
            Effect("absent-ranks-at-work", 0.4,
                   "preparation before the group is made is the usual reason to come late",
                   "the ranks that did not come in time were at work", Role.INITIATING),
            Effect("peer-unreachable-error", 0.1,
                   "a store or rendezvous that gives up on late ranks words it as if they could not be reached",
                   "the ranks could be reached; they were at work"),
            Effect("watchdog-killed", 0.6,
                   "a watchdog of the log's age ends it",
                   "the watchdog took quiet work for a hang"),
            Effect("collective-timed-out", 0.5,
                   "or the other ranks' collective does",
                   "the others waited for a rank that was at work"),
            Effect("killed-by-signal", 0.6,
                   "the limit's end is a kill",
                   "the kill was the limit's"),
            Effect("ended-silently", 0.45,
                   "killed in the middle of its work",
                   "it was killed in the middle of healthy work"),
            Effect("progress-stopped", 0.6,
                   "no step while other work is done",
                   "no step came while other work was done"),
            Effect("one-rank-elsewhere", 0.25,
                   "one rank saves or prepares alone",
                   "the odd rank was at work"),
            Effect("ranks-never-joined", 0.25,
                   "so it joins late",
                   "the missing rank was at work"),
            Effect("peer-closed", 0.2,
                   "the first to time out leaves",
                   "a rank had left after its limit", Role.TEARDOWN),
            Effect("time-limit-report", 0.02,
                   "a scheduler's step may carry the kill",
                   "the step was torn down after the limit"),
        ),
        now=(
            "Raise the limit above the longest healthy silence (timeout= of init_process_group, the watchdog's "
            "age)",
            "Resume from the last checkpoint: nothing is broken",
        ),
        for_good=(
            "Let long phases print progress or touch a heartbeat file",
            "Do rank-0-only work outside of barriers, or let all ranks take part",
        ),
        mistaken_for=(
            ("network-filesystem-fault", "a hung save or load is as silent; but then nobody is at work"),
            ("lock-deadlock", "a deadlock uses no CPU"),
            ("interconnect-link-fault", "the text is a collective's timeout"),
        ),
        checks=(
            Check("is it at work",
                  "py-spy dump --nonblocking --pid PID; ps -o time,stat -p PID; sleep 5; ps -o time,stat -p PID"),
            Check("the limits", "env | grep -i -E 'timeout|blocking'; grep -n timeout train.py"),
        ),
    ),
    Cause(
        slug="training-diverged",
        title="a training that diverged",
        what="the numbers went wrong (NaN, infinity, an exploding loss) while the machinery works as it should",
        prior=0.03,
        source=OPT + "numerical stability was the main trouble of the first tenth of the run, and came back; "
        + PHILLY + "84 models diverged",
        on=(),
        effects=(
            Effect("loss-not-finite", 0.95,
                   "the loss itself shows it",
                   "the optimisation diverged; every checkpoint after that is worthless", Role.INITIATING),
            Effect("user-code-exception", 0.1,
                   "some frameworks raise on NaN",
                   "the exception is the framework's answer to NaN"),
        ),
        now=(
            "Go back to the last checkpoint before the first bad value",
            "Look at what changed just before: learning rate, data, precision, a new layer",
        ),
        for_good=(
            "Clip gradients, stop on the first non-finite loss, and never overwrite the last good checkpoint",
        ),
        mistaken_for=(
            ("silent-data-corruption", "wrong bytes come out as numbers too; then checksums differ"),
            ("gpu-memory-error", "a flipped bit can do it once"),
        ),
        checks=(
            Check("what came just before", "grep -n -B 10 -i -m 1 'nan' train.log"),
            Check("is it repeatable from the checkpoint before", "python train.py --resume CHECKPOINT --seed SAME"),
        ),
    ),
    Cause(
        slug="user-code-error",
        title="an error in the job's own code or configuration",
        what="an ordinary exception: wrong type, shape, key, argument or file",
        prior=0.06,
        source=ACME + "1,890 are errors of the script; Jiang et al., L4 (2025), 428 failures of LLM training: user faults come second, "
        "after hardware",
        on=(),
        effects=(
            Effect("file-not-there", 0.3,
                   "a wrong path is a common slip of the job's own",
                   "the job was told of a path that does not exist", Role.INITIATING),
            Effect("fewer-gpus-than-expected", 0.03,
                   "a setting that asks for more devices than there are is one of many",
                   "the setting asked for more devices than the machine has"),
            Effect("more-workers-than-the-world", 0.02,
                   "one of many settings that have to fit each other",
                   "the job was started with more processes than it was told of", Role.INITIATING),
            Effect("user-code-exception", 0.95,
                   "the traceback shows it",
                   "the job's own code raised: it would do so anywhere", Role.INITIATING),
            Effect("helper-thread-ended", 0.02,
                   "the job's own threads raise too",
                   "a thread of the job's own code raised"),
            Effect("crashed-natively", 0.03,
                   "an extension of the job's own may crash",
                   "the job's own native code crashed"),
            Effect("worker-gone", 0.02,
                   "a data set's code raises in a worker",
                   "the worker raised in the job's own code"),
            *dies("its code raised", 0.03),
        ),
        now=(
            "Read the innermost frame of the job's own code in the traceback",
        ),
        for_good=(
            "Run one step of each phase (train, evaluate, save, resume) before the long run",
        ),
        mistaken_for=(
            ("rank-failed", "the other ranks' errors are louder and later"),
        ),
        checks=(
            Check("the first traceback", "grep -n -m 1 -A 40 Traceback *.log"),
        ),
    ),
    Cause(
        slug="checkpoint-code-bug",
        title="wrong saving code",
        what="the code that saves is wrong: objects that cannot be pickled, keys that do not fit, too much or too "
        "little saved",
        prior=0.008,
        source=ESTIMATE + "well below the counts, which hold the storage's faults too; " + ACME + "104 models could not be loaded; "
        + PHILLY + "1,995 checkpoint errors, most of them of HDFS",
        on=(),
        effects=(
            Effect("file-not-there", 0.1,
                   "code that renames or cleans up on several ranks meets its own work",
                   "the saving code looked for what another rank had moved or removed"),
            Effect("checkpoint-code-error", 0.9,
                   "the error is about the objects, not about the file",
                   "the saving code was wrong; the disk did what it was told", Role.INITIATING),
            Effect("newest-checkpoint-removed", 0.05,
                   "a wrong order of names is one way for a rotation to go wrong",
                   "the code took the newest checkpoint for an old one", Role.INITIATING),
            Effect("resumed-at-the-start", 0.25,
                   "code that saves the wrong object, or loads into a copy, fails without a word at the resume",
                   "the checkpoint that was opened did not bring back the weights: the code had saved the wrong state, or did not put it back", Role.INITIATING),
            Effect("weights-without-tensors", 0.1,
                   "what shards parameters over ranks leaves placeholders in the model that one rank saves",
                   "the weights were saved without being gathered: the file holds placeholders", Role.INITIATING),
            Effect("absurd-values-saved", 0.1,
                   "a save that rewrites the file it still reads, or writes from memory that is in use, writes garbage each time",
                   "the saving code destroyed what it saved; the weights in memory were right", Role.INITIATING),
            Effect("checkpoint-larger-than-tensors", 0.1,
                   "a view is saved with the whole buffer behind it unless it is cloned",
                   "what was written is the buffer behind the tensors and not the tensors", Role.INITIATING),
            Effect("checkpoint-unreadable", 0.15,
                   "a wrongly saved file may not load",
                   "what was saved is not what the loader expects"),
            Effect("memory-grows", 0.05,
                   "a checkpoint that grows was kept in memory before",
                   "what was saved grew from step to step"),
            *dies("the saving code raised", 0.03),
        ),
        now=(
            "Load the checkpoint on one machine and list its keys and sizes",
            "Keep the last checkpoint from before the change",
        ),
        for_good=(
            "Test save and resume together, on the first day",
        ),
        mistaken_for=(
            ("disk-full", "torch words a full disk like a bug of its own"),
            ("silent-data-corruption", "the file is as it was written"),
            ("user-code-error", "the traceback is in the job's code"),
        ),
        checks=(
            Check("what is in the file",
                  "python -c \"import torch; print({k: type(v) for k, v in torch.load('FILE', "
                  'weights_only=True).items()})"'),
        ),
    ),
    Cause(
        slug="orderly-stop",
        title="a run that ended as it was told to",
        what="the last step or its own time limit was reached, and nothing follows it in the queue; nothing failed",
        prior=0.015,
        source=ESTIMATE + "studies count failures, not alarms; " + BLOOM + "a watcher of the queue reported each hour whether the run "
        "was running or waiting",
        on=(),
        effects=(
            Effect("stopped-as-configured", 0.9,
                   "the run says so, and what alarmed is the gap after it",
                   "the run had ended in order; the alarm was about the gap that followed", Role.INITIATING),
            Effect("time-limit-report", 0.05,
                   "a scheduler may note the end",
                   "the run had ended within its limit"),
        ),
        now=(
            "Submit the next job, or wait for it: the checkpoint is complete",
        ),
        for_good=(
            "Queue a successor with a dependency; let the alarm know about pending jobs",
        ),
        mistaken_for=(
            ("preempted", "nobody took the node away"),
            ("network-filesystem-fault", "a silent log alone is no stall"),
        ),
        checks=(
            Check("its own last words and the queue", "tail -n 20 train.log; squeue -u $USER; sacct -j JOB"),
        ),
    ),
)  # fmt: skip
