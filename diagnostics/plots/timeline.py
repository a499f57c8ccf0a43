"""All the evidence of an incident on one axis: a row per file, a mark per fact."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from ..evidence import Evidence, Severity, Source
from ..incident import Incident

if TYPE_CHECKING:
    from .canvas import Picture

MAX_ROWS = 24
TITLE = "What every source saw, and when"
Dated = tuple[datetime, Evidence]


def plot_timeline(
    incident: Incident, *, facts: Collection[Evidence] | None = None, cited: Collection[Source] = ()
) -> Picture:
    """A row per file, a mark per fact, in UTC.

    Parameters
    ----------
    facts : draw only these, or every fact of the incident
    cited : sources of the facts to ring, such as those that a diagnosis rests on
    """
    from .canvas import BLUE, SEVERITY_MARKS, dates, label, nothing, numbers, picture

    wanted = None if facts is None else {id(fact) for fact in facts}
    dated = [pair for pair in incident.timeline.ordered if wanted is None or id(pair[1]) in wanted]
    total = len(incident.evidence) if wanted is None else len(wanted)
    if not dated:
        return nothing(TITLE, f"none of the {total} facts has a time that can be placed in UTC")
    shown, outside = in_window(dated)
    rows = rows_of(shown)
    names = list(rows)
    with picture(11, 1.5 + 0.24 * len(names)) as (figure, (axes,)):
        marks: dict[str, list[Evidence]] = {}
        for severity, (colour, marker, size) in SEVERITY_MARKS.items():
            found = [
                (moment, row, f)
                for row, each in enumerate(rows.values())
                for moment, f in each
                if f.severity is severity
            ]
            if found:
                marks[severity.value] = [fact for _, _, fact in found]
                axes.scatter(
                    numbers(moment for moment, _, _ in found),
                    [row for _, row, _ in found],
                    size,
                    c=colour,
                    marker=marker,
                    linewidths=0,
                    label=f"{severity.value} ({len(found)})",
                    zorder=2 + list(Severity).index(severity),
                    gid=severity.value,
                )
        figure.marks = marks
        rings = [(moment, row) for row, each in enumerate(rows.values()) for moment, f in each if f.source in cited]
        if rings:
            axes.scatter(
                numbers(moment for moment, _ in rings),
                [row for _, row in rings],
                110,
                facecolors="none",
                edgecolors=BLUE,
                linewidths=1.0,
                label=f"cited ({len(rings)})",
                zorder=9,
            )
        axes.set_yticks(range(len(names)), [label(name, 34) for name in names])
        axes.set_ylim(len(names) - 0.4, -0.6)
        axes.set_title(TITLE)
        dates(axes)
        axes.legend(loc="upper left", bbox_to_anchor=(1, 1), borderaxespad=0.2)
        notes = []
        if outside:
            notes.append(f"{outside} facts lie outside the time of the trouble")
        if total - len(dated):
            notes.append(f"{total - len(dated)} facts have no time of their own")
        if notes:
            axes.set_title("; ".join(notes), loc="right", fontsize=8, color="#6E6E6E")
        figure.says = f"{len(shown)} of {total} facts from {len(names)} sources, {shown[0][0]:%F %T} to " + (
            f"{shown[-1][0]:%F %T} UTC, {len(rings)} of them cited"
        )
    return figure


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
