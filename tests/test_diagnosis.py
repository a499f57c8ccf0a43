"""The verdict on small tables: subjects, independent faults, insufficient evidence, shaken numbers."""

from __future__ import annotations

import gc
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from diagnostics import diagnosis, finding, network, observation
from diagnostics.causes import Cause, Effect, Role
from diagnostics.diagnosis import diagnose, judge
from diagnostics.evidence import NOBODY, Source, Subject
from diagnostics.hypothesis import Verdict
from diagnostics.incident import Incident
from diagnostics.observation import Observation, RuleRaised, State
from diagnostics.precedents import Likeness
from diagnostics.symptoms import Finding, Symptom

EMPTY = Incident("nothing", [], [])


def symptom(leak: float, healthy: bool = False) -> Symptom:
    return Symptom("seen", lambda incident: (), leak, "as the test needs it", healthy=healthy)


def cause(slug: str, prior: float = 0.02, on: tuple[str, ...] = (), **strengths: float) -> Cause:
    roles = {"job_hangs": Role.CASCADE}
    effects = tuple(
        Effect(name.replace("_", "-"), p, "because", "actually", roles.get(name, Role.INITIATING))
        for name, p in strengths.items()
    )
    return Cause(slug, slug, slug, prior, "a study", effects, (), (), (), (), on)


def seen(name: str, state: State = State.PRESENT, **subject: object) -> Observation:
    return Observation(name, state, Subject(**subject) if subject else NOBODY)  # type: ignore[arg-type]


SYMPTOMS = {
    "disk-cries": symptom(0.0005),
    "gpu-cries": symptom(0.0005),
    "gpu-idles": symptom(0.1),
    "job-hangs": symptom(0.2),
    "reads-hang": symptom(0.005),
    "threads-wait": symptom(0.005),
    "rare-cry": symptom(0.0005),
    "steady": symptom(0.3, healthy=True),
    "finished-normally": symptom(0.3, healthy=True),
}
CAUSES = {
    each.slug: each
    for each in (
        cause("disk-fault", on=("mount",), disk_cries=0.9, reads_hang=0.6, job_hangs=0.5),
        cause("gpu-fault", on=("pci", "gpu"), gpu_cries=0.9, gpu_idles=0.5, job_hangs=0.5),
        cause("lock", threads_wait=0.7, job_hangs=0.7),
        cause("fork", threads_wait=0.7, job_hangs=0.7),
    )
}


@pytest.fixture(autouse=True)
def small_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (diagnosis, finding, network):
        monkeypatch.setattr(module, "all_symptoms", lambda: SYMPTOMS)
    monkeypatch.setattr(network, "all_causes", lambda: CAUSES)


def slugs(found: diagnosis.Diagnosis) -> list[str]:
    return [each.slug for each in found.answer]


def test_a_specific_symptom_decides() -> None:
    found = judge(EMPTY, [seen("gpu-cries", gpu=3), seen("job-hangs")])
    assert found.verdict is Verdict.ROOT_CAUSE
    assert slugs(found) == ["gpu-fault"]
    assert found.answer[0].subject.gpu == 3
    assert found.robustness > 0.9


def test_a_symptom_that_everything_shows_decides_nothing() -> None:
    found = judge(EMPTY, [seen("job-hangs")])
    assert found.verdict is Verdict.INSUFFICIENT
    assert found.answer == ()
    assert {each.slug for each in found.hypotheses} == set(CAUSES)


def test_consequences_alone_name_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a leak ends in is no sign of a leak, however well the leak would explain it."""
    leak = cause("leak", job_hangs=0.9)
    monkeypatch.setattr(network, "all_causes", lambda: {"leak": leak})
    monkeypatch.setattr(diagnosis, "all_symptoms", lambda: {**SYMPTOMS, "job-hangs": symptom(0.0005)})
    monkeypatch.setattr(network, "all_symptoms", lambda: {**SYMPTOMS, "job-hangs": symptom(0.0005)})
    found = judge(EMPTY, [seen("job-hangs")])
    assert found.hypotheses[0].posterior > diagnosis.ANSWER_POSTERIOR
    assert found.verdict is Verdict.INSUFFICIENT


def test_no_answer_while_something_telling_is_unaccounted_for() -> None:
    observations = [seen("gpu-cries", gpu=3), seen("gpu-idles", gpu=3)]
    assert slugs(judge(EMPTY, observations)) == ["gpu-fault"]
    found = judge(EMPTY, [*observations, seen("rare-cry")])
    assert found.hypotheses[0].posterior > diagnosis.ANSWER_POSTERIOR
    assert found.verdict is Verdict.INSUFFICIENT


def test_seen_on_one_gpu_is_seen_on_its_host() -> None:
    on_a_host = cause("orphan", on=("host",), gpu_cries=0.9)
    alone = judge(EMPTY, [seen("gpu-cries", gpu=0)], [on_a_host])
    beside = judge(EMPTY, [seen("gpu-cries", gpu=0), seen("gpu-cries", State.ABSENT, gpu=1)], [on_a_host])
    assert beside.hypotheses[0].posterior == pytest.approx(alone.hypotheses[0].posterior)


def test_rivals_within_reach_are_insufficient() -> None:
    found = judge(EMPTY, [seen("threads-wait"), seen("job-hangs")])
    assert found.verdict is Verdict.INSUFFICIENT
    assert {each.slug for each in found.hypotheses[:2]} == {"lock", "fork"}


def test_two_unrelated_faults_are_independent_causes_and_each_has_its_own_facts() -> None:
    found = judge(EMPTY, [seen("gpu-cries", gpu=3), seen("disk-cries", mount="/data"), seen("job-hangs")])
    assert found.verdict is Verdict.INDEPENDENT_CAUSES
    explains = {each.slug: set(each.explains) for each in found.answer}
    assert "gpu-cries" in explains["gpu-fault"]
    assert "gpu-cries" not in explains["disk-fault"]
    assert "disk-cries" in explains["disk-fault"]


def test_evidence_about_another_mount_does_not_count() -> None:
    apart = judge(EMPTY, [seen("disk-cries", mount="/data"), seen("reads-hang", mount="/workspace")])
    together = judge(EMPTY, [seen("disk-cries", mount="/data"), seen("reads-hang", mount="/data")])
    assert together.answer[0].explains == ("disk-cries", "reads-hang")
    assert apart.answer[0].subject.mount == "/data"
    assert "reads-hang" not in apart.answer[0].explains


def test_the_index_and_the_address_of_one_gpu_are_one_subject() -> None:
    found = judge(EMPTY, [seen("gpu-cries", pci="0000:8b:00"), seen("gpu-idles", gpu=3)])
    instances = [each for each in found.hypotheses if each.slug == "gpu-fault"]
    assert len(instances) == 1
    assert instances[0].subject == Subject(pci="0000:8b:00", gpu=3)


def test_eight_gpus_at_once_are_one_fault() -> None:
    found = judge(EMPTY, [seen("gpu-cries", gpu=index) for index in range(8)])
    assert found.verdict is Verdict.ROOT_CAUSE
    assert slugs(found) == ["gpu-fault"]
    assert found.answer[0].about.gpu is None


def test_what_follows_from_a_fault_is_seen_on_other_ranks_too() -> None:
    found = judge(EMPTY, [seen("gpu-cries", gpu=3), seen("job-hangs", gpu=0, rank=0)])
    assert [each.slug for each in found.hypotheses].count("gpu-fault") == 1
    assert found.answer[0].explains == ("gpu-cries", "job-hangs")
    assert found.answer[0].subject.gpu == 3


def test_an_absent_symptom_speaks_against() -> None:
    without = judge(EMPTY, [seen("reads-hang", mount="/data")])
    absent = judge(EMPTY, [seen("reads-hang", mount="/data"), seen("disk-cries", State.ABSENT)])
    assert absent.hypotheses[0].posterior < without.hypotheses[0].posterior
    assert "disk-cries" in next(each for each in absent.hypotheses if each.slug == "disk-fault").against


def test_nobody_looked_is_not_absent() -> None:
    without = judge(EMPTY, [seen("reads-hang", mount="/data")])
    unobserved = judge(EMPTY, [seen("reads-hang", mount="/data"), seen("disk-cries", State.UNOBSERVED)])
    assert [each.posterior for each in unobserved.hypotheses] == [each.posterior for each in without.hypotheses]


def test_signs_of_health_alone_are_healthy() -> None:
    assert judge(EMPTY, [seen("steady")]).verdict is Verdict.HEALTHY
    assert judge(EMPTY, [seen("steady"), seen("job-hangs")]).verdict is Verdict.INSUFFICIENT
    assert judge(EMPTY, []).verdict is Verdict.INSUFFICIENT


def test_an_answer_that_a_shaken_table_turns_over_is_not_given(monkeypatch: pytest.MonkeyPatch) -> None:
    close = {"lock": cause("lock", prior=0.05, threads_wait=0.7), "fork": cause("fork", prior=0.03, threads_wait=0.7)}
    monkeypatch.setattr(network, "all_causes", lambda: close)
    monkeypatch.setattr(diagnosis, "ANSWER_POSTERIOR", 0.5)
    monkeypatch.setattr(diagnosis, "ANSWER_ROBUSTNESS", 0.99)
    found = judge(EMPTY, [seen("threads-wait")])
    assert found.hypotheses[0].slug == "lock"
    assert 0.5 < found.robustness < 0.99
    assert found.verdict is Verdict.INSUFFICIENT


def test_what_if_takes_a_symptom_away() -> None:
    found = judge(EMPTY, [seen("gpu-cries", gpu=3), seen("job-hangs")])
    assert found.assume(gpu_cries=None).verdict is Verdict.INSUFFICIENT
    assert found.assume(gpu_cries=True).verdict is Verdict.ROOT_CAUSE
    with pytest.raises(KeyError):
        found.assume(no_such_symptom=True)


def test_weights_are_bits_per_symptom_and_cause() -> None:
    weights = judge(EMPTY, [seen("gpu-cries", gpu=3), seen("job-hangs")]).weights
    assert weights.loc["gpu-cries", "gpu-fault on gpu 3"] > 10
    assert weights.loc["gpu-cries", "lock"] == pytest.approx(0)


def test_the_same_answer_twice() -> None:
    observed = [seen("gpu-cries", gpu=3), seen("disk-cries", mount="/data"), seen("job-hangs")]
    first, second = judge(EMPTY, observed), judge(EMPTY, observed)
    assert first.hypotheses == second.hypotheses
    assert first.robustness == second.robustness


@pytest.fixture
def worded(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Let the wording of an incident say what a test needs."""

    def say(**bits: float) -> None:
        words = Likeness({name.replace("_", "-"): value for name, value in bits.items()})
        monkeypatch.setattr(diagnosis, "compare", lambda lines: words if lines else Likeness({}))

    return say


WORDED = Incident("worded", [], [], {"train.log": [Source("train.log", 1, "a line")]})


def test_words_alone_are_a_lead_of_three_to_one_and_no_more(worded: Callable[..., None]) -> None:
    worded(gpu_fault=22.0)
    found = judge(WORDED, [])
    assert (found.verdict, slugs(found)) == (Verdict.ROOT_CAUSE, ["gpu-fault"])
    assert found.answer[0].posterior == pytest.approx(network.LIFTED_TO)
    assert found.answer[0].is_lead
    assert "A lead and no proof" in found.finding[1].text
    assert sum(each.posterior for each in found.hypotheses) > 0.8, "what the words leave open belongs to the others"


def test_a_hair_of_wording_makes_no_answer(worded: Callable[..., None]) -> None:
    observed = [seen("threads-wait"), seen("job-hangs")]
    for bits in (0.01, 1.0, 1.5):
        worded(lock=bits)
        assert judge(WORDED, observed).verdict is Verdict.INSUFFICIENT


def test_what_is_no_answer_says_what_it_lacks(worded: Callable[..., None]) -> None:
    """Each limit of an answer, one at a time, in the finding's own words."""
    telling = "something must have caused it"
    assert telling in judge(EMPTY, [seen("gpu-cries", gpu=3), seen("rare-cry")]).lacking
    assert "is as likely" in judge(EMPTY, [seen("threads-wait"), seen("job-hangs")]).lacking
    rivals = [cause("often", threads_wait=0.7), cause("seldom", 0.012, threads_wait=0.7)]
    assert "its symptoms make it" in judge(EMPTY, [seen("threads-wait")], rivals).lacking
    for bits, lacking in (
        ({"lock": 1.0}, "less than 3 bits"),
        ({"lock": 4.0}, "4.0 bits for it, and a lead needs 5"),
        ({"lock": 9.0, "fork": 9.0, "disk_fault": 9.0}, "more likely than not"),
        ({"lock": 14.0, "fork": 13.5}, "within reach"),
    ):
        worded(**bits)
        found = judge(WORDED, [])
        assert found.answer == () and lacking in found.lacking, (bits, found.lacking)
        assert any(lacking in each.text for each in found.finding) or found.hypotheses[0].posterior < finding.SUSPECTED
    assert judge(EMPTY, [seen("gpu-cries", gpu=3)]).lacking == ""
    worded(cause_7=3.1)
    many = [cause(f"cause-{number}", threads_wait=0.7) for number in range(60)]
    assert "none of the known causes" in judge(WORDED, [], many).lacking


def test_an_answer_of_the_symptoms_is_no_lead_whatever_the_words_say(worded: Callable[..., None]) -> None:
    worded(gpu_fault=12.0)
    found = judge(WORDED, [seen("gpu-cries", gpu=3), seen("job-hangs")])
    assert not found.answer[0].is_lead
    assert found.answer[0].posterior == pytest.approx(found.wordless().answer[0].posterior)


def test_what_the_words_say_is_shaken_too(worded: Callable[..., None]) -> None:
    robust = []
    for bits in (3.0, 6.0, 16.0):
        worded(lock=bits)
        robust.append(network.shaken(judge(WORDED, []).network, {"lock"}))
    assert robust[0] < robust[1] <= robust[2] == 1.0


def test_few_words_name_nobody(worded: Callable[..., None]) -> None:
    worded(gpu_fault=2.0)
    assert judge(WORDED, []).verdict is Verdict.INSUFFICIENT


def test_words_lower_no_answer_of_the_symptoms_by_lifting_another(worded: Callable[..., None]) -> None:
    worded(lock=6.0, gpu_fault=-2.0)
    found = judge(WORDED, [seen("gpu-cries", gpu=3), seen("job-hangs")])
    assert slugs(found) == ["gpu-fault"]


def test_words_take_no_answer_from_the_symptoms(worded: Callable[..., None]) -> None:
    causes = [*CAUSES.values(), cause("net-fault", rare_cry=0.02)]
    worded(lock=12.0, net_fault=-2.0)
    found = judge(WORDED, [seen("rare-cry")], causes)
    assert (slugs(found), found.answer[0].worded) == (["net-fault"], 0.0)
    assert slugs(judge(WORDED, [], causes)) == ["lock"]


def test_words_tell_rivals_apart(worded: Callable[..., None]) -> None:
    observed = [seen("threads-wait"), seen("job-hangs")]
    worded(lock=6.0, fork=0.5)
    assert slugs(judge(WORDED, observed)) == ["lock"]
    assert judge(WORDED, observed).wordless().verdict is Verdict.INSUFFICIENT


def test_what_the_words_say_is_a_row_of_the_weights(worded: Callable[..., None]) -> None:
    worded(lock=5.0, fork=0.5)
    weights = judge(WORDED, [seen("threads-wait")]).weights
    assert weights.loc[diagnosis.WORDING, "lock"] == 5.0
    assert diagnosis.WORDING not in judge(EMPTY, [seen("threads-wait")]).weights.index


def test_nothing_is_healthy_that_is_worded_like_a_fault(worded: Callable[..., None]) -> None:
    worded(lock=4.0, fork=4.0, gpu_fault=4.0)
    assert judge(WORDED, [seen("steady")]).verdict is Verdict.INSUFFICIENT
    worded(lock=-4.0)
    assert judge(WORDED, [seen("steady")]).verdict is Verdict.HEALTHY


def test_after_a_good_end_it_is_healthy_whatever_the_lines_sound_like(worded: Callable[..., None]) -> None:
    worded(lock=4.0, fork=4.0, gpu_fault=4.0)
    assert judge(WORDED, [seen("finished-normally")]).verdict is Verdict.HEALTHY
    assert judge(WORDED, [seen("finished-normally"), seen("job-hangs")]).verdict is not Verdict.HEALTHY


def test_a_file_that_is_left_out_says_nothing(worded: Callable[..., None]) -> None:
    worded(gpu_fault=12.0)
    assert judge(WORDED.without("train.log"), []).verdict is Verdict.INSUFFICIENT


def test_the_collector_of_cycles_is_left_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    incident = Incident("nothing", [], [])
    diagnose(incident)
    assert gc.isenabled()
    monkeypatch.setattr("diagnostics.diagnosis.observe", lambda _: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        diagnose(incident)
    assert gc.isenabled()
    gc.disable()
    try:
        with pytest.raises(ZeroDivisionError):
            diagnose(incident)
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_a_cause_on_thousands_of_subjects_is_one_instance_on_all_of_them() -> None:
    volumes = [seen("disk-cries", mount=f"/mnt/v{n}") for n in range(4000)]
    start = time.process_time()
    built = network.build(volumes)
    assert time.process_time() - start < 5
    assert [each.subject for each in built.instances if each.cause.slug == "disk-fault"] == [NOBODY]


def raises_after_one(incident: Incident) -> Iterator[Finding]:
    yield Finding(NOBODY, (), "the disk cries")
    raise OverflowError("cannot convert float infinity to integer")


@pytest.fixture
def broken_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    table = SYMPTOMS | {"disk-cries": replace(SYMPTOMS["disk-cries"], rule=raises_after_one)}
    monkeypatch.setattr(observation, "all_symptoms", lambda: table)


@pytest.mark.usefixtures("broken_rule")
def test_a_rule_that_raises_is_said_and_ends_no_other() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuleRaised)
        found = diagnose(EMPTY)
    assert slugs(found) == ["disk-fault"], "what it had found before counts"
    assert found.finding[-1].text == (
        "A defect of this program: the rule of disk-cries failed and may have missed something: "
        "OverflowError: cannot convert float infinity to integer."
    )
    assert {each.symptom for each in found.observations} == set(SYMPTOMS)


@pytest.mark.usefixtures("broken_rule")
def test_no_test_passes_where_a_rule_raises() -> None:
    with pytest.raises(RuleRaised, match=r"^the rule of disk-cries failed"):
        diagnose(EMPTY)
