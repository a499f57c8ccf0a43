"""Are the posteriors what they say they are? On the labelled incidents of the tests, and of a folder if one is given.

The numbers of the table are not fitted, so there is nothing to refit when a kind is left out. What is left out is the
kind's own row: an incident whose true cause the table does not know must come out as insufficient, and how often it
does not is the price of an unknown fault. The wording of the incidents is left out here: see `precedents`.

People forget files. Each capture, and each incident of the folder, is judged without each of its files, and by some of
them alone; what is named then and is not what an expert named with all of them is the price of forgetting.

    python -m benchmarks calibration [FOLDER]     FOLDER: folders with a case.json (verdicts, accept)
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

from diagnostics.causes import all_causes
from diagnostics.diagnosis import Diagnosis, judge
from diagnostics.hypothesis import Verdict
from diagnostics.incident import Incident, open_incident
from diagnostics.observation import Observation, observe
from tests import test_captures
from tests.causes import test_cases

BINS = (0.0, 0.25, 0.5, 0.75, 0.9, 0.99, 1.000001)
CONFIDENT = 0.8
SUBSETS, FEW_FILES = 8, 4
ANSWERS = (Verdict.ROOT_CAUSE, Verdict.INDEPENDENT_CAUSES)


@dataclass(frozen=True)
class Labelled:
    """An incident as it was observed, and what an expert concluded.

    It is `composed` where somebody wrote it so that one of its files decides.
    """

    name: str
    incident: Incident
    observations: list[Observation]
    verdicts: frozenset[str]
    accept: tuple[str, ...]
    composed: bool = False

    @property
    def kind(self) -> str:
        """The true cause; an incident that decides nothing, or is healthy, is a kind of its own."""
        return self.accept[0] if self.accept else min(self.verdicts)


@dataclass(frozen=True)
class Judged:
    """What was said of one incident: the leading cause's posterior, and whether it is the true one."""

    case: Labelled
    diagnosis: Diagnosis

    @property
    def posterior(self) -> float:
        """Of the leading cause, on whichever subject."""
        leading = self.diagnosis.hypotheses[0].slug
        return min(1.0, sum(each.posterior for each in self.diagnosis.hypotheses if each.slug == leading))

    @property
    def leads_right(self) -> bool:
        """True when the leading cause is the true one."""
        return self.diagnosis.hypotheses[0].slug in self.case.accept

    @property
    def answered(self) -> bool:
        """True when a cause was named."""
        return self.diagnosis.verdict in ANSWERS

    @property
    def right(self) -> bool:
        """True when verdict and answer are what the expert concluded."""
        if not self.answered:
            return self.diagnosis.verdict.value in self.case.verdicts
        return self.diagnosis.answer[0].slug in self.case.accept

    @property
    def confidently_wrong(self) -> bool:
        """True when a wrong cause was named with a high posterior."""
        return self.answered and not self.right and self.posterior >= CONFIDENT


def labelled(folder: str | None) -> Iterator[Labelled]:
    """The captures and small incidents of the tests, then the cases of the folder."""
    for name, truth in test_captures.TRUTH.items():
        yield _observed(name, test_captures.read(name), set(truth["verdicts"]), truth.get("accept", []))
    for case in test_cases.CASES:
        with tempfile.TemporaryDirectory() as place:
            verdicts, slugs, _ = test_cases.unpack(case, Path(place))
            yield replace(_observed(case.stem, open_incident(place), verdicts, slugs), composed=True)
    for file in sorted(Path(folder).rglob("case.json")) if folder else ():
        truth = json.loads(file.read_text())
        incident = open_incident(*(each for each in sorted(file.parent.iterdir()) if each != file))
        accept = truth.get("accept") or truth.get("require") or []
        yield _observed(file.parent.name, incident, set(truth["verdicts"]), accept)


def _observed(name: str, incident: Incident, verdicts: set[str], accept: list[str]) -> Labelled:
    return Labelled(name, incident, observe(incident), frozenset(verdicts), tuple(accept))


def brier(judged: list[Judged]) -> float:
    """Mean squared difference of the leading cause's posterior and whether it is the true one (0 is perfect)."""
    return sum((each.posterior - each.leads_right) ** 2 for each in judged) / len(judged)


def show_reliability(judged: list[Judged]) -> None:
    """Of the incidents with a posterior in each bin, how many had the true cause leading."""
    print("posterior of the leading cause   incidents   mean posterior   share right")
    for low, high in pairwise(BINS):
        inside = [each for each in judged if low <= each.posterior < high]
        if inside:
            mean = sum(each.posterior for each in inside) / len(inside)
            share = sum(each.leads_right for each in inside) / len(inside)
            print(f"{low:.2f} to {min(high, 1):.2f} {len(inside):26} {mean:16.2f} {share:13.2f}")


def incomplete(cases: list[Labelled], drawn: int | None = None) -> Iterator[Judged]:
    """Each incident without each of its files; or, where `drawn` is given, SUBSETS times with so many of them."""
    draw = random.Random(0)
    for case in cases:
        files = sorted({each.file for each in case.incident.coverage})
        if len(files) <= (drawn or 1):
            continue
        left_out = [[file] for file in files]
        if drawn:
            left_out = [draw.sample(files, len(files) - drawn) for _ in range(SUBSETS)]
        for names in left_out:
            incident = case.incident.without(*names)
            yield Judged(case, judge(incident.wordless(), observe(incident)))


def show_incomplete(cases: list[Labelled]) -> None:
    """How often what is left of an incident is judged as the whole, left open, or named wrongly."""
    for what, judged in (
        ("without one of its files", list(incomplete(cases))),
        (f"by {FEW_FILES} of its files", list(incomplete(cases, FEW_FILES))),
    ):
        right = sum(each.right for each in judged)
        wrong = [each for each in judged if each.answered and not each.right]
        sure = sum(each.confidently_wrong for each in wrong)
        print(
            f"{what}: {len(judged)} judged, {right} right, {len(judged) - right - len(wrong)} left open, "
            f"{len(wrong)} wrong, {sure} of them confidently"
        )


def main() -> None:
    """Print the reliability curve, the Brier score and the confident wrong answers, whole and by kind left out."""
    cases = list(labelled(sys.argv[1] if len(sys.argv) > 1 else None))
    judged = [Judged(case, judge(case.incident.wordless(), case.observations)) for case in cases]
    show_reliability(judged)
    print(
        f"\nBrier score {brier(judged):.3f} on {len(judged)} incidents; {sum(each.right for each in judged)} right, ",
        end="",
    )
    print(f"{sum(each.confidently_wrong for each in judged)} confidently wrong")
    kinds = sorted({case.kind for case in cases})
    scores = [brier([each for each in judged if each.case.kind != kind]) for kind in kinds]
    print(f"with one of {len(kinds)} kinds of incident left out: Brier {min(scores):.3f} to {max(scores):.3f}")
    show_incomplete([case for case in cases if not case.composed])
    unknown = [
        Judged(
            case,
            judge(
                case.incident.wordless(),
                case.observations,
                [c for c in all_causes().values() if c.slug not in case.accept],
            ),
        )
        for case in cases
        if case.accept
    ]
    named = [each for each in unknown if each.answered]
    sure = [each for each in named if each.confidently_wrong]
    print(
        f"with the true cause's row taken out of the table: {len(unknown) - len(named)} of {len(unknown)} insufficient, ",
        end="",
    )
    print(f"{len(named)} named another cause, {len(sure)} of them confidently:")
    for each in sorted(named, key=lambda each: -each.posterior):
        print(
            f"  {each.posterior:.2f} {each.diagnosis.answer[0].slug:26} instead of {each.case.kind:26} {each.case.name}"
        )


if __name__ == "__main__":
    main()
