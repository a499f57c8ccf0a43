"""What each symptom says for and against each rival, in bits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..diagnosis import Diagnosis
from ..display import states_of

if TYPE_CHECKING:
    from .canvas import Picture

TITLE = "What each symptom says for and against the leading causes (bits)"
MAX_SYMPTOMS = 14


def plot_weights(diagnosis: Diagnosis, *, top: int = 3) -> Picture:
    """Grouped bars: a row per symptom, a bar per hypothesis; right of zero speaks for it, left against."""
    from .canvas import BLUE, GREEN, ORANGE, PURPLE, SKY, label, nothing, picture

    weights = diagnosis.weights.iloc[:, :top]
    moving = weights[weights.abs().max(axis=1) >= 0.05] if len(weights.columns) else weights
    if not len(moving):
        return nothing(TITLE, "no symptom speaks for or against any cause")
    order = moving.abs().max(axis=1).sort_values(ascending=False, kind="stable").index.unique()[:MAX_SYMPTOMS]
    table = moving.groupby(level=0).sum().loc[order]
    looks = [(BLUE, ""), (ORANGE, "///"), (GREEN, "..."), (PURPLE, "xxx"), (SKY, "\\\\\\")]
    thick = 0.8 / len(table.columns)
    with picture(9.5, 1.5 + (0.14 + 0.16 * len(table.columns)) * len(table)) as (figure, (axes,)):
        for column, name in enumerate(table.columns):
            colour, hatch = looks[column % len(looks)]
            axes.barh(
                [row + (column + 0.5) * thick - 0.4 for row in range(len(table))],
                [float(value) for value in table.iloc[:, column]],
                thick,
                color=colour,
                hatch=hatch,
                edgecolor="#404040",
                linewidth=0.4,
                label=label(str(name), 70),
            )
        axes.axvline(0, color="black", linewidth=0.8)
        states = states_of(diagnosis)
        axes.set_yticks(
            range(len(table)), [label(f"{name} ({states.get(name, 'of the artefacts')})", 60) for name in table.index]
        )
        axes.set_ylim(len(table) - 0.5, -0.5)
        axes.set_title(TITLE)
        axes.set_xlabel("against  ←  bits  →  for")
        figure.legend(loc="outside lower left")
        figure.says = "; ".join(
            f"{name}: {table.iloc[:, 0].loc[name]:+.1f} bits for {table.columns[0]}" for name in list(table.index)[:3]
        )
    return figure
