"""Each cause on small incidents of the kind that people report: one file a case, artefacts below `== NAME`.

The first line says the verdict (alternatives after `|`), the slugs that the answer must hold, and what must be known
of the subject.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from diagnostics.causes import all_causes
from diagnostics.diagnosis import diagnose
from diagnostics.hypothesis import Verdict
from diagnostics.incident import open_incident

CASES = sorted((Path(__file__).parent / "cases").glob("*.txt"))


def unpack(case: Path, folder: Path) -> tuple[set[str], list[str], dict[str, str]]:
    """Write a case's artefacts into a folder; its verdicts, slugs and subject."""
    first, *parts = case.read_text().split("\n== ")
    for part in parts:
        name, _, text = part.partition("\n")
        (folder / name).write_text(text if text.endswith("\n") else text + "\n")
    verdict, *rest = first.split()
    slugs = [slug for word in rest if "=" not in word for slug in word.split("+")]
    return set(verdict.split("|")), slugs, dict(word.split("=") for word in rest if "=" in word)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.stem)
def test_case(case: Path, tmp_path: Path) -> None:
    verdicts, slugs, subject = unpack(case, tmp_path)
    diagnosis = diagnose(open_incident(tmp_path).wordless())  # the table is tested, not the library
    assert diagnosis.verdict.value in verdicts, [(h.slug, round(h.posterior, 2)) for h in diagnosis.hypotheses[:4]]
    if diagnosis.verdict not in (Verdict.INSUFFICIENT, Verdict.HEALTHY):
        assert {each.slug for each in diagnosis.answer} == set(slugs)
        about = diagnosis.answer[0].about
        assert {name: str(getattr(about, name)) for name in subject} == subject


def test_insufficient_lists_rivals(tmp_path: Path) -> None:
    case = next(case for case in CASES if case.stem == "only-exit-137")
    unpack(case, tmp_path)
    diagnosis = diagnose(open_incident(tmp_path).wordless())
    assert len([each for each in diagnosis.hypotheses if each.posterior > 0.02]) >= 3


def test_every_slug_of_a_case_is_in_the_table() -> None:
    named = {slug for case in CASES for word in case.read_text().split("\n")[0].split()[1:] if "=" not in word
             for slug in word.split("+")}  # fmt: skip
    assert named <= set(all_causes())
