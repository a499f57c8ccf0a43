"""The words of a diagnosis: why not the others, and every claim with its lines."""

from __future__ import annotations

from pathlib import Path

from diagnostics import diagnose, open_incident
from diagnostics.explanation import NEGLIGIBLE, explain, format_explanation

SAMPLE = Path(__file__).parents[1] / "sample_logs" / "five_symptoms"


def test_a_usual_suspect_says_why_it_tempts_and_what_speaks_against_it() -> None:
    told = explain(diagnose(open_incident(SAMPLE)))
    fork = next(each for each in told.suspects if each.text.startswith("a deadlock after fork"))
    assert "tempting because the main thread waits in the same poll()" in fork.text
    assert "but it does not explain" in fork.text
    assert fork.sources
    assert not {each.text.split(" (")[0] for each in told.rivals} & {each.text.split(" (")[0] for each in told.suspects}


def test_no_rival_is_shown_at_a_chance_that_reads_as_none() -> None:
    diagnosis = diagnose(open_incident(SAMPLE))
    told = format_explanation(explain(diagnosis))
    assert "(0.0%)" not in told
    assert any(each.posterior < NEGLIGIBLE for each in diagnosis.hypotheses)
