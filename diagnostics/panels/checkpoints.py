"""Directories of checkpoints: what is whole, where to resume, what pruning would delete (it deletes nothing)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import ipywidgets as widgets

from ..checkpoints import DirectoryHealth, PrunePlan, ResumePoint, Retention, plan_prune, resume_point, verify
from ..errors import DiagnosticsError
from ..printable import escaped
from ._panel import LABELLED, Panel, Picture, button, heading, html, notice, rendered, row, told


class CheckpointsPanel(Panel):
    """Looks at a directory and its mirrors. `sides`, `resume` and `plan` are what it found last."""

    def __init__(self, *directories: str | Path) -> None:
        self.sides: tuple[DirectoryHealth, ...] = ()
        self.resume: ResumePoint | None = None
        self.plan: PrunePlan | None = None
        self.directories = widgets.Textarea(
            value="\n".join(str(each) for each in directories),
            description="Directories",
            placeholder="one a line: the primary first, then its mirrors",
            rows=2,
            style=LABELLED,
            layout=widgets.Layout(flex="1 1 360px"),
        )
        self.deep = widgets.Checkbox(value=False, description="read to the end and compare hashes", indent=False)
        self.keep = widgets.BoundedIntText(value=12, min=1, max=1000, description="Keep newest", style=LABELLED)
        self.keep.layout.width = "160px"
        self.look = button("Verify", self.begin_verifying, style="primary", tooltip="look at every checkpoint")
        self.status, self.where = html(notice("nothing was looked at yet")), html()
        self.map, self.tables, self.pruning = Picture(), html(), html()
        super().__init__(
            row(self.directories),
            row(self.deep, self.keep, self.look),
            self.status,
            self.where,
            self.map.widget,
            self.tables,
            heading("What pruning would delete (a plan: nothing is deleted here)"),
            self.pruning,
        )
        if directories:
            self._verify([Path(each) for each in directories])

    def begin_verifying(self) -> None:
        """Look in the background; `wait` waits for the end."""
        directories = [Path(line.strip()).expanduser() for line in self.directories.value.splitlines() if line.strip()]
        if self.busy:
            return
        if not directories:
            self.status.value = notice("name a directory first", "warning")
            return
        self.status.value = notice("looking")
        self.look.disabled = True
        self.start(lambda: self._verify_safely(directories))

    def _verify_safely(self, directories: Sequence[Path]) -> None:
        try:
            self._verify(directories)
        except Exception as error:
            self.status.value = notice(told(error), "bad")
        finally:
            self.look.disabled = False

    def _verify(self, directories: Sequence[Path]) -> None:
        self.sides = tuple(verify(each, self.deep.value) for each in directories)
        self.plan = plan_prune(*directories, retention=Retention(keep=self.keep.value), deep=self.deep.value)
        try:
            self.resume = resume_point(*directories, deep=self.deep.value)
            self.where.value = self.resume._repr_html_()
        except DiagnosticsError as error:
            self.resume = None
            self.where.value = notice(str(error), "bad")
        self._show()

    def _show(self) -> None:
        from ..plots import plot_checkpoints

        broken = sum(len(side.broken) for side in self.sides)
        found = sum(len(side) for side in self.sides)
        self.map.show(plot_checkpoints(*self.sides))
        self.tables.value = rendered("".join(side._repr_html_() for side in self.sides))
        self.pruning.value = rendered(self.plan._repr_html_() if self.plan else "")
        self.status.value = notice(f"{found} found, {broken} broken", "bad" if broken else "good")

    def _html(self) -> str:
        return "".join(side._repr_html_() for side in self.sides) or f"<p>{escaped(repr(self))}</p>"

    def __repr__(self) -> str:
        counts = "; ".join(f"{side.directory.name}: {side.counts}" for side in self.sides)
        where = f"; resume from step {self.resume.step}" if self.resume else ""
        return f"<CheckpointsPanel: {counts or 'nothing was looked at yet'}{where}>"
