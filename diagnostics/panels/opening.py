"""Open an incident: a path on this machine, files from the browser, or what this pod can tell."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Callable, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

import ipywidgets as widgets

from ..diagnosis import Diagnosis, diagnose
from ..display import show_coverage
from ..incident import Incident, open_incident
from ..printable import shortened
from ._panel import LABELLED, Panel, button, html, notice, rendered, row, told

Opened = Callable[["OpenPanel"], None]


class OpenPanel(Panel):
    """Choose what to open. `incident` and `diagnosis` are None until something was opened.

    With a path it opens at once, and raises UnreadableInput as `open_incident` does.
    """

    def __init__(self, *paths: str | Path) -> None:
        self.incident: Incident | None = None
        self.diagnosis: Diagnosis | None = None
        self.paths: tuple[Path, ...] = ()
        self._told: list[Opened] = []
        self.path = widgets.Text(
            value=str(paths[0]) if paths else "",
            description="Folder, archive or file",
            placeholder="sample_logs/five_symptoms",
            continuous_update=False,
            style=LABELLED,
            layout=widgets.Layout(flex="1 1 320px"),
        )
        self.upload = widgets.FileUpload(multiple=True, description="Upload files", tooltip="log files, or an archive")
        self.upload.observe(self._on_upload, names="value")
        self.progress = widgets.IntProgress(min=0, max=1, description="", layout=widgets.Layout(width="220px"))
        self.status, self.coverage = html(notice("nothing is open yet")), html()
        self.collect = button("Collect from this pod", self._on_collect, tooltip="ask this machine, without hanging")
        self.open = button("Open", self._on_open, style="primary")
        self.path.observe(lambda _: self._on_open(), names="value")
        super().__init__(
            row(self.path, self.open, self.upload, self.collect), self.progress, self.status, self.coverage
        )
        if paths:
            self._show(*_read(paths, self._progress), paths)

    def on_open(self, act: Opened) -> None:
        """Call something whenever another incident is open."""
        self._told.append(act)

    def _on_open(self) -> None:
        if self.path.value.strip() and not self.busy:
            self._open_in_thread([Path(self.path.value.strip()).expanduser()])

    def _on_upload(self, change: dict[str, Any]) -> None:
        if change["new"] and not self.busy:
            self._open_in_thread(self._stored(change["new"]))

    def _on_collect(self) -> None:
        if not self.busy:
            self.status.value = notice("collecting; every question has a deadline")
            self.start(self._collect)

    def _collect(self) -> None:
        from ..collect import collect

        folder = Path(tempfile.mkdtemp(prefix="incident-"))
        try:
            collect(folder, on_progress=self._collected)
        except Exception as error:
            self.status.value = notice(told(error), "bad")
            return
        self._open([folder])

    def _collected(self, done: int, total: int, collector: str) -> None:
        self.progress.max, self.progress.value = total, done
        self.progress.description = f"{done} of {total}"
        self.status.value = notice(f"collecting; every question has a deadline: {collector} has answered")

    def _open_in_thread(self, paths: Sequence[Path]) -> None:
        self.status.value = notice(f"opening {', '.join(path.name for path in paths)}")
        self.start(lambda: self._open(paths))

    def _open(self, paths: Sequence[Path]) -> None:
        try:
            self._show(*_read(paths, self._progress), paths)
        except Exception as error:  # the panel stays usable whatever an incident holds
            self.status.value = notice(told(error), "bad")

    def _progress(self, done: int, name: str) -> None:
        self.progress.max = max(self.progress.max, done + 1)
        self.progress.value = done
        self.progress.description = f"{done} files"

    def _show(self, incident: Incident, diagnosis: Diagnosis, paths: Sequence[str | Path]) -> None:
        self.incident, self.diagnosis = incident, diagnosis
        self.paths = tuple(Path(path) for path in paths)
        self.progress.value = self.progress.max = max(self.progress.value, 1)
        unread = incident.unread
        self.status.value = notice(shortened(repr(incident), 300), "warning" if unread else "good")
        self.coverage.value = (
            f"<details><summary>what was read</summary>{rendered(show_coverage(incident)._repr_html_())}</details>"
        )
        for act in self._told:
            act(self)

    def _stored(self, files: Sequence[dict[str, Any]]) -> list[Path]:
        """Uploaded files in a private folder; of their names only the last part is kept."""
        folder = tempfile.mkdtemp(prefix="uploads-")
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        found: list[Path] = []
        for number, each in enumerate(files):
            name = PurePosixPath(str(each["name"]).replace("\\", "/").replace("\0", "")).name
            path = Path(folder, name if name not in ("", ".", "..") else f"file-{number}")
            if path.exists():
                path = path.with_name(f"{number}-{path.name}")
            path.write_bytes(each["content"])
            found.append(path)
        return found

    def __repr__(self) -> str:
        return f"<OpenPanel: {self.incident!r}>" if self.incident else "<OpenPanel: nothing is open yet>"


def _read(paths: Sequence[str | Path], progress: Callable[[int, str], None]) -> tuple[Incident, Diagnosis]:
    incident = open_incident(*paths, on_progress=progress)
    return incident, diagnose(incident)
