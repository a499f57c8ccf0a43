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


def test_what_only_the_wording_names_is_told_as_a_lead(tmp_path: Path) -> None:
    said = "rank 3: triton autotune cache entry vanished while another rank was writing it: ~/.triton/cache/7f/kernel.cubin"
    (tmp_path / "train.log").write_text(f"step 411 | loss 2.20\n{said}\n")
    diagnosis = diagnose(open_incident(tmp_path))
    assert [each.slug for each in diagnosis.answer] == ["jit-cache-race"]
    assert diagnosis.wordless().answer == ()
    told = explain(diagnosis)
    lead = next(each for each in told.finding if each.text.startswith("A lead and no proof"))
    assert said in [source.quote for source in lead.sources]
    assert told.precedents[0].text.count("#") == 3
    text = format_explanation(told)
    assert "The likeliest cause is" in text
    assert "Known incidents that are worded alike, to compare with" in text


def test_an_answer_of_the_symptoms_is_no_lead() -> None:
    told = explain(diagnose(open_incident(SAMPLE)))
    assert told.precedents == ()
    assert not any("lead" in each.text for each in told.finding)
