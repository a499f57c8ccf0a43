"""What holds for every rule, on every incident that the tests know: it is exercised, it cites, it is deterministic."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from diagnostics.evidence import Coverage, Evidence
from diagnostics.incident import Incident, open_incident
from diagnostics.observation import Observation, State, observe
from diagnostics.symptoms import all_symptoms
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
    """The incidents are of all kinds: what one in ten of them shows tells none of them apart."""
    shown = sum(any(each.symptom == name and each.state is State.PRESENT for each in seen) for seen in observed)
    assert shown < 0.1 * len(observed)


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


# what two copies show and one does not: a table of trials that is there twice is twice as many trials, and two lines in
# which one host names itself tell of that host twice
TWICE_MEANS_MORE = {"failures-follow-one-device", "link-flapping"}
# beside each 20th case: those of which two machines were once taken for one that had the trouble again
ONCE_EACH = ("one-reset-of-a-sata-link", "one-soft-lockup-without-its-trace")


@pytest.mark.parametrize("case", [case for n, case in enumerate(CASES) if n % 20 == 0 or case.stem in ONCE_EACH],
                         ids=lambda case: case.stem)  # fmt: skip
def test_two_machines_that_show_the_same_show_nothing_new(
    case: Path, tmp_path: Path, observed: list[list[Observation]]
) -> None:
    for node in ("nodeA", "nodeB"):
        (tmp_path / node).mkdir()
        unpack(case, tmp_path / node)
    one, two = (
        {each.symptom for each in seen if each.state is State.PRESENT}
        for seen in (observed[CASES.index(case)], observe(open_incident(tmp_path)))
    )
    assert not two - one - TWICE_MEANS_MORE


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


# what a rule, or what it calls, says where somebody looked and it is not there
LACKS = re.compile(r"present=(?!True)|\bnothing\(|\b(?:gpu|scheduler)_reports\(")

# of a tool's complaint alone, whose silence says nothing
NEVER_ABSENT = {"driver-module-missing", "driver-refuses", "gpu-access-refused"}


@pytest.mark.parametrize("name", sorted({n for n, text in documents().items() if LACKS.search(text)} - NEVER_ABSENT))
def test_some_incident_lacks_it(name: str, observed: list[list[Observation]]) -> None:
    """Looked for with the right witness and not there: what tells a look-alike apart."""
    assert any(each.symptom == name and each.state is State.ABSENT for seen in observed for each in seen)
