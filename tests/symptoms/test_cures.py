"""What is cited for a cure is the same work without it."""

from __future__ import annotations

from pathlib import Path

from diagnostics.evidence import Source
from diagnostics.evidence.people import Trial
from diagnostics.incident import Incident, open_incident
from diagnostics.observation import observe
from diagnostics.symptoms._cures import cures


def test_other_work_that_fails_is_no_proof(tmp_path: Path) -> None:
    (tmp_path / "trials.txt").write_text(
        "evaluate.py on the old set        : fails\n"
        "train.py, defaults                : fails\n"
        "train.py, docker --shm-size=16g   : ok\n"
    )
    (seen,) = (each for each in observe(open_incident(tmp_path)) if each.symptom == "more-shared-memory-cures-it")
    assert {fact.source.line for fact in seen.evidence} == {2, 3}


def test_many_trials_are_each_looked_at_a_few_times() -> None:
    looks = 0

    def chosen(trial: Trial) -> list[str]:
        nonlocal looks
        looks += 1
        return ["x=1"] if "x=1" in trial.condition else []

    trials = [
        Trial(
            source=Source("trials.md", n, ""),
            condition=f"run{n % 7} x={n % 2}",
            outcome="ok" if n % 2 else "hang",
            text="",
        )
        for n in range(2000)
    ]
    found = list(cures(Incident("x", trials, []), chosen, ("hang",)))
    assert len(found) == 1000
    assert all(bad.condition.split()[0] == cured.condition.split()[0] for cured, same, _ in found[:20] for bad in same)
    assert looks <= 4 * len(trials)
