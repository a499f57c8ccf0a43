"""Ask a mounted volume live: start, watch the latencies arrive, cancel; then see whether the verdict moves."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import ipywidgets as widgets

from ..diagnosis import Diagnosis, diagnose
from ..evidence.probe import ProbeAnswer
from ..filesystems import KERNEL
from ..mounttable import MountPoint, read_mount_table
from ..printable import escaped
from ..probes import MIB, ProbeProgress, ProbeReport, all_probes, run_probes
from ._panel import LABELLED, Panel, Picture, button, heading, html, notice, row, told


class ProbePanel(Panel):
    """Probes chosen volumes in the background. `report` is what came back last, `diagnosis` what it makes of it.

    Parameters
    ----------
    mounts : offered beside the mounts of this machine, and chosen at the start
    diagnosis : judged again with the answers when the probes end
    """

    def __init__(self, mounts: Sequence[str] = (), diagnosis: Diagnosis | None = None) -> None:
        self.report = ProbeReport()
        self.diagnosis = diagnosis
        self._cancel = threading.Event()
        self._answers: list[ProbeAnswer] = []
        table = [point for point in read_mount_table() if point.filesystem is not KERNEL]
        table.sort(key=lambda point: not point.filesystem.network)  # the usual suspects first
        found = {point.mount: _named(point) for point in table}
        options = [(words, mount) for mount, words in found.items()]
        options += [(str(mount), str(mount)) for mount in mounts if str(mount) not in found]
        self.mounts = widgets.SelectMultiple(
            options=options,
            value=[str(mount) for mount in mounts],
            rows=min(max(len(options), 2), 6),
            description="Volumes",
            style=LABELLED,
            layout=widgets.Layout(width="100%"),
        )
        self.questions = widgets.SelectMultiple(
            options=[(f"{name}: {probe.title}", name) for name, probe in all_probes().items()],
            rows=4,
            description="Questions (none chosen: all)",
            style=LABELLED,
            layout=widgets.Layout(width="100%"),
        )
        self.size = _number("Largest file, MiB", [1, 8, 64, 256, 1024, 4096], 64)
        self.budget = _number("Write at most, MiB", [64, 256, 1024, 10240], 1024)
        self.deadline = _number("Seconds a volume", [10, 30, 120, 600], 30)
        self.begin = button("Start", self.begin_probing, style="primary", tooltip="ask every question of these volumes")
        self.stop = button("Cancel", self._cancel.set, style="warning", tooltip="stop at once and clean up")
        self.stop.disabled = True
        self.progress = widgets.IntProgress(min=0, max=1, layout=widgets.Layout(width="240px"))
        self.doing, self.status = html(), html(notice("nothing was asked yet"))
        self.latency, self.ladder, self.answers = Picture(), Picture(), html()
        super().__init__(
            self.mounts,
            self.questions,
            row(self.size, self.budget, self.deadline, self.begin, self.stop),
            row(self.progress, self.doing),
            self.status,
            self.latency.widget,
            self.ladder.widget,
            heading("Answers"),
            self.answers,
        )

    def begin_probing(self) -> None:
        """Start in the background; `wait` waits for the end."""
        if self.busy:
            return
        if not self.mounts.value:
            self.status.value = notice("choose a volume first", "warning")
            return
        self._cancel.clear()
        self._answers = []
        self.latency.clear()
        self.ladder.clear()
        self.progress.value, self.progress.max = 0, 1
        self.begin.disabled, self.stop.disabled = True, False
        self.status.value = notice(f"asking {', '.join(self.mounts.value)}")
        self.start(self._probe)

    def _probe(self) -> None:
        try:
            self.report = run_probes(
                list(self.mounts.value),
                only=list(self.questions.value),
                size=self.size.value * MIB,
                budget=self.budget.value * MIB,
                deadline_s=float(self.deadline.value),
                on_progress=self._on_progress,
                cancel=self._cancel,
            )
            self._show_end()
        except Exception as error:
            self.status.value = notice(told(error), "bad")
        finally:
            self.begin.disabled, self.stop.disabled = False, True
            self.doing.value = ""

    def _on_progress(self, progress: ProbeProgress) -> None:
        self.progress.max, self.progress.value = max(progress.total, 1), progress.done
        left = f", about {progress.remaining_s:.0f} s left" if progress.remaining_s is not None else ""
        what = f"{progress.done} of {progress.total}: {progress.probe} {progress.mount} {progress.doing}{left}"
        self.doing.value = escaped(what)
        if progress.answer is not None:
            self._answers.append(progress.answer)
            self._draw(self._answers)

    def _draw(self, answers: Sequence[ProbeAnswer]) -> None:
        from ..plots import plot_latency, plot_write_ladder

        self.latency.show(plot_latency(answers))
        if any(each.probe.startswith("write-") for each in answers):
            self.ladder.show(plot_write_ladder(answers))

    def _show_end(self) -> None:
        report = self.report
        self.answers.value = f"<pre style='color: var(--jp-content-font-color1)'>{escaped(repr(report))}</pre>"
        silent = [each for each in report.answers if each.outcome == "silent"]
        said = f"{len(report.answers)} questions asked, {len(silent)} without an answer"
        if report.cancelled:
            said = f"cancelled; {said}"
        tone = {"info": "good", "warning": "warning"}.get(report.worst.value, "bad")
        if self.diagnosis is not None and report.answers:
            before = self.diagnosis
            self.diagnosis = diagnose(before.incident.with_evidence(report.answers))
            said = f"{said}. Before: {before.headline}. Now: {self.diagnosis.headline}"
        self.status.value = notice(said, tone)

    def __repr__(self) -> str:
        chosen = ", ".join(self.mounts.value) or "no volume chosen"
        return f"<ProbePanel: {chosen}; {len(self.report.answers)} answers>"


def _named(point: MountPoint) -> str:
    kind = point.filesystem
    return f"{point.mount}  ({kind.title}{', over the network' if kind.network else ''})"


def _number(words: str, options: list[int], value: int) -> widgets.Dropdown:
    made = widgets.Dropdown(options=options, value=value, description=words, style=LABELLED)
    made.layout.width = "auto"
    return made
