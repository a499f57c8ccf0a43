"""The paper that every plot is drawn on: one style, no pyplot, no mathtext, the same bytes twice.

Importing this module loads matplotlib; the plot functions import it when they are called.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from functools import cache
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Text

from ..evidence import Evidence, Severity
from ..masking import mask
from ..printable import shortened, visible

# Okabe and Ito (2008): told apart with every kind of colour vision, and by brightness in print
BLACK, ORANGE, SKY, GREEN = "#000000", "#E69F00", "#56B4E9", "#009E73"
YELLOW, BLUE, VERMILLION, PURPLE = "#F0E442", "#0072B2", "#D55E00", "#CC79A7"
GREY, PALE = "#6E6E6E", "#D9D9D9"

# colour, marker and size: a black-and-white print still tells them apart by shape
SEVERITY_MARKS: dict[Severity, tuple[str, str, float]] = {
    Severity.INFO: (GREY, ".", 18),
    Severity.WARNING: (ORANGE, "^", 34),
    Severity.CRITICAL: (VERMILLION, "D", 34),
    Severity.FATAL: (BLACK, "X", 52),
}

STYLE: Any = {
    "text.parse_math": False,  # a log line holding $x^ is text
    "font.family": ["DejaVu Sans"],
    "font.size": 9.5,
    "axes.titlesize": 11,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#E6E6E6",
    "figure.facecolor": "white",
    "figure.dpi": 100,
    "svg.hashsalt": "diagnostics",
    "legend.frameon": False,
}


class Picture(Figure):
    """A figure that a notebook shows by itself and whose repr says in words what it shows."""

    _says = ""
    marks: Mapping[str, Sequence[Evidence]] = {}  # which facts the points of a collection stand for, by its gid

    @property
    def says(self) -> str:
        """What it shows, in words: they are stored beside it in notebooks and pages."""
        return visible(mask(self._says))

    @says.setter
    def says(self, words: str) -> None:
        self._says = words

    def draw(self, renderer: Any) -> None:
        """Draw it; whatever was added to it, no text is read as mathematics."""
        with style():
            for text in self.findobj(Text):
                text.set_parse_math(False)
            super().draw(renderer)

    def png(self, dpi: int = 100) -> bytes:
        """The picture as PNG, the same bytes every time."""
        return self._saved("png", dpi=dpi, metadata={"Software": None})

    def svg(self) -> str:
        """The picture as SVG, the same text every time."""
        return self._saved("svg", metadata={"Date": None, "Creator": None}).decode()

    def _saved(self, kind: str, **options: Any) -> bytes:
        buffer = io.BytesIO()
        with style():
            self.savefig(buffer, format=kind, **options)
        return buffer.getvalue()

    def _repr_png_(self) -> bytes:
        return self.png()

    def __repr__(self) -> str:
        return f"<Picture: {self.says}>"

    __str__ = __repr__


@contextmanager
def style() -> Iterator[None]:
    """The house style for as long as it is needed, whatever the caller's own settings are."""
    with mpl.rc_context(STYLE):
        yield


@contextmanager
def picture(width: float, height: float, rows: int = 1, **options: Any) -> Iterator[tuple[Picture, Sequence[Axes]]]:
    """A new picture of `rows` axes under one another, in inches, to be drawn on inside the block."""
    with style():
        figure = Picture(figsize=(width, height), layout="constrained")
        axes = figure.subplots(rows, 1, squeeze=False, **options)
        yield figure, list(axes[:, 0])


@cache
def _glyphs() -> frozenset[int]:
    from matplotlib.font_manager import findfont, get_font

    return frozenset(get_font(findfont("DejaVu Sans")).get_charmap())


def label(text: str, limit: int = 60) -> str:
    """A string of an incident as one short line in the plot's font; what the font lacks becomes a box."""
    return "".join(c if ord(c) in _glyphs() else "□" for c in shortened(mask(text[: limit * 8]), limit))


def dates(axis: Axes, zone: str) -> None:
    """Label an x axis with times, as short as they can be."""
    from matplotlib.dates import AutoDateLocator, ConciseDateFormatter

    locator = AutoDateLocator(tz="UTC", minticks=3, maxticks=9)  # type: ignore[no-untyped-call]
    axis.xaxis.set_major_locator(locator)
    axis.xaxis.set_major_formatter(ConciseDateFormatter(locator, tz="UTC"))  # type: ignore[no-untyped-call]
    axis.set_xlabel(zone)


def numbers(moments: Iterable[datetime]) -> list[float]:
    """Moments as matplotlib's day numbers."""
    from matplotlib.dates import date2num

    return [float(date2num(moment)) for moment in moments]  # type: ignore[no-untyped-call]


def nothing(title: str, why: str) -> Picture:
    """A picture that says why there is nothing to see."""
    with picture(8, 1.6) as (figure, (axes,)):
        axes.set_axis_off()
        axes.set_title(label(title, 100))
        axes.text(0, 0.6, label(why, 120), va="center", color=GREY, transform=axes.transAxes)
        figure.says = f"{title}: {why}"
    return figure
