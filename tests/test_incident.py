"""An incident without one of its files is the incident that never had it: no fact, word or verdict of it stays."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from diagnostics.diagnosis import diagnose
from diagnostics.evidence import KINDS, Evidence
from diagnostics.evidence.training import TrainingSteps
from diagnostics.incident import Incident, open_incident

from .causes.test_cases import CASES, unpack
from .test_collectives import dump, group

SEVERAL = [case for case in CASES if case.read_text().count("\n== ") > 1][::11]
A, B = ("a4c14c9712d95f886d575822d98051af", "1ad3504ecc01877a2d4db08ba7b25fe9")
DESCRIPTION = """\
[[watchdog]]
name = "babysit"
fired = "giving up on {pid}: silent for {age}"
limit = "10 min"
"""


def known(incident: Incident) -> tuple[object, ...]:
    texts = {file: None if lines is None else list(lines) for file, lines in incident.texts.items()}
    columns = [
        repr(fact.columns) for fact in incident.of(TrainingSteps)
    ]  # two losses that are no numbers are not equal
    rest = [replace(f, columns={}) if isinstance(f, TrainingSteps) else f for f in incident.evidence]
    return rest, columns, incident.coverage, texts


def kinds(incident: Incident) -> set[str]:
    return {fact.kind for fact in incident.evidence}


def check(folder: Path) -> None:
    """Leave each file out, and compare with the folder in which it is not."""
    incident = open_incident(folder)
    for path in sorted(folder.iterdir()):
        held = path.read_bytes()
        path.unlink()
        never = open_incident(folder)
        path.write_bytes(held)
        less = incident.without(path.name)
        assert known(less) == known(never), path.name
        one, other = diagnose(less), diagnose(never)
        assert (one.verdict, one.answer, one.robustness) == (other.verdict, other.answer, other.robustness)


@pytest.mark.parametrize("case", SEVERAL, ids=lambda case: case.stem)
def test_without_a_file_of_a_case(case: Path, tmp_path: Path) -> None:
    unpack(case, tmp_path)
    check(tmp_path)


def test_without_one_of_two_listings_nothing_is_compared(tmp_path: Path) -> None:
    (tmp_path / "here.md5").write_text(f"{A}  /mnt/a.pt\n")
    (tmp_path / "there.md5").write_text(f"{B}  /mnt/a.pt\n")
    incident = open_incident(tmp_path)
    assert "checksum_verdict" in kinds(incident)
    assert "checksum_verdict" not in kinds(incident.without("here.md5"))
    check(tmp_path)


def test_without_a_rank_s_dump_it_is_not_compared(tmp_path: Path) -> None:
    (tmp_path / "trace_0").write_bytes(dump(group("0", (0, 1), 4, "nccl:all_reduce")))
    (tmp_path / "trace_1").write_bytes(dump(group("0", (0, 1), 4)))
    incident = open_incident(tmp_path)
    assert "collective_stuck" in kinds(incident)
    assert "collective_stuck" not in kinds(incident.without("trace_1"))
    check(tmp_path)


def test_without_its_description_a_watchdog_is_unknown(tmp_path: Path) -> None:
    (tmp_path / "babysit.toml").write_text(DESCRIPTION)
    (tmp_path / "babysit.log").write_text("giving up on 4242: silent for 00:20:00\n")
    incident = open_incident(tmp_path)
    assert "watchdog_fired" in kinds(incident.wordless())
    assert "watchdog_fired" not in kinds(incident.without("babysit.toml"))
    check(tmp_path)


def test_the_lines_of_many_files_come_back_when_long_ones_are_left_out(tmp_path: Path) -> None:
    for n in range(6):
        (tmp_path / f"{n}.log").write_text("".join(f"line {row} x\n" for row in range(990)))
    (tmp_path / "z.log").write_text("OSError: [Errno 28] No space left on device\n")
    check(tmp_path)


def test_what_is_added_is_compared_too(tmp_path: Path) -> None:
    for name, digest in (("here.md5", A), ("there.md5", B)):
        (tmp_path / name).write_text(f"{digest}  /mnt/a.pt\n")
    here, there = (open_incident(tmp_path / name) for name in ("here.md5", "there.md5"))
    more: list[Evidence] = [fact for fact in there.evidence if isinstance(fact, KINDS["checksum"])]
    assert "checksum_verdict" in kinds(here.with_evidence(more))
    assert "checksum_verdict" not in kinds(here.with_evidence(more).without("there.md5"))
