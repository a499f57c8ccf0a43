"""What holds for every row of the table of causes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from diagnostics.causes import Cause, Role, all_causes
from diagnostics.causes._studies import ESTIMATE
from diagnostics.evidence import Subject
from diagnostics.symptoms import all_symptoms

TESTS = Path(__file__).parents[1]
SLUGS = """
network-filesystem-fault storage-too-slow storage-client-evicted disk-full quota-exceeded read-only-filesystem
local-disk-failure filesystem-corruption filesystem-kernel-bug silent-data-corruption interrupted-write
gpu-off-bus gpu-memory-error gpu-firmware-fault gpu-driver-wedged gpu-driver-mismatch gpu-illegal-access nvlink-fault
gpu-thermal-or-power gpu-straggler gpu-memory-exhausted orphaned-gpu-process gpu-device-faulty
interconnect-link-fault network-misconfigured peer-unreachable
container-out-of-memory host-out-of-memory memory-leak shared-memory-too-small open-file-limit cpu-starved
host-memory-error kernel-lockup host-power-or-firmware pod-evicted preempted process-stopped
fork-deadlock lock-deadlock worker-died-unnoticed compile-deadlock compile-slow jit-cache-race watchdog-too-short
collective-mismatch rank-failed training-diverged user-code-error checkpoint-code-bug orderly-stop
""".split()
FAMILIES = {"storage", "gpu", "network", "host", "software"}
FIELDS = set(Subject.__dataclass_fields__) | {"filesystem"}

rows = pytest.mark.parametrize("cause", all_causes().values(), ids=lambda cause: cause.slug)


def test_the_vocabulary_is_whole() -> None:
    assert set(all_causes()) == set(SLUGS)


@rows
def test_row_is_argued(cause: Cause) -> None:
    assert cause.family in FAMILIES
    assert cause.source.startswith(ESTIMATE) or re.search(r"\(20\d\d\)", cause.source), (
        "a prior needs a study, or says so"
    )
    assert len(cause.source) > len(ESTIMATE) + 20, "an estimate says on what it rests"
    assert cause.what and cause.now and cause.for_good and cause.checks
    assert cause.mistaken_for and all(rival and why for rival, why in cause.mistaken_for)
    assert all(check.looks_for and check.command for check in cause.checks)
    assert all(effect.because and effect.actually for effect in cause.effects)
    assert any(effect.role is Role.INITIATING for effect in cause.effects)


@rows
def test_numbers_are_probabilities(cause: Cause) -> None:
    assert 0 < cause.prior < 0.1
    assert all(0 < effect.strength < 1 for effect in cause.effects)


@rows
def test_effects_are_symptoms_and_each_is_named_once(cause: Cause) -> None:
    names = [effect.symptom for effect in cause.effects]
    assert set(names) <= set(all_symptoms())
    assert len(names) == len(set(names))


@rows
def test_sentences_use_known_fields(cause: Cause) -> None:
    for text in (*(effect.actually for effect in cause.effects), *map(str, (*cause.now, *cause.for_good))):
        assert set(re.findall(r"\{(\w+)\}", text)) <= FIELDS


@rows
def test_some_case_exercises_it(cause: Cause) -> None:
    """A row that no incident of the tests comes to is a guess."""
    texts = [f"{path.stem} {path.read_text()[:200]}" for path in (TESTS / "causes").rglob("*.txt")]
    texts.append((TESTS / "captures" / "truth.json").read_text())
    assert any(re.search(rf"(?<![\w-]){cause.slug}(?![\w-])", text) for text in texts)


def test_priors_sum_to_about_one() -> None:
    assert 0.7 < sum(cause.prior for cause in all_causes().values()) < 1.3


def test_every_symptom_that_is_no_sign_of_health_has_a_cause() -> None:
    shown = {effect.symptom for cause in all_causes().values() for effect in cause.effects}
    assert {name for name, symptom in all_symptoms().items() if not symptom.healthy} <= shown
