"""A small incident written by hand: real files, and the facts that a reader would take from them.

It does not need the parsers, and its log lines hold whatever a test wants: markup, terminal codes, mathematics.
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from diagnostics.evidence import Clock, Coverage, Evidence, ReadState, Severity, Source, Stamp, Subject
from diagnostics.evidence.gpu import GpuProcess, GpuStatus
from diagnostics.evidence.job import PythonException
from diagnostics.evidence.process import OpenFile, ThreadState
from diagnostics.evidence.storage import ChecksumVerdict, Mount
from diagnostics.evidence.supervisor import WatchdogFired
from diagnostics.evidence.training import CheckpointEvent, TrainingSteps
from diagnostics.incident import Incident

START = datetime(2026, 11, 29, 12, 45, 10, tzinfo=UTC).timestamp()
HOSTILE = "<script>alert(1)</script> $x^ |a| `b` [c](d) ![e](f) \x1b[31mred\x1b[0m \u202egnp.txt <!-- end people -->"


def at(seconds: float) -> Stamp:
    return Stamp(Clock.UTC, START + seconds)


class Story:
    """Files written to a folder line by line, each line with the fact that it says."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.facts: list[Evidence] = []
        self.lines: dict[str, list[str]] = {}

    def write(self, file: str, line: str) -> Source:
        lines = self.lines.setdefault(file, [])
        lines.append(line)
        (self.folder / file).write_text("\n".join(lines) + "\n", newline="")
        return Source(file, len(lines), line)

    def incident(self) -> Incident:
        coverage = [
            Coverage(file=file, parser="by-hand", medium="job-log", state=ReadState.READ) for file in self.lines
        ]
        return Incident("a <b>story</b>", self.facts, coverage)


def stalled(folder: Path, text: str = HOSTILE) -> Story:
    """A run that trains for 20 steps, saves step 10, hangs on a volume, and is killed by a watchdog."""
    story = Story(folder)
    steps = [story.write("train.log", f"step {n} | loss {9 - n / 10:.1f} | 6,600 tok/s") for n in range(1, 21)]
    columns = {
        "line": [float(source.line) for source in steps],
        "step": [float(n) for n in range(1, 21)],
        "seconds": [START + n for n in range(1, 21)],
        "loss": [9 - n / 10 for n in range(1, 21)],
        "tokens_per_s": [6600.0] * 20,
    }
    story.facts.append(
        TrainingSteps(
            source=steps[0],
            stamp=at(1),
            columns=columns,
            quotes={1: steps[0].quote, 20: steps[-1].quote},
            steps=20,
            first_step=1,
            last_step=20,
        )
    )
    saved = story.write("train.log", "saved /ckpt/step_10.pt")
    story.facts.append(
        CheckpointEvent(source=saved, stamp=at(10.5), subject=Subject(path="/ckpt/step_10.pt"), event="saved", step=10)
    )
    raised = story.write("train.log", f"RuntimeError: {text}")
    story.facts.append(
        PythonException(source=raised, stamp=at(25), severity=Severity.CRITICAL, type="RuntimeError", text=text)
    )
    fired = story.write("watchdog.log", "STALE: no output for 60s, sending SIGKILL to 100")
    story.facts.append(
        WatchdogFired(
            source=fired,
            stamp=at(80),
            severity=Severity.WARNING,
            subject=Subject(pid=100),
            watchdog="home-made",
            action="kill",
            age_s=60,
        )
    )
    mount = story.write("mounts.txt", "mfs#10.0.0.1:9421 /data fuse rw 0 0")
    story.facts.append(
        Mount(
            source=mount,
            subject=Subject(mount="/data", device="mfs#10.0.0.1:9421", server="10.0.0.1:9421"),
            device="mfs#10.0.0.1:9421",
            type="fuse",
            filesystem="moosefs",
            network=True,
        )
    )
    file = story.write("fds.txt", f"12 -> /data/{text}")
    story.facts.append(
        OpenFile(source=file, subject=Subject(pid=101, path=f"/data/{text}"), descriptor=12, target=f"/data/{text}")
    )
    thread = story.write("proc_stacks.txt", "tid 101 (pt_data_worker) State: D wchan request_wait_answer")
    story.facts.append(
        ThreadState(
            source=thread,
            stamp=at(60),
            subject=Subject(pid=101, tid=101, comm="pt_data_worker"),
            severity=Severity.WARNING,
            state="D",
            wchan="request_wait_answer",
            descriptor=12,
            parent_pid=100,
        )
    )
    story.lines.setdefault("ps.txt", [])
    return story


def verdict(story: Story, outcome: str) -> None:
    source = story.write("md5.txt", f"/ckpt/step_10.pt: {outcome}")
    story.facts.append(ChecksumVerdict(source=source, subject=Subject(path="/ckpt/step_10.pt"), outcome=outcome))


def gpus(story: Story, used_mib: float, owner: str | None) -> None:
    source = story.write("nvidia-smi.csv", f"0, H200, {used_mib} MiB, 143771 MiB")
    story.facts.append(
        GpuStatus(source=source, subject=Subject(gpu=0), memory_used_mib=used_mib, memory_total_mib=143771.0)
    )
    if owner:
        row = story.write("nvidia-smi.csv", f"0, 30506, {owner}, {used_mib} MiB")
        story.facts.append(GpuProcess(source=row, subject=Subject(gpu=0, pid=30506), name=owner, memory_mib=used_mib))
