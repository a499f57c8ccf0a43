"""Real runs with one real fault each come out as what was done to them; the truth is in captures/truth.json.

The ones that are shipped as samples lie in sample_logs/, the others beside the truth.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from diagnostics.diagnosis import Diagnosis, diagnose
from diagnostics.evidence.people import OperatorNote
from diagnostics.hypothesis import Verdict
from diagnostics.incident import Incident, open_incident

HERE = Path(__file__).parent / "captures"
SAMPLES = Path(__file__).parents[1] / "sample_logs"
TRUTH: dict[str, dict[str, Any]] = json.loads((HERE / "truth.json").read_text())
CASES = sorted(TRUTH)
SURE = 0.8


@pytest.fixture(scope="module")
def diagnoses() -> dict[str, Diagnosis]:
    """Diagnoses made so far: reading a capture takes a second."""
    return {}


def read(name: str) -> Incident:
    """One capture."""
    folder = SAMPLES / name if (SAMPLES / name).is_dir() else HERE / name
    return open_incident(folder)


def judged(name: str, diagnoses: dict[str, Diagnosis]) -> Diagnosis:
    """The diagnosis of one capture, made once."""
    if name not in diagnoses:
        diagnoses[name] = diagnose(read(name))
    return diagnoses[name]


@pytest.mark.parametrize("name", CASES)
def test_verdict(name: str, diagnoses: dict[str, Diagnosis]) -> None:
    diagnosis, truth = judged(name, diagnoses), TRUTH[name]
    assert diagnosis.verdict.value in truth["verdicts"], [(h.slug, h.posterior) for h in diagnosis.hypotheses[:4]]
    if diagnosis.verdict is Verdict.ROOT_CAUSE:
        assert [each.slug for each in diagnosis.answer][:1] == truth["accept"][:1]
        assert diagnosis.robustness >= 0.7


@pytest.mark.parametrize("name", ["five_symptoms", "mfs_read_freeze", "mfs_close_hang"])
def test_volume_is_named(name: str, diagnoses: dict[str, Diagnosis]) -> None:
    about = judged(name, diagnoses).answer[0].about
    assert about.mount == "/workspace/mfs/mnt"
    assert (about.server or "").endswith(":9421")
    assert (about.device or "").startswith("mfs#")


def test_five_symptoms_are_one_cause(diagnoses: dict[str, Diagnosis]) -> None:
    diagnosis = judged("five_symptoms", diagnoses)
    assert len(diagnosis.answer) == 1
    explained = set(diagnosis.answer[0].explains)
    assert {"volume-io-blocked", "main-thread-waits-for-loader", "watchdog-killed", "orphans-unkillable"} <= explained
    assert {"operator-tool-hangs-on-volume", "volume-client-complains", "network-volume-error"} <= explained


def test_full_volume_is_named(diagnoses: dict[str, Diagnosis]) -> None:
    assert judged("ext4_full", diagnoses).answer[0].about.mount == "/workspace/ckpt"


def test_readmes_are_prose() -> None:
    """A sample's README lies in the incident's folder: no tool's parser may take it for evidence."""
    for folder in SAMPLES.iterdir():
        facts = list(open_incident(folder / "README.md").evidence) if folder.is_dir() else []
        assert all(isinstance(fact, OperatorNote) for fact in facts), folder


@pytest.mark.parametrize("name", CASES)
def test_no_sure_mistake_without_one_of_its_files(name: str) -> None:
    """Whoever forgets a file gets the same cause, or is told that the rest does not decide."""
    incident, truth = read(name), TRUTH[name]
    for left_out in sorted({each.file for each in incident.coverage}):
        diagnosis = diagnose(incident.without(left_out))
        sure = [each.slug for each in diagnosis.answer if each.posterior >= SURE]
        assert set(sure) <= set(truth["accept"]), (left_out, sure)
