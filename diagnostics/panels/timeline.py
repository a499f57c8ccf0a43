"""All the evidence on one axis, brushed by source, severity, rank and subject; a click shows the raw lines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import ipywidgets as widgets

from ..archives import artefacts
from ..errors import UnreadableInput
from ..evidence import Evidence, Severity, Source
from ..incident import Incident
from ..printable import escaped, format_citation, shortened, visible
from ..text import Text
from ._panel import LABELLED, SOFT, Panel, Picture, heading, html, notice, row

LISTED = 400
AROUND = 4
PANEL_INCHES = 8.2  # fits beside the file browser on a screen of 1280 pixels
ALL = "all"


class TimelinePanel(Panel):
    """Shows `incident` in time. `paths` are where it was opened from, to read the lines around a fact.

    The list below the picture does with the keyboard what a click does.
    """

    def __init__(self, incident: Incident, paths: Sequence[str | Path] = (), *, zoom: bool = True) -> None:
        self.incident, self.paths = incident, tuple(paths)
        self.shown: list[Evidence] = []
        self._listed: list[Evidence] = []
        files = sorted({fact.source.file for fact in incident.evidence})
        ranks = sorted({fact.subject.rank for fact in incident.evidence if fact.subject.rank is not None})
        self.source = _choice("Source", [ALL, *files])
        self.severity = _choice("At least", [each.value for each in Severity])
        self.rank = _choice("Rank", [ALL, *(str(rank) for rank in ranks)])
        self.kind = _choice("Kind", [ALL, *sorted({fact.kind for fact in incident.evidence})])
        self.subject = widgets.Text(
            description="Subject or text", placeholder="a pid, path, mount, word", style=LABELLED
        )
        self.zoomed = _zoomed(incident, self._on_pick) if zoom else None
        self.canvas = Picture()
        self.facts = widgets.Select(options=[], rows=8, layout=widgets.Layout(width="100%"), description="")
        self.count, self.lines = html(), html(notice("choose a fact, or click its mark, to see the lines around it"))
        for each in (self.source, self.severity, self.rank, self.kind, self.subject):
            each.observe(lambda _: self._brush(), names="value")
        self.facts.observe(lambda _: self._show_chosen(), names="value")
        super().__init__(
            row(self.source, self.severity, self.rank, self.kind, self.subject),
            (self.zoomed or self.canvas).widget,
            self.count,
            self.facts,
            heading("Lines around it"),
            self.lines,
        )
        self._brush()

    def _brush(self) -> None:
        at_least = list(Severity).index(Severity(self.severity.value))
        words = self.subject.value.strip().lower()
        self.shown = [
            fact
            for fact in self.incident.evidence
            if self.source.value in (ALL, fact.source.file)
            and self.kind.value in (ALL, fact.kind)
            and self.rank.value in (ALL, str(fact.subject.rank))
            and list(Severity).index(fact.severity) >= at_least
            and (not words or words in f"{fact.subject} {fact.source.quote}".lower())
        ]
        self._draw()
        listed = sorted(self.shown, key=self._order)[:LISTED]
        self._listed = listed
        self.facts.options = [(self._line(fact), number) for number, fact in enumerate(listed)]
        self.facts.value = None
        more = f", the first {LISTED} listed" if len(self.shown) > LISTED else ""
        self.count.value = f"<span style='{SOFT}'>{len(self.shown)} of {len(self.incident.evidence)} facts{more}</span>"

    def _order(self, fact: Evidence) -> tuple[bool, float]:
        at = self.incident.timeline.at(fact)
        return (at is None, at.timestamp() if at else 0.0)

    def _line(self, fact: Evidence) -> str:
        at = self.incident.timeline.at(fact)
        when = f"{at:%T}" if at else "--:--:--"
        return f"{when}  {fact.severity.value:8}  {fact.kind}  {shortened(fact.source.quote.strip(), 110)}"

    def _draw(self) -> None:
        from ..plots import plot_timeline

        if self.zoomed is None:
            self.canvas.show(plot_timeline(self.incident, facts=self.shown))
        else:
            self.zoomed.draw(self.incident, self.shown)

    def _on_pick(self, fact: Evidence) -> None:
        number = next((number for number, each in enumerate(self._listed) if each is fact), None)
        if number is None:
            self.show_lines(fact.source)
        else:
            self.facts.value = number

    def _show_chosen(self) -> None:
        if self.facts.value is not None:
            self.show_lines(self._listed[self.facts.value].source)

    def show_lines(self, source: Source) -> None:
        """Show the lines around a source, with the line itself marked."""
        try:
            lines = lines_around(self.paths, source)
        except UnreadableInput as error:
            self.lines.value = notice(str(error), "bad")
            return
        body = "".join(
            "<div style="
            f"'{'background: var(--jp-warn-color3, #ffe0b2); color: #000' if number == source.line else ''}'>"
            f"<span style='opacity: 0.6'>{number:>6}  </span>{escaped(text)}</div>"
            for number, text in lines
        )
        self.lines.value = (
            f"<div style='{SOFT}'>{escaped(format_citation(source))}</div><pre style='white-space: pre-wrap; "
            f"overflow-wrap: anywhere; margin: 0; color: var(--jp-content-font-color1)'>{body}</pre>"
        )

    def __repr__(self) -> str:
        from ..plots import plot_timeline

        return f"<TimelinePanel: {plot_timeline(self.incident, facts=self.shown).says}>"


def _choice(words: str, options: list[str]) -> widgets.Dropdown:
    shown = [(shortened(visible(option), 40), option) for option in options]
    made = widgets.Dropdown(options=shown, value=options[0], description=words, style=LABELLED)
    made.layout.width = "auto"
    return made


def _zoomed(incident: Incident, on_pick: Callable[[Evidence], None]) -> ZoomedTimeline | None:
    """A timeline to zoom and click, or None where ipympl is missing or nothing has a time."""
    from ..plots.timeline import dated_of

    if not dated_of(incident, incident.evidence):
        return None
    try:
        return ZoomedTimeline(incident, on_pick)
    except ImportError:
        return None


class ZoomedTimeline:
    """One timeline that can be zoomed and clicked, drawn again whenever other facts are chosen."""

    def __init__(self, incident: Incident, on_pick: Callable[[Evidence], None]) -> None:
        from ipympl.backend_nbagg import Canvas, FigureManager

        from ..plots.canvas import Picture
        from ..plots.timeline import dated_of, height_of

        height = height_of(dated_of(incident, incident.evidence))
        self.figure = Picture(figsize=(PANEL_INCHES, height), layout="constrained")
        self.on_pick = on_pick
        self.widget = Canvas(self.figure)
        FigureManager(self.widget, 0)
        self.widget.header_visible = self.widget.footer_visible = False
        self.widget.toolbar_position = "right"
        self.widget.mpl_connect("pick_event", self._picked)

    def draw(self, incident: Incident, facts: Sequence[Evidence]) -> None:
        """Draw these facts in place of what is drawn."""
        from ..plots.canvas import style
        from ..plots.timeline import dated_of, draw_timeline

        dated = dated_of(incident, facts)
        with style():
            self.figure.clear()
            axes = self.figure.subplots()
            if dated:
                draw_timeline(self.figure, axes, dated, len(facts))
            else:
                self.figure.marks = {}
                axes.set_axis_off()
                axes.text(0, 0.5, f"none of the {len(facts)} facts chosen has a time", transform=axes.transAxes)
        for mark in axes.collections:
            mark.set_picker(6)
        self.widget.draw_idle()

    def _picked(self, event: Any) -> None:
        marks = self.figure.marks.get(event.artist.get_gid(), [])
        if marks and len(event.ind):
            self.on_pick(marks[event.ind[0]])


def lines_around(paths: Sequence[str | Path], source: Source, around: int = AROUND) -> list[tuple[int, str]]:
    """The lines around a source, shortened, with their numbers; the quote alone where its file is out of reach.

    Raises UnreadableInput when a path is gone.
    """
    if source.line:
        for artefact in artefacts(*paths):
            if artefact.name == source.file and not artefact.problem:
                first = max(source.line - around, 1)
                lines = list(Text(artefact.name, artefact.data).lines())[first - 1 : source.line + around]
                return [(each.number, shortened(each.text, 600)) for each in lines]
    return [(source.line, shortened(source.quote, 600))]
