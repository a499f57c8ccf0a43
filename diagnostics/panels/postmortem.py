"""The write-up: fill in what only people know, see it, and save it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import ipywidgets as widgets

from ..diagnosis import Diagnosis
from ..postmortem import FORMATS, MASKS, Blank, Rates, Section, read_written, save, write_postmortem
from ..postmortem.document import items_of
from ..postmortem.page import format_page
from ..printable import shortened, visible
from ._panel import LABELLED, Panel, button, html, notice, row, told

PREVIEW_HEIGHT = "480px"


class PostmortemPanel(Panel):
    """Edits, previews and saves the write-up of a diagnosis. `postmortem` is what is shown.

    Parameters
    ----------
    incident : what was opened, for the notebook's cells
    path : where to save; what people wrote there before is read back
    """

    def __init__(self, diagnosis: Diagnosis, incident: Sequence[str | Path] = (), path: str = "postmortem.md") -> None:
        self.diagnosis, self.incident = diagnosis, tuple(incident)
        self.path = widgets.Text(value=path, description="Save as", style=LABELLED, continuous_update=False)
        self.path.layout.flex = "1 1 320px"
        self.gpus = widgets.BoundedIntText(value=0, min=0, max=100_000, description="GPUs", style=LABELLED)
        self.rate = widgets.BoundedFloatText(
            value=0.0, min=0.0, max=1e6, description="USD per GPU-hour", style=LABELLED
        )
        self.masks = {kind: widgets.Checkbox(value=False, description=f"mask {kind}", indent=False) for kind in MASKS}
        for box in self.masks.values():
            box.layout.width = "auto"
        self.gpus.layout.width, self.rate.layout.width = "150px", "220px"
        written = read_written(path)
        self.postmortem = write_postmortem(diagnosis, written=written)
        self.blanks = {item.key: _field(item) for item in self.postmortem.items if isinstance(item, Blank)}
        parts = [(section, _fields(section, self.blanks)) for section in self.postmortem.sections]
        filled = [(section.title, fields) for section, fields in parts if fields]
        self.fields = widgets.Accordion(
            [widgets.VBox(fields) for _, fields in filled],
            titles=tuple(title for title, _ in filled),
            layout=widgets.Layout(width="100%"),
        )
        self.preview, self.status = html(), html()
        self._drawn: dict[str, str] = {}
        exports = [
            button(f"Save {ending}", partial(self.save, ending), tooltip=f"write it as {ending}") for ending in FORMATS
        ]
        super().__init__(
            row(self.path, self.gpus, self.rate, button("Preview", self.show, style="primary")),
            row(*self.masks.values()),
            row(*exports),
            self.status,
            self.fields,
            self.preview,
        )
        self.show()

    @property
    def written(self) -> dict[str, str]:
        """What people wrote, by the key of the blank."""
        return {key: field.value.strip() for key, field in self.blanks.items() if field.value.strip()}

    def show(self) -> None:
        """Make the write-up of what is filled in, and show it."""
        rates = Rates(self.gpus.value or None, self.rate.value or None)
        mask = [kind for kind, box in self.masks.items() if box.value]
        self.postmortem = write_postmortem(self.diagnosis, written=self.written, rates=rates, mask=mask)
        self.preview.value = framed(format_page(self.postmortem, {} if mask else self._drawn))
        left = len(self.postmortem.blanks)
        self.status.value = notice(f"{len(self.postmortem.cited)} lines cited, {left} blanks to fill in")

    def save(self, ending: str) -> Path | None:
        """Save it beside `path` with that ending; None, and a word why, when that fails."""
        self.show()
        target = Path(self.path.value.strip() or "postmortem").expanduser().with_suffix(ending)
        try:
            read_written(target)  # refuses a file that is somebody's own
            save(self.postmortem, target, incident=self.incident)
        except Exception as error:
            self.status.value = notice(told(error), "bad")
            return None
        self.status.value = notice(f"saved {target}, {target.stat().st_size:,} bytes", "good")
        return target

    def __repr__(self) -> str:
        return f"<PostmortemPanel: {self.postmortem!r}>"


def _field(blank: Blank) -> widgets.Textarea:
    return widgets.Textarea(
        value=blank.written,
        description=shortened(blank.label, 80),
        placeholder=visible(blank.label),
        rows=2,
        style={"description_width": "300px"},
        layout=widgets.Layout(width="100%"),
    )


def _fields(section: Section, blanks: dict[str, widgets.Textarea]) -> list[widgets.Textarea]:
    keys = [item.key for block in section.blocks for item in items_of(block) if isinstance(item, Blank)]
    return [blanks[key] for key in keys]


def framed(page: str) -> str:
    """The page in a frame of its own: its styles stay inside and nothing in it may run."""
    import html as markup

    page = markup.escape(page)
    return (
        f"<iframe sandbox='' title='preview of the write-up' srcdoc='{page}' "
        f"style='width: 100%; height: {PREVIEW_HEIGHT}; border: 1px solid var(--jp-border-color1, #bdbdbd)'></iframe>"
    )
