"""Which steps are whole on which side, and what is wrong with the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..checkpoints import DirectoryHealth

if TYPE_CHECKING:
    from .canvas import Picture

TITLE = "Checkpoints by step and side"


def plot_checkpoints(*sides: DirectoryHealth) -> Picture:
    """A row per side, a mark per artefact that tells its step; shape and colour say its state."""
    from .canvas import BLACK, GREEN, GREY, ORANGE, PURPLE, VERMILLION, label, nothing, picture

    looks = {
        "complete": (GREEN, "o"),
        "unlisted": (GREY, "s"),
        "staging": (PURPLE, "P"),
        "truncated": (VERMILLION, "v"),
        "altered": (ORANGE, "X"),
        "unreadable": (BLACK, "D"),
    }
    found = [(row, each) for row, side in enumerate(sides) for each in side if each.step is not None]
    unplaced = sum(len(side) for side in sides) - len(found)
    if not found:
        return nothing(TITLE, f"no checkpoint that tells its step in {len(sides)} directories")
    with picture(10, 1.6 + 0.55 * len(sides)) as (figure, (axes,)):
        for state, (colour, marker) in looks.items():
            mine = [(each.step, row) for row, each in found if each.state == state]
            if mine:
                axes.scatter(
                    [float(step or 0) for step, _ in mine],
                    [row for _, row in mine],
                    70,
                    color=colour,
                    marker=marker,
                    edgecolors="black",
                    linewidths=0.4,
                    label=f"{state} ({len(mine)})",
                )
        for row, side in enumerate(sides):
            steps = [each.step for each in side if each.state == "complete" and each.step is not None]
            if steps:
                axes.annotate(
                    f"newest whole: {max(steps)}",
                    (max(steps), row),
                    xytext=(0, -15),
                    textcoords="offset points",
                    ha="center",
                    fontsize=8,
                )
        axes.set_yticks(range(len(sides)), [label(str(side.directory), 44) for side in sides])
        axes.set_ylim(len(sides) - 0.3, -0.7)
        axes.set_xlabel("step")
        axes.set_title(TITLE + (f"; {unplaced} tell no step" if unplaced else ""))
        axes.legend(loc="upper left", bbox_to_anchor=(1, 1), borderaxespad=0.2)
        figure.says = "; ".join(
            f"{label(side.directory.name, 30)}: {', '.join(f'{n} {state}' for state, n in side.counts.items())}"
            for side in sides
        )
    return figure
