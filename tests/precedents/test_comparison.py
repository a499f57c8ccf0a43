"""What the wording of an incident says, and by which lines."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer

from diagnostics.errors import BrokenInstallation
from diagnostics.evidence import Severity, Source
from diagnostics.evidence.job import LogLine
from diagnostics.precedents import NO_WORDS, compare, wording
from diagnostics.precedents.comparison import FEW
from diagnostics.precedents.model import MODEL, Model
from diagnostics.precedents.wording import grams

LOG = """\
step 40811 | loss 2.31 | 0.9 s
OSError: [Errno 122] Disk quota exceeded: '/home/alice/ckpt/step_812.pt'
step 812 | loss 2.30 | 0.9 s
"""


def lines(text: str = LOG, file: str = "run/train.log") -> list[Source]:
    told = [Source(file, number, line) for number, line in enumerate(text.splitlines(), start=1)]
    return [Source(file, 0, ""), *told]


def small_model(names: frozenset[str] = frozenset()) -> Model:
    weight = np.array([[1.0, 0.0], [0.5, -0.5], [0.0, 2.0]])
    place, idf, bias = {" no": 0, "no ": 1, "yes": 2}, np.array([1.0, 2.0, 2.0]), np.array([0.1, 0.2])
    return Model(("a", "insufficient"), place, names, idf, weight, bias, np.array([0.5, 0.5]), 1.0, "")


def test_the_runs_of_characters_are_those_of_scikit_learn() -> None:
    text = "a NFS: server\t7 not-responding"
    analyze = TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 5)).build_analyzer()
    runs = {gram for gram in grams(text) if "\t" not in gram}
    assert runs == set(analyze(text.lower().replace("7", "0")))


def test_a_number_stands_with_its_neighbours_and_a_long_one_by_its_digits() -> None:
    def numbers(line: str) -> list[str]:
        return [gram for gram in grams(line) if "\t" in gram]

    assert numbers("exitcode: -9 (pid: 40321)") == ["\t-9", "exitcode\t-9", "-9\tpid", "\te5", "pid\te5"]
    assert numbers("99.7% 0.3") == ["\te2%", "\te0", "0\te0", "e2%\t0"]
    assert numbers("Errno 122") != numbers("Errno 13")
    assert numbers("pid 40321") == numbers("PID 90417")
    assert not numbers("no space left")


def test_a_number_of_any_length_is_read() -> None:
    assert list(grams("9" * 100_000))[-1] == "\te100000"


def test_a_score_is_the_sum_of_its_lines_and_the_bias() -> None:
    model = small_model()
    scores, added = model.of_lines(["no no", "yes no", "what"])
    for label in (0, 1):
        assert scores[label] == pytest.approx(added(label).sum() + model.bias[label])
    assert added(0)[2] == 0


def test_saying_it_twice_says_no_more() -> None:
    model = small_model()
    assert model.scores(["yes", "no"]) == pytest.approx(model.scores(["yes yes", "no", "no yes"]))


def test_a_text_without_known_words_is_left_to_the_bias() -> None:
    model = small_model()
    assert model.scores(["..."]) == pytest.approx(model.bias)


def test_a_model_is_read_as_it_was_written(tmp_path: Path) -> None:
    model = Model.load()
    model.save(tmp_path / "again.npz")
    again = Model.load(tmp_path / "again.npz")
    assert again.labels == model.labels
    assert again.place == model.place
    assert np.array_equal(again.weight, model.weight)
    assert (again.temperature, again.digest) == (model.temperature, model.digest)


def damaged(file: Path, how: str) -> None:
    data = MODEL.read_bytes()
    cases = {
        "missing": None,
        "empty": b"",
        "cut": data[: len(data) // 2],
        "flipped": data[:100_000] + bytes([data[100_000] ^ 255]) + data[100_001:],
        "text": b"not a model\n",
    }
    if (found := cases[how]) is not None:
        file.write_bytes(found)


@pytest.mark.parametrize("how", ["missing", "empty", "cut", "flipped", "text"])
def test_a_damaged_model_is_an_error_that_says_what_to_do(how: str, tmp_path: Path) -> None:
    damaged(tmp_path / "model.npz", how)
    with pytest.raises(BrokenInstallation, match="install the package again"):
        Model.load(tmp_path / "model.npz")


def test_a_stored_object_is_not_executed(tmp_path: Path) -> None:
    file = tmp_path / "model.npz"
    np.savez(file, labels=np.array([print], dtype=object))
    with pytest.raises(BrokenInstallation, match="allow_pickle"):
        Model.load(file)


def test_words_that_nobody_knows_say_nothing() -> None:
    assert compare([Source("a.txt", 1, "ŋŋŋ ßß")]) is NO_WORDS
    assert compare([]) is NO_WORDS
    assert NO_WORDS.telling("disk-full") == NO_WORDS.alike("disk-full") == []


def test_a_name_that_no_precedent_has_says_nothing() -> None:
    lines = [Source("NVRM_Xid_79_GPU_has_fallen_off_the_bus.txt", 0, ""), Source("x", 1, "hello world")]
    assert compare(lines).bits == pytest.approx(compare(lines[1:]).bits)
    model = small_model(frozenset({"no"}))
    assert (model.named("run/no"), model.named("yes")) == ("no", "")


def test_what_the_library_holds_much_of_is_no_likelier_for_that() -> None:
    model = small_model()
    lines = [Source("x", 1, "no")]
    rare = compare(lines, replace(model, share=np.array([0.1, 0.9]))).bits["a"]
    assert rare - compare(lines, model).bits["a"] == pytest.approx(np.log2(9))


def test_the_telling_line_is_named() -> None:
    said = compare(lines())
    assert max(said.bits, key=said.bits.__getitem__) == "quota-exceeded"
    assert said.bits["quota-exceeded"] > 3
    assert [each.line for each in said.telling("quota-exceeded", most=1)] == [2]
    assert said.telling("no-such-cause") == []


def test_known_incidents_are_named_by_their_threads() -> None:
    alike = compare(lines()).alike("quota-exceeded")
    assert len(alike) == len(set(alike)) == 3
    assert all("#" in each or each.startswith("https://") for each in alike)
    assert compare(lines("foo the bar\n")).alike("quota-exceeded") == []


def fact(line: int, severity: Severity) -> LogLine:
    return LogLine(
        source=Source("b.log", line, f"it fails in way {'abc'[line % 3]}"), level="error", text="", severity=severity
    )


def test_long_numbers_case_and_folders_change_nothing() -> None:
    other = LOG.replace("40811", "90417").replace("OSError", "oserror")
    assert compare(lines(other, "elsewhere/train.log")).bits == pytest.approx(compare(lines()).bits)


def test_few_lines_are_compared_whole_and_one_of_each_shape() -> None:
    texts = {
        "a.log": [Source("a.log", n, f"step {n}") for n in range(1, 900)],
        "b.log": [Source("b.log", 1, "it fails")],
    }
    assert [(each.file, each.line) for each in wording(texts, [])] == [
        ("a.log", 0),
        ("b.log", 0),
        ("a.log", 1),
        ("b.log", 1),
    ]


@pytest.mark.parametrize("many", [None, [Source("a.log", n, "x" * n) for n in range(1, FEW + 2)]])
def test_of_many_lines_the_grave_ones_are_compared(many: list[Source] | None) -> None:
    evidence = [fact(1, Severity.WARNING), fact(2, Severity.INFO), fact(4, Severity.CRITICAL)]
    told = wording({"a.log": many, "b.log": []}, evidence)
    assert [(each.file, each.line) for each in told] == [("b.log", 0), ("b.log", 1)]


def test_nobody_compares_what_nobody_read() -> None:
    assert wording({}, [fact(1, Severity.WARNING)]) == []
