"""Pictures: they draw what is there, say it in words, and survive whatever a log line holds."""

from __future__ import annotations

from pathlib import Path

import pytest
from matplotlib.text import Text

from diagnostics import diagnose, plots
from diagnostics.incident import Incident
from diagnostics.plots.canvas import Picture
from diagnostics.plots.vram import shares
from tests import story


@pytest.fixture
def incident(tmp_path: Path) -> Incident:
    return story.stalled(tmp_path).incident()


def every_picture(incident: Incident) -> list[Picture]:
    diagnosis = diagnose(incident)
    return [
        plots.plot_timeline(incident, cited={fact.source for fact in incident.evidence}),
        plots.plot_throughput(incident),
        plots.plot_posterior(diagnosis),
        plots.plot_weights(diagnosis),
        plots.plot_chain(diagnosis),
        plots.plot_vram(incident),
    ]


def test_every_picture_is_the_same_bytes_twice(incident: Incident) -> None:
    once, again = every_picture(incident), every_picture(incident)
    assert [each.png() for each in once] == [each.png() for each in again]
    assert [each.svg() for each in once] == [each.svg() for each in again]


def test_no_string_of_an_incident_is_read_as_mathematics_or_terminal_codes(incident: Incident) -> None:
    for picture in every_picture(incident):
        picture.png()
        for text in picture.findobj(Text):
            assert not text.get_parse_math()
            assert "\x1b" not in text.get_text()
            assert "\u202e" not in text.get_text()


def test_an_incident_without_facts_gives_pictures_that_say_why_they_are_empty() -> None:
    empty = Incident("empty", [], [])
    for picture in (plots.plot_timeline(empty), plots.plot_throughput(empty), plots.plot_vram(empty)):
        assert ": no" in repr(picture)
    for picture in every_picture(empty):
        assert picture.png().startswith(b"\x89PNG")


def test_a_line_of_megabytes_makes_no_giant_picture(tmp_path: Path) -> None:
    incident = story.stalled(tmp_path, "$" * 2_000_000).incident()
    for picture in every_picture(incident):
        assert len(picture.svg()) < 2_000_000
        assert len(repr(picture)) < 2_000


def test_the_timeline_says_how_many_facts_it_shows_and_how_many_are_cited(incident: Incident) -> None:
    fired = next(fact for fact in incident.evidence if fact.kind == "watchdog_fired")
    picture = plots.plot_timeline(incident, cited={fired.source})
    assert repr(picture) == (
        "<Picture: 5 of 7 facts from 3 sources, 2026-11-29 12:45:11 to 2026-11-29 12:46:30 UTC, 1 of them cited>"
    )


def test_facts_of_the_boot_hours_before_do_not_squeeze_the_trouble(tmp_path: Path) -> None:
    hand = story.stalled(tmp_path)
    boot = hand.facts[1]
    hand.facts.append(type(boot)(source=boot.source, stamp=story.at(-36_000), event="saved"))  # type: ignore[call-arg]
    picture = plots.plot_timeline(hand.incident())
    left, right = picture.axes[0].get_xlim()
    assert (right - left) * 24 < 1
    assert "1 facts lie outside" in picture.axes[0].get_title(loc="right")


def test_throughput_marks_the_moments_of_failure(incident: Incident) -> None:
    assert repr(plots.plot_throughput(incident)) == (
        "<Picture: 1 runs, steps 1 to 20; RuntimeError 12:45:35, watchdog: kill 12:46:30>"
    )


def test_memory_that_no_process_owns_is_named(tmp_path: Path) -> None:
    hand = story.stalled(tmp_path)
    story.gpus(hand, 141_000.0, None)
    assert shares(hand.incident())[0][0].kind == "nobody"
    assert "137.7 GiB in use that no living process owns" in repr(plots.plot_vram(hand.incident()))


def test_memory_of_a_process_that_is_gone_is_told_from_that_of_a_living_one(tmp_path: Path) -> None:
    hand = story.stalled(tmp_path)
    story.gpus(hand, 141_000.0, "[Not Found]")
    assert [share.kind for share in shares(hand.incident())[0]] == ["vanished", "free"]
    living = story.stalled(tmp_path)
    story.gpus(living, 141_000.0, "python")
    assert "0.0 GiB in use that no living process owns" in repr(plots.plot_vram(living.incident()))
