"""Small incidents, each with the cause that an expert would name; one loop reads them all.

A file is called after what must be answered and what happens: `gpu-off-bus.one_of_eight_is_gone.txt`. It holds
artefacts under `==> name <==` lines.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from diagnostics.causes import all_causes
from diagnostics.diagnosis import Verdict, diagnose
from diagnostics.incident import open_incident

INCIDENTS = sorted((Path(__file__).parent / "incidents").glob("*.txt"))
ARTEFACT = re.compile(r"^==> (\S+) <==\n", re.MULTILINE)


def unpack(incident: Path, folder: Path) -> Path:
    """Write the artefacts of an incident into a folder."""
    _, *parts = ARTEFACT.split(incident.read_text())
    for name, text in zip(parts[::2], parts[1::2], strict=True):
        (folder / name).write_text(text)
    return folder


@pytest.mark.parametrize("incident", INCIDENTS, ids=lambda path: path.stem)
def test_the_cause_is_found(incident: Path, tmp_path: Path) -> None:
    expected = incident.name.split(".")[0]
    found = diagnose(open_incident(unpack(incident, tmp_path)))
    if expected == "insufficient":
        assert found.verdict is Verdict.INSUFFICIENT, [each.slug for each in found.answer]
    else:
        assert [each.slug for each in found.answer] == [expected], [
            (each.slug, round(each.posterior, 2)) for each in found.hypotheses[:4]
        ]


def test_every_incident_is_named_after_a_cause() -> None:
    assert {path.name.split(".")[0] for path in INCIDENTS} <= set(all_causes()) | {"insufficient"}
