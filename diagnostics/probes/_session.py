"""Asking the probes' questions of some volumes: within budgets, cancellable, leaving nothing behind."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..errors import ProbeError, UsageError
from ..evidence.probe import ProbeAnswer
from ..hangproof import Cancelled, left_behind
from ..mounttable import MountPoint, absolute, mount_of
from ..question import Answer
from . import _stage
from ._probe import MIB, Plan, Probe, Rung, all_probes
from ._report import ProbeReport, Skipped, numbers, probe_answer
from ._volume import GIB, MOST_SILENT, Volume

PACE = 0.5  # of its deadline: the rest is left for one last slow call
SLOWEST = 20 * MIB  # bytes per second: a rung may take this long, whatever its probe's deadline


@dataclass(frozen=True)
class ProbeProgress:
    """Where a session stands: `done` of `total` questions, the one being asked, and its child's last words."""

    done: int
    total: int
    mount: str
    probe: str
    doing: str = ""
    answer: ProbeAnswer | None = None
    remaining_s: float | None = None


Callback = Callable[[ProbeProgress], None]


def run_probes(
    mounts: Sequence[str],
    *,
    only: Sequence[str] = (),
    size: int = 256 * MIB,
    budget: int = 10 * GIB,
    deadline_s: float = 120.0,
    reserve: int | None = None,
    control: str | None = "",
    on_progress: Callback | None = None,
    cancel: threading.Event | None = None,
    dry_run: bool = False,
) -> ProbeReport:
    """Ask every probe (or those named in `only`) of every folder.

    `size` is what the write ladder climbs to, `budget` the bytes written on one volume in all, `deadline_s`
    the seconds spent on one, `reserve` the bytes that stay free (default: 5 % of it, at most 10 GiB).
    `control` is a folder on the local disk for comparison ("" = found, None = none). Raises ProbeError when a
    folder does not exist and UsageError for an unknown probe; whatever a volume does is an answer.
    """
    session = _Session(_chosen(only), Plan(size), budget, deadline_s, reserve, on_progress, cancel or threading.Event())
    paths = [absolute(str(path)) for path in mounts]
    try:
        volumes = [session.volume(path) for path in dict.fromkeys(paths)]
        session.plan(volumes)
        if not dry_run:
            session.ask_all(volumes, _control_folder(volumes) if control == "" else control)
    except Cancelled:
        session.report.cancelled = True
    session.report.left_behind = left_behind()
    return session.report


def ask(
    name: str, mount: str, deadline_s: float | None = None, *, cancel: threading.Event | None = None, **options: Any
) -> list[ProbeAnswer]:
    """Ask one probe of one folder: an answer for each of its rungs."""
    probe = _chosen([name])[name]
    allowed = probe.deadline_s if deadline_s is None else deadline_s
    return run_probes([mount], only=[name], deadline_s=allowed, control=None, cancel=cancel, **options).answers


def _chosen(only: Sequence[str]) -> dict[str, Probe]:
    known = all_probes()
    if unknown := [name for name in only if name not in known]:
        raise UsageError(f"no probe is called {unknown[0]}", f"the probes are {', '.join(known)}")
    return {name: probe for name, probe in known.items() if not only or name in only}


@dataclass
class _Session:
    probes: dict[str, Probe]
    plan_: Plan
    budget: int
    deadline_s: float
    reserve: int | None
    on_progress: Callback | None
    cancel: threading.Event
    report: ProbeReport = field(default_factory=ProbeReport)
    steps: list[tuple[Volume, str, Rung]] = field(default_factory=list)
    control: dict[tuple[str, str], dict[str, float]] = field(default_factory=dict)
    begun: float = field(default_factory=time.monotonic)

    def volume(self, path: str) -> Volume:
        """Find out, in a child, what the path really is; a silent volume is taken by its text."""
        answer = _stage.LOCATE.ask(mount_of(path).mount, _stage.ASK_S, cancel=self.cancel, folder=path)
        if answer.error in ("ENOENT", "ENOTDIR"):
            raise ProbeError(f"{path} is no folder ({answer.error})", "name a mounted volume or a folder on one")
        folder = str(answer.values.get("folder", path))
        return Volume(folder, mount_of(folder), self.cancel)

    def plan(self, volumes: Sequence[Volume]) -> None:
        for name, probe in self.probes.items():
            for volume in volumes if probe.about == "mount" else volumes[:1]:
                self.steps += [(volume, name, rung) for rung in probe.rungs(self.plan_)]
        self.steps.sort(key=lambda step: volumes.index(step[0]))
        self.report.planned = [(volume.folder, name, rung.get("written", 0)) for volume, name, rung in self.steps]

    def ask_all(self, volumes: Sequence[Volume], control: str | None) -> None:
        local = Volume(control, mount_of(control), self.cancel, is_control=True) if control else None
        try:
            for number, (volume, name, rung) in enumerate(self.steps):
                if volume.until == float("inf"):
                    volume.until = time.monotonic() + self.deadline_s
                self.step(number, volume, name, rung, local)
        finally:
            for volume in [*volumes, *([local] if local else [])]:
                if not volume.clean():
                    self.report.uncleaned.append(volume.stage)

    def step(self, number: int, volume: Volume, name: str, rung: Rung, local: Volume | None) -> None:
        if self.cancel.is_set():
            raise Cancelled("cancelled")
        probe = self.probes[name]
        self.tell(number, volume, name)
        reason = self.reason_to_skip(volume, probe, rung)
        while volume.failed:
            asked, failed = volume.failed.pop(0)
            self.report.answers.append(probe_answer(asked, volume.point, volume.folder, failed, {}))
        if reason:
            self.report.skipped.append(Skipped(volume.mount, name, reason))
            return
        beside = self.beside(local, name, probe, rung) if local and volume.mount != local.mount else {}
        answer = self.question(volume, probe, rung, lambda said: self.tell(number, volume, name, _doing(said)))
        volume.count(answer)
        volume.written += rung.get("written", 0)
        point = volume.point if probe.about == "mount" else MountPoint("", "", "", (), "")
        fact = probe_answer(name, point, volume.folder if point.mount else "", answer, beside)
        self.report.answers.append(fact)
        self.tell(number + 1, volume, name, answer=fact)

    def question(
        self, volume: Volume, probe: Probe, rung: Rung, on_progress: Callable[[dict[str, Any]], None] | None = None
    ) -> Answer:
        arguments = {key: value for key, value in rung.items() if key != "written"}
        mount = volume.mount if probe.about == "mount" else "/dev/nvidia"
        allowed = min(probe.deadline_s + rung.get("written", 0) / SLOWEST, max(0.5, volume.left_s))
        if probe.paced:
            arguments["seconds"] = PACE * allowed
        return probe.question.ask(
            mount, allowed, cancel=self.cancel, on_progress=on_progress,
            folder=volume.stage if volume.is_control else volume.folder, stage=volume.stage, **arguments,
        )  # fmt: skip

    def reason_to_skip(self, volume: Volume, probe: Probe, rung: Rung) -> str:
        if probe.about != "mount":
            return ""
        if volume.silent >= MOST_SILENT:
            return f"{volume.silent} questions got no answer"
        if volume.left_s < 0.5:
            return f"the {self.deadline_s:g} s for this volume are used up"
        if not probe.stages:
            return ""
        size = rung.get("written", 0)
        if volume.written + size > self.budget:
            return f"it would write {size} bytes more than the budget of {self.budget} allows"
        return volume.lacks_space(size, self.reserve) or volume.make_stage()

    def beside(self, local: Volume, name: str, probe: Probe, rung: Rung) -> dict[str, float]:
        """The same question's values on the local disk, asked once."""
        key = (name, repr(rung))
        if probe.stages and key not in self.control:
            local.until = time.monotonic() + probe.deadline_s
            ready = not self.reason_to_skip(local, probe, rung)
            self.control[key] = numbers(self.question(local, probe, rung).values) if ready else {}
        return self.control.get(key, {})

    def tell(self, done: int, volume: Volume, name: str, doing: str = "", answer: ProbeAnswer | None = None) -> None:
        if self.on_progress:
            spent = time.monotonic() - self.begun
            remaining = spent / done * (len(self.steps) - done) if done else None
            self.on_progress(ProbeProgress(done, len(self.steps), volume.mount, name, doing, answer, remaining))


def _doing(said: dict[str, Any]) -> str:
    return " ".join(str(value) for key, value in said.items() if key in ("at", "path", "done_bytes"))


def _control_folder(volumes: Sequence[Volume]) -> str | None:
    """A local folder to compare with, chosen from the mount table alone."""
    for folder in ("/tmp", "/var/tmp", "/root"):
        point = mount_of(folder)
        if not point.filesystem.network and point.type != "tmpfs" and all(point.mount != v.mount for v in volumes):
            return folder
    return None
