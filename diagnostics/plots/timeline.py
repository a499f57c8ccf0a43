"""All the evidence of an incident on one axis: a row per file, a mark per fact."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from ..evidence import Evidence, Severity, Source
from ..incident import Incident
from ..timeline import named_zone

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .canvas import Picture

MAX_ROWS = 24
TITLE = "What every source saw, and when"
Dated = tuple[datetime, Evidence]


def plot_timeline(
    incident: Incident, *, facts: Collection[Evidence] | None = None, cited: Collection[Source] = ()
) -> Picture:
    """A row per file, a mark per fact, in UTC or, where nothing says the zone, in local time.

    Parameters
    ----------
    facts : draw only these, or every fact of the incident
    cited : sources of the facts to ring, such as those that a diagnosis rests on
    """
    from .canvas import nothing, picture

    chosen = incident.evidence if facts is None else facts
    dated = dated_of(incident, chosen)
    if not dated:
        return nothing(TITLE, f"none of the {len(chosen)} facts has a time that can be placed on the calendar")
    with picture(11, height_of(dated)) as (figure, (axes,)):
        draw_timeline(figure, axes, dated, len(chosen), cited)
    return figure


def dated_of(incident: Incident, facts: Collection[Evidence]) -> list[Dated]:
    """Those of the facts whose moment is known, earliest first."""
    wanted = {id(fact) for fact in facts}
    return [pair for pair in incident.timeline.ordered if id(pair[1]) in wanted]


def height_of(dated: Sequence[Dated]) -> float:
    """The height that the rows need, in inches."""
    return 1.5 + 0.24 * len(rows_of(in_window(dated)[0]))


def draw_timeline(
    figure: Picture, axes: Axes, dated: Sequence[Dated], total: int, cited: Collection[Source] = ()
) -> None:
    """Draw facts on axes of a figure; `total` is how many there are with those that have no time."""
    from .canvas import dates, label

    shown, outside = in_window(dated)
    rows = rows_of(shown)
    names = list(rows)
    figure.marks = _draw_marks(axes, rows)
    rings = _draw_rings(axes, rows, cited) if cited else 0
    axes.set_yticks(range(len(names)), [label(name, 34) for name in names])
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.set_title(TITLE)
    zone = named_zone(at for at, _ in shown)
    dates(axes, zone)
    axes.legend(loc="upper left", bbox_to_anchor=(1, 1), borderaxespad=0.2)
    notes = []
    if outside:
        notes.append(f"{outside} facts lie outside the time of the trouble")
    if total - len(dated):
        notes.append(f"{total - len(dated)} facts have no time of their own")
    axes.set_title("; ".join(notes), loc="right", fontsize=8, color="#6E6E6E")
    span = f"{shown[0][0]:%F %T} to {shown[-1][0]:%F %T} {zone}"
    figure.says = f"{len(shown)} of {total} facts from {len(names)} sources, {span}" + (
        f", {rings} of them cited" if cited else ""
    )


def _draw_marks(axes: Axes, rows: Mapping[str, Sequence[Dated]]) -> dict[str, list[Evidence]]:
    from .canvas import SEVERITY_MARKS, numbers

    marks = {}
    for severity, (colour, marker, size) in SEVERITY_MARKS.items():
        found = [(at, row, f) for row, each in enumerate(rows.values()) for at, f in each if f.severity is severity]
        if found:
            marks[severity.value] = [fact for _, _, fact in found]
            axes.scatter(
                numbers(at for at, _, _ in found),
                [row for _, row, _ in found],
                size,
                c=colour,
                marker=marker,
                linewidths=0,
                label=f"{severity.value} ({len(found)})",
                zorder=2 + list(Severity).index(severity),
                gid=severity.value,
            )
    return marks


def _draw_rings(axes: Axes, rows: Mapping[str, Sequence[Dated]], cited: Collection[Source]) -> int:
    from .canvas import BLUE, numbers

    found = [(at, row) for row, each in enumerate(rows.values()) for at, fact in each if fact.source in cited]
    if found:
        x, y = numbers(at for at, _ in found), [row for _, row in found]
        look = {"facecolors": "none", "edgecolors": BLUE, "linewidths": 1.0, "label": f"cited ({len(found)})"}
        axes.scatter(x, y, 110, zorder=9, **look)  # type: ignore[arg-type]
    return len(found)


def in_window(dated: Sequence[Dated]) -> tuple[list[Dated], int]:
    """The facts within the time of the trouble, and how many lie outside.

    That time spans the facts above info (all facts when there are none), a quarter longer on both sides: a
    kernel log that reaches back to the boot must not squeeze the last minutes into one pixel.
    """
    bad = [moment for moment, fact in dated if fact.severity is not Severity.INFO]
    moments = bad or [moment for moment, _ in dated]
    margin = max((max(moments) - min(moments)) * 0.25, timedelta(minutes=3))
    first, last = min(moments) - margin, max(moments) + margin
    shown = [pair for pair in dated if first <= pair[0] <= last]
    return shown, len(dated) - len(shown)


def rows_of(dated: Sequence[Dated]) -> dict[str, list[Dated]]:
    """The facts by file, earliest file first; beyond MAX_ROWS the files with the fewest facts share a row."""
    rows: dict[str, list[Dated]] = defaultdict(list)
    for pair in dated:
        rows[pair[1].source.file].append(pair)
    if len(rows) <= MAX_ROWS:
        return dict(rows)
    weight = {name: (max(_rank(f) for _, f in each), len(each)) for name, each in rows.items()}
    kept = set(sorted(rows, key=lambda name: weight[name], reverse=True)[: MAX_ROWS - 1])
    rest = [pair for name, each in rows.items() if name not in kept for pair in each]
    return {
        **{name: each for name, each in rows.items() if name in kept},
        f"{len(rows) - len(kept)} other files": sorted(rest, key=lambda pair: pair[0]),
    }


def _rank(fact: Evidence) -> int:
    return list(Severity).index(fact.severity)
