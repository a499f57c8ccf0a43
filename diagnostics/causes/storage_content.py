"""Storage, contents: bytes that changed without a word, and writes that were cut off under their final name."""

from __future__ import annotations

from . import Cause, Check, Effect, Role
from ._hang import dies
from ._studies import ESTIMATE, LLAMA, OPT

CAUSES = (
    Cause(
        slug="silent-data-corruption",
        title="silent data corruption",
        what="the bytes read back differ from the bytes written, and nobody reported an error",
        prior=0.01,
        source=ESTIMATE + "Bairavasundaram et al. (2008) found 400,000 checksum mismatches on 1.53 million disks in 41 months; " + LLAMA
        + "6 were silent, of a GPU's results and not of files",
        on=(),
        effects=(
            Effect("same-size-content-differs", 0.8,
                   "silent damage keeps the size, and shows where both sides are compared",
                   "the file kept its size and lost its content on the way or at rest: {path}", Role.INITIATING),
            Effect("checksums-differ", 0.85,
                   "a checksum is how it is found",
                   "the bytes were changed without an error", Role.INITIATING),
            Effect("damage-inside-file", 0.3,
                   "readers that keep a sum for each part find the part that changed",
                   "a part of the file had changed", Role.INITIATING),
            Effect("zeros-inside-file", 0.4,
                   "pages and blocks that are lost read back as zeros",
                   "a part of the file had been replaced by zeros: {path}", Role.INITIATING),
            Effect("absurd-values-saved", 0.005,
                   "damage hits one file and seldom several of one run",
                   "the changed bytes read as absurd numbers", Role.INITIATING),
            Effect("checkpoint-unreadable", 0.5,
                   "a damaged archive often does not open",
                   "the archive did not open because its bytes had changed"),
            Effect("loss-not-finite", 0.1,
                   "changed weights or data come out as numbers",
                   "the changed bytes came out as numbers"),
            *dies("the damaged file could not be used", 0.02),
        ),
        now=(
            "Do not trust any other file that went the same way: compare all of them with `md5sum`",
            "Resume from the last copy whose checksum is right",
        ),
        for_good=(
            "Record a content hash with each checkpoint and compare after every copy (`python -m diagnostics "
            "checkpoint`)",
        ),
        mistaken_for=(
            ("interrupted-write", "then the size is short"),
            ("checkpoint-code-bug", "the saving code wrote the right bytes"),
        ),
        checks=(
            Check("where the bytes differ", "cmp -l ORIGINAL COPY | head; md5sum ORIGINAL COPY"),
            Check("is it repeatable", "for i in 1 2 3; do md5sum COPY; done"),
        ),
    ),
    Cause(
        slug="interrupted-write",
        title="a write that was cut off",
        what="a save or copy onto the final name was ended in the middle, so a torn file looks like a finished one",
        prior=0.02,
        source=ESTIMATE + "'failed finding central directory' after a cut (llm-foundry#623, dddd_trainer#36); " + OPT + "a partial "
        "checkpoint upload after a hardware error",
        on=("mount",),
        effects=(
            Effect("checkpoint-truncated", 0.75,
                   "the file ends where the writer did",
                   "the file ends where its writer was stopped", Role.INITIATING),
            Effect("copy-interrupted", 0.6,
                   "the log shows the begin without the end",
                   "the writer was ended in the middle of {path}", Role.INITIATING),
            Effect("damage-inside-file", 0.02,
                   "a part that was being written over is neither the old nor the new",
                   "the part was being written over"),
            Effect("shorter-than-recorded", 0.4,
                   "whoever compares sizes sees where the writer stopped",
                   "the file ends where its writer was stopped", Role.INITIATING),
            Effect("transfer-cut-off", 0.15,
                   "who copies is told when the other side is gone",
                   "the copy ended in the middle, and its target looks like a whole file"),
            Effect("temporary-file-left", 0.45,
                   "writers that use another name first leave it behind when they are stopped",
                   "the writer was stopped before it gave {path} its name"),
            Effect("checkpoint-unreadable", 0.75,
                   "an archive's directory is at its end",
                   "the end of the archive was never written"),
            Effect("zeros-inside-file", 0.05,
                   "room that was set aside and never filled reads as zeros",
                   "the room had been set aside and was never filled"),
            Effect("checksums-differ", 0.4,
                   "a short file has another sum",
                   "the sum differs because the file is short"),
            Effect("killed-by-signal", 0.6,
                   "a kill, a reboot or a crash cut it",
                   "the kill came in the middle of the write", Role.INITIATING),
            Effect("ended-silently", 0.5,
                   "the writer had no chance to speak",
                   "the writer was ended without a word"),
            Effect("preempted-report", 0.04,
                   "a preemption is one way to be cut off",
                   "the preemption came in the middle of the write", Role.INITIATING),
            Effect("time-limit-report", 0.03,
                   "so is a time limit",
                   "the time limit came in the middle of the write", Role.INITIATING),
            Effect("node-failed-report", 0.02,
                   "so is a node that fails",
                   "the node failed in the middle of the write", Role.INITIATING),
            Effect("watchdog-killed", 0.12,
                   "so is a watchdog",
                   "the watchdog's kill came in the middle of the write", Role.INITIATING),
            Effect("power-lost", 0.05,
                   "a reboot cuts every write",
                   "the reboot came in the middle of the write", Role.INITIATING),
        ),
        now=(
            "Delete the torn file and resume from the last complete one: `python -m diagnostics checkpoint verify "
            "DIR`",
            "Copy it again from its source if that is whole",
        ),
        for_good=(
            "Write to another name in the same folder, fsync, rename, fsync the folder (`python -m diagnostics "
            "checkpoint publish`)",
            "Audit the code for writes straight onto a final name: `python -m diagnostics audit PATH`",
        ),
        mistaken_for=(
            ("disk-full", "a full disk cuts files too, with room missing in df"),
            ("silent-data-corruption", "then the size would be right"),
            ("checkpoint-code-bug", "the loader's error names the archive, not the kill"),
        ),
        checks=(
            Check("sizes of siblings and of the source", "ls -l --full-time DIR SOURCE"),
            Check("when the writer ended", "grep -n -E 'saving|copying|Killed|exited' train.log | tail"),
        ),
    ),
)  # fmt: skip
