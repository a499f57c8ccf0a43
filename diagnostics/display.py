"""Plain objects as a person reads them in a notebook: an aligned text and the same table as HTML.

Every string of an incident passes through `visible`, and through `escaped` where it becomes HTML. A table uses
JupyterLab's own look, so that both themes work.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

from .diagnosis import Diagnosis
from .evidence import Coverage, Evidence
from .explanation import explain
from .incident import Incident
from .observation import State
from .printable import PLAIN, escaped, format_citation, format_citations, shortened
from .symptoms import all_symptoms
from .timeline import named_zone

ROWS_SHOWN = 60
CELL_WIDTH = 44


@dataclass(frozen=True, repr=False)
class Grid:
    """A small table with a caption; its repr and its HTML hold the same words."""

    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    most: int = ROWS_SHOWN

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        cells = [[textwrap.wrap(shortened(cell, 400), CELL_WIDTH) or [""] for cell in row] for row in self.shown]
        columns = range(len(self.head))
        width = [
            max(len(self.head[c]), *(len(line) for row in cells for line in row[c]), 0) if cells else len(self.head[c])
            for c in columns
        ]
        lines = [self.caption, "  ".join(name.ljust(width[c]) for c, name in enumerate(self.head)).rstrip()]
        for row in cells:
            for number in range(max(len(cell) for cell in row)):
                parts = (row[c][number] if number < len(row[c]) else "" for c in columns)
                lines.append("  ".join(part.ljust(width[c]) for c, part in enumerate(parts)).rstrip())
        return "\n".join([*lines, *self.left_out])

    def _repr_html_(self) -> str:
        head = "".join(f"<th style='text-align:left'>{escaped(name)}</th>" for name in self.head)
        rows = "".join(
            "<tr>"
            + "".join(
                "<td style='text-align:left; vertical-align:top; "
                f"white-space:normal'>{escaped(shortened(cell, 400))}</td>"
                for cell in row
            )
            + "</tr>"
            for row in self.shown
        )
        caption = "<caption style='text-align:left'>" + escaped("; ".join((self.caption, *self.left_out)))
        return f"<table {PLAIN}>{caption}</caption><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"

    @property
    def shown(self) -> Sequence[tuple[str, ...]]:
        """The rows that are shown."""
        return self.rows[: self.most]

    @property
    def left_out(self) -> list[str]:
        """A word about the rows that are not."""
        more = len(self.rows) - self.most
        return [f"and {more} more rows"] if more > 0 else []


def show_coverage(incident: Incident) -> Grid:
    """What was looked at: every file, who read it, what came of it."""
    readings: dict[str, list[Coverage]] = {}
    for each in incident.coverage:
        readings.setdefault(each.file, []).append(each)
    rows = tuple(_coverage(incident, of_file) for of_file in readings.values())
    unread = len(incident.unread)
    caption = f"{len(rows)} files, {unread} of them not understood" if unread else f"{len(rows)} files, all understood"
    return Grid(caption, ("file", "read by", "state", "facts", "time", "why"), rows, most=200)


def _coverage(incident: Incident, readings: Sequence[Coverage]) -> tuple[str, ...]:
    """One file: what every parser that knew it made of it."""
    useful = [each for each in readings if each.facts] or list(readings)
    stamps = [stamp for each in readings for stamp in (each.first, each.last)]
    moments = [at for stamp in stamps if (at := incident.timeline.moment(stamp, readings[0].file))]
    return (
        readings[0].file,
        ", ".join(each.parser or "nobody" for each in useful),
        readings[0].state.value,
        str(sum(each.facts for each in readings)),
        f"{min(moments):%F %T} to {max(moments):%T %Z}" if moments else "",
        "; ".join(dict.fromkeys(each.reason for each in readings if each.reason)),
    )


def show_facts(incident: Incident, *kinds: str, most: int = ROWS_SHOWN) -> Grid:
    """The facts of the given kinds (all of them when none is given), in reading order, with their lines."""
    found = [fact for fact in incident.evidence if not kinds or fact.kind in kinds]
    zone = named_zone(map(incident.timeline.at, found))
    return Grid(
        f"{len(found)} facts" + (f" of kind {', '.join(kinds)}" if kinds else ""),
        (zone, "kind", "severity", "subject", "line", "source"),
        tuple(_fact(incident, fact, zone) for fact in found),
        most,
    )


def _fact(incident: Incident, fact: Evidence, zone: str) -> tuple[str, ...]:
    at = incident.timeline.at(fact)
    when = (f"{at:%F %T}" if f"{at:%Z}" == zone else f"{at:%F %T %Z}") if at else ""
    quote = shortened(fact.source.quote.strip(), 100)
    return (when, fact.kind, fact.severity.value, str(fact.subject), quote, format_citation(fact.source))


def show_kinds(incident: Incident) -> Grid:
    """How many facts of each kind were read, and from how many files."""
    kinds: dict[str, list[Evidence]] = {}
    for fact in incident.evidence:
        kinds.setdefault(fact.kind, []).append(fact)
    rows = (
        (kind, str(len(facts)), str(len({fact.source.file for fact in facts}))) for kind, facts in sorted(kinds.items())
    )
    return Grid(f"{len(incident.evidence)} facts", ("kind", "facts", "files"), tuple(rows))


def show_symptoms(diagnosis: Diagnosis, state: State | str | None = State.PRESENT) -> Grid:
    """The symptoms in one state (all of them with None), what was seen of each, and where."""
    table = all_symptoms()
    found = [each for each in diagnosis.observations if state is None or each.state == state]
    rows = tuple(
        (
            table[each.symptom].title,
            each.state.value,
            each.notes[0] if each.notes else "",
            format_citations(each.sources),
        )
        for each in found
    )
    word = "looked for" if state is None else f"that are {state}"
    return Grid(f"{len(found)} symptoms {word}", ("symptom", "state", "seen", "source"), rows)


def states_of(diagnosis: Diagnosis) -> dict[str, str]:
    """The state of every symptom by name; one that is seen on one subject and not on another is present."""
    order = [State.UNOBSERVED, State.ABSENT, State.PRESENT]
    ranked = sorted(diagnosis.observations, key=lambda each: order.index(each.state))
    return {each.symptom: each.state.value for each in ranked}


def show_actually(diagnosis: Diagnosis) -> Grid:
    """The mapping table: what was seen, and what it was actually doing."""
    rows = tuple(
        (
            row.seen,
            row.actually or "not explained by this answer",
            row.role.value if row.role else "",
            format_citations(row.sources),
        )
        for row in explain(diagnosis).table
    )
    head = ("what was seen", "what it was actually doing", "role", "source")
    return Grid("What was seen, and what it was actually doing", head, rows)


def show_rivals(diagnosis: Diagnosis) -> Grid:
    """Why not the others."""
    told = explain(diagnosis)
    rows = tuple((each.text, format_citations(each.sources)) for each in (*told.rivals, *told.suspects))
    return Grid("Why not the others", ("rival", "source"), rows)


def show_questions(diagnosis: Diagnosis) -> Grid:
    """What to ask next, the most telling question first."""
    rows = tuple((f"{each.gain_bits:.2f}", each.why, each.command) for each in explain(diagnosis).questions)
    return Grid("What to ask next", ("bits", "why", "command"), rows)
