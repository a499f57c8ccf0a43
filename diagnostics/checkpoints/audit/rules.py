"""The rules: what is wrong, why it loses checkpoints, and what to write instead."""

from __future__ import annotations

from typing import NamedTuple


class Rule(NamedTuple):
    """`level` is SARIF's: error and warning fail a build, note does not."""

    slug: str
    level: str
    title: str
    why: str
    instead: str


ROWS = (
    Rule("write-final-name", "error", "written straight onto its final name",
         "the name exists from the first byte, so a crash in the middle leaves a broken file that readers believe",
         "with publish(directory, step=step) as file: torch.save(state, file)"),
    Rule("copy-final-name", "error", "copied straight onto its final name",
         "a copy that is cut off leaves part of the file under the finished name, and copies end with no sync",
         "publish_file(source, directory), or `python -m diagnostics checkpoint publish SOURCE DIRECTORY`"),
    Rule("download-final-name", "error", "downloaded straight onto its final name",
         "a download that is cut off looks finished to whoever looks next",
         "download to NAME.part in the same directory, compare size and hash, sync, then rename"),
    Rule("rename-without-fsync", "error", "renamed before its data is on the disk",
         "after a power loss the new name may be there and the data behind it not",
         "flush and os.fsync the file before the rename (publish does), in shell `sync FILE`"),
    Rule("fsync-before-flush", "error", "synced while the data is still in Python's buffer",
         "os.fsync only reaches what was flushed: the rest is not on the disk yet",
         "file.flush(); os.fsync(file.fileno())"),
    Rule("rename-across-devices", "error", "moved from another filesystem",
         "between filesystems a move is a copy onto the final name (or os.replace fails)",
         "stage in the same directory as the final name"),
    Rule("no-directory-fsync", "warning", "renamed without syncing the directory",
         "the new name itself may be lost by a power loss, and the old file with it",
         "os.fsync on a descriptor of the directory after the rename (publish does), in shell `sync DIRECTORY`"),
    Rule("latest-before-data", "error", "`latest` is published before the data is durable",
         "after a crash `latest` points to a checkpoint that is not whole",
         "publish the checkpoint first and the pointer last, or ask resume_point(directory) and keep no pointer"),
    Rule("close-not-checked", "error", "written to a file that is never closed",
         "an error at close, which is where network filesystems report lost data, is swallowed",
         "with publish(directory, step=step) as file: torch.save(state, file)"),
    Rule("size-floor", "warning", "judged by a size floor",
         "a floor catches junk and lets a truncated checkpoint pass",
         "compare with the size and hash in the manifest: verify(directory, deep=True)"),
    Rule("highest-step", "warning", "resumes from the highest step without looking at it",
         "the newest checkpoint is the one most likely to be broken",
         "resume_point(directory, mirror).path"),
    Rule("prune-without-guards", "warning", "old checkpoints deleted without guards",
         "it may delete the last good one, or a copy in flight, or one whose time is unknown (mtime 0 is not old)",
         "plan_prune(directory, mirror, retention=Retention(keep=12)).execute()"),
    Rule("delete-before-write", "error", "the old checkpoint is deleted before the new one is written",
         "a crash in between leaves nothing",
         "publish under the same name (the old one stays until the rename), or prune afterwards"),
    Rule("unpickle-untrusted", "warning", "unpickles what it reads",
         "a pickle runs any code its author chose",
         "torch.load(path, weights_only=True), or safetensors"),
    Rule("suppression-without-reason", "warning", "a suppression without a reason",
         "nobody can tell later whether it still holds",
         "# audit: allow[rule] because ..."),
)  # fmt: skip
RULES = {rule.slug: rule for rule in ROWS}
