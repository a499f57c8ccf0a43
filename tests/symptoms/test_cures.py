"""What is cited for a cure is the same work without it."""

from __future__ import annotations

from pathlib import Path

from diagnostics.incident import open_incident
from diagnostics.symptoms import observe


def test_other_work_that_fails_is_no_proof(tmp_path: Path) -> None:
    (tmp_path / "trials.txt").write_text(
        "evaluate.py on the old set        : fails\n"
        "train.py, defaults                : fails\n"
        "train.py, docker --shm-size=16g   : ok\n"
    )
    (seen,) = (each for each in observe(open_incident(tmp_path)) if each.symptom == "more-shared-memory-cures-it")
    assert {fact.source.line for fact in seen.evidence} == {2, 3}
