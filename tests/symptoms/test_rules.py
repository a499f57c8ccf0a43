"""What holds for every rule, on every incident that the tests know: it is exercised, it cites, it is deterministic."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from diagnostics.evidence import Coverage, Evidence
from diagnostics.incident import Incident, open_incident
from diagnostics.symptoms import Observation, State, all_symptoms, observe
from tests.causes.test_cases import CASES, unpack

ROOT = Path(__file__).parents[2]
names = pytest.mark.parametrize("name", all_symptoms())


@pytest.fixture(scope="session")
def observed(tmp_path_factory: pytest.TempPathFactory) -> list[list[Observation]]:
    """What the rules see in every incident of the tests."""
    found = []
    for case in CASES:
        folder = tmp_path_factory.mktemp("case")
        unpack(case, folder)
        found.append(observe(open_incident(folder)))
    samples = [path for path in (ROOT / "sample_logs").iterdir() if path.is_dir()]
    captures = [path for path in (ROOT / "tests" / "captures").iterdir() if path.is_dir()]
    return found + [observe(open_incident(path)) for path in sorted((*samples, *captures))]


@names
def test_some_incident_shows_it(name: str, observed: list[list[Observation]]) -> None:
    """A rule that no incident of the tests shows is a guess."""
    assert any(each.symptom == name and each.state is State.PRESENT for seen in observed for each in seen)


@names
def test_most_incidents_do_not_show_it(name: str, observed: list[list[Observation]]) -> None:
    shown = sum(any(each.symptom == name and each.state is State.PRESENT for each in seen) for seen in observed)
    assert shown < 0.4 * len(observed)


@names
def test_nobody_looked(name: str) -> None:
    """Without any artefact a symptom is neither there nor not there."""
    assert list(all_symptoms()[name].rule(Incident("nothing", [], []))) == []


def test_what_is_seen_or_missed_is_cited(observed: list[list[Observation]]) -> None:
    for each in (each for seen in observed for each in seen if each.state is not State.UNOBSERVED):
        assert each.evidence and each.notes, each.symptom
        assert all(isinstance(fact, (Evidence, Coverage)) for fact in each.evidence), each.symptom


def test_present_and_absent_exclude_each_other(observed: list[list[Observation]]) -> None:
    for seen in observed:
        for first in (each for each in seen if each.state is State.PRESENT):
            for second in (each for each in seen if each.state is State.ABSENT and each.symptom == first.symptom):
                assert not first.subject.agrees_with(second.subject), first.symptom


@cache
def documents() -> dict[str, str]:
    return {
        path.stem.replace("_", "-"): path.read_text() for path in (ROOT / "diagnostics" / "symptoms").glob("[a-z]*.py")
    }


@names
def test_rule_is_written_in_words(name: str) -> None:
    symptom = all_symptoms()[name]
    assert documents()[name].startswith(('"""', 'r"""'))
    assert symptom.title and symptom.because and symptom.command
    assert 0 < symptom.leak < 1


MISSED = (
    "volume-io-blocked", "worker-waits-for-lock", "threads-wait-for-each-other", "main-thread-waits-for-loader",
    "compiling", "process-stopped", "worker-gone", "busy-while-silent", "progress-stopped", "throughput-collapsed",
    "no-step-yet", "ended-silently", "killed-by-signal", "watchdog-killed", "operator-tool-hangs-on-volume",
    "volume-capacity-vanished", "disk-usage-full", "inodes-exhausted", "shm-small", "checkpoint-truncated",
    "checksums-differ", "same-size-content-differs", "copy-interrupted", "data-wait-dominates", "volume-slow-measured",
    "block-device-trouble", "kernel-remounted-read-only", "cgroup-oom-kill", "global-oom-kill", "memory-grows",
    "machine-memory-low", "too-many-open-files", "cpu-starved-signs", "loss-not-finite", "user-code-exception",
)  # fmt: skip


@pytest.mark.parametrize("name", MISSED)
def test_some_incident_lacks_it(name: str, observed: list[list[Observation]]) -> None:
    """Looked for with the right witness and not there: what tells a look-alike apart."""
    assert any(each.symptom == name and each.state is State.ABSENT for seen in observed for each in seen)
