"""The chain behind an answer: what happened on the left, who was tied to whom on the right."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..chain import Link, events, heading, ties
from ..diagnosis import Diagnosis
from ..printable import format_citation, shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .canvas import Picture

WIDTH = 72  # characters in a box
LINE = 0.19  # inches
GAP = 0.30


def plot_chain(diagnosis: Diagnosis) -> Picture:
    """Boxes in order, each with its time and the line it was read from, joined by arrows."""
    from .canvas import BLUE, ORANGE, nothing, picture

    title = heading(diagnosis)
    happened, tied = events(diagnosis), ties(diagnosis)
    lanes = [
        (name, links, colour)
        for name, links, colour in (("what happened", happened, BLUE), ("who was tied to whom", tied, ORANGE))
        if links
    ]
    if not lanes:
        return nothing(title, "no cause leads, so nothing is chained")
    height = max(sum(_height(link) + GAP for link in links) for _, links, _ in lanes) + 0.75
    with picture(5.6 * len(lanes), height) as (figure, (axes,)):
        axes.set_axis_off()
        axes.set_xlim(0, 5.6 * len(lanes))
        axes.set_ylim(height, 0)
        axes.set_title(title)
        for lane, (name, links, colour) in enumerate(lanes):
            axes.text(lane * 5.6 + 0.1, 0.15, name, color=colour, weight="bold")
            _draw_lane(axes, lane * 5.6 + 0.1, links, colour)
        figure.says = " -> ".join(shortened(link.text, 90) for link in (tied or happened))
    return figure


def _text(link: Link) -> list[str]:
    from .canvas import label

    said = textwrap.wrap(label(link.text, 300), WIDTH, break_long_words=True)[:5]
    when = f"{link.when}  " if link.at else ""
    cited = label(", ".join(format_citation(source) for source in link.sources[:2]), WIDTH - len(when))
    return [*said, f"{when}{cited}"] if when or cited else said


def _height(link: Link) -> float:
    return LINE * len(_text(link)) + 0.12


def _draw_lane(axes: Axes, left: float, links: Sequence[Link], colour: str) -> None:
    from matplotlib.patches import FancyBboxPatch

    top = 0.40
    for number, link in enumerate(links):
        lines, height = _text(link), _height(link)
        axes.add_patch(
            FancyBboxPatch(
                (left, top), 5.2, height, boxstyle="round,pad=0.02", facecolor="white", edgecolor=colour, linewidth=1.2
            )
        )
        for row, line in enumerate(lines):
            small = row == len(lines) - 1 and bool(link.at or link.sources)
            axes.text(
                left + 0.1,
                top + 0.06 + LINE * (row + 0.5),
                line,
                va="center",
                fontsize=7.5 if small else 9,
                color="#5A5A5A" if small else "black",
            )
        if number < len(links) - 1:
            axes.annotate(
                "",
                (left + 2.6, top + height + GAP - 0.03),
                (left + 2.6, top + height + 0.03),
                arrowprops={"arrowstyle": "-|>", "color": colour},
            )
        top += height + GAP
