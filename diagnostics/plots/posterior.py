"""How probable each cause is: the answer and its rivals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..diagnosis import Diagnosis
from ..evidence import NOBODY

if TYPE_CHECKING:
    from .canvas import Picture

TITLE = "How probable is each cause"


def plot_posterior(diagnosis: Diagnosis, *, top: int = 8) -> Picture:
    """A bar per hypothesis, most probable first; the answer is filled, its rivals are hatched."""
    from .canvas import BLUE, PALE, label, nothing, picture

    shown = diagnosis.hypotheses[:top]
    if not shown:
        return nothing(TITLE, "no cause can be weighed: no symptom was looked for")
    with picture(8.5, 1.1 + 0.34 * len(shown)) as (figure, (axes,)):
        for row, each in enumerate(shown):
            chosen = each in diagnosis.answer
            axes.barh(
                row,
                each.posterior,
                0.68,
                color=BLUE if chosen else PALE,
                edgecolor="#404040",
                linewidth=0.6,
                hatch="" if chosen else "///",
            )
            bits = f"{each.bits:+.1f} bits"
            axes.text(each.posterior + 0.01, row, f"{each.posterior:.1%}   {bits}", va="center", fontsize=8.5)
        where = [f" on {each.subject}" if each.subject != NOBODY else "" for each in shown]
        axes.set_yticks(range(len(shown)), [label(e.slug + w, 56) for e, w in zip(shown, where, strict=True)])
        axes.set_ylim(len(shown) - 0.5, -0.5)
        axes.set_xlim(0, 1.34)
        axes.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0 %", "25 %", "50 %", "75 %", "100 %"])
        axes.set_title(f"{TITLE}; verdict: {diagnosis.verdict.value}")
        axes.grid(axis="y", visible=False)
        figure.says = "; ".join(f"{each.slug} {each.posterior:.1%}" for each in shown[:4])
    return figure
