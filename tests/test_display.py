"""Tables for a notebook: text and HTML say the same, and no string of an incident becomes anything else."""

from __future__ import annotations

import time
from html.parser import HTMLParser
from pathlib import Path

import pytest

from diagnostics import diagnose, display
from diagnostics.display import Grid
from diagnostics.evidence import Coverage, ReadState
from diagnostics.incident import Incident
from diagnostics.printable import escaped, shortened
from tests import story


class Text(HTMLParser):
    def __init__(self, page: str) -> None:
        super().__init__()
        self.words = ""
        self.tags: set[str] = set()
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)

    def handle_data(self, data: str) -> None:
        self.words += data


def test_every_table_shows_hostile_strings_as_text(tmp_path: Path) -> None:
    incident = story.stalled(tmp_path).incident()
    diagnosis = diagnose(incident)
    grids = [
        display.show_coverage(incident),
        display.show_facts(incident),
        display.show_kinds(incident),
        display.show_symptoms(diagnosis, None),
        display.show_actually(diagnosis),
        display.show_rivals(diagnosis),
        display.show_questions(diagnosis),
    ]
    for grid in grids:
        page = Text(grid._repr_html_())
        assert page.tags <= {"table", "caption", "thead", "tbody", "tr", "th", "td"}
        assert "\x1b" not in repr(grid) + page.words
        assert "\u202e" not in repr(grid) + page.words
    assert "<script>alert(1)</script>" in Text(grids[1]._repr_html_()).words


def test_the_verdict_as_html_holds_no_markup_of_the_incident(tmp_path: Path) -> None:
    page = Text(diagnose(story.stalled(tmp_path).incident())._repr_html_())
    assert page.tags <= {"div", "strong", "p", "span"}


def test_a_table_aligns_and_wraps() -> None:
    grid = Grid("two rows", ("name", "why"), (("a", "x " * 40), ("bb", "")))
    assert all(len(line) < 60 for line in repr(grid).splitlines())
    assert repr(grid).splitlines()[:3] == ["two rows", "name  why", "a     " + ("x " * 22).strip()]


def test_a_long_table_says_how_much_it_leaves_out() -> None:
    grid = Grid("many", ("n",), tuple((str(n),) for n in range(100)))
    assert repr(grid).endswith("and 40 more rows")
    assert "and 40 more rows" in grid._repr_html_()


@pytest.mark.parametrize(
    ("text", "shown"),
    [("a\nb", "a b"), ("x" * 9, "x" * 9), ("x" * 12, "x" * 10 + "… [2 more characters]"), ("\x1b[1m", "\u241b[1m")],
)
def test_shortened_is_one_line_that_says_what_it_left_out(text: str, shown: str) -> None:
    assert shortened(text, 10) == shown


def test_escaped_text_is_no_markup() -> None:
    assert escaped("<b> $x^2$ & 'q'") == "&lt;b&gt; $x^2$ &amp; &#x27;q&#x27;"


def test_the_files_of_a_large_incident_are_soon_listed() -> None:
    coverage = [
        Coverage(file=f"{n}.txt", parser="ps", medium="process-table", state=ReadState.READ, facts=1)
        for n in range(20_000)
    ]
    start = time.process_time()
    assert len(display.show_coverage(Incident("many", [], coverage))) == 20_000
    assert time.process_time() - start < 5
