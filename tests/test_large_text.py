"""A large artefact gives the same facts as a small one with the same lines, with and without ripgrep."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

import pytest

from diagnostics import ripgrep
from diagnostics.evidence import Evidence
from diagnostics.footprint import Footprint, cover, required_words, split_alternatives
from diagnostics.haystack import LONG_LINE, Haystack, without_middles
from diagnostics.incident import open_incident
from diagnostics.large_text import LARGE, LargeText
from diagnostics.parsers import all_parsers
from diagnostics.reading import read_artefact, readers
from diagnostics.text import Text

HUNG = """[{at}.000001] INFO: task python:{n} blocked for more than 120 seconds.
[{at}.000002] task:python          state:D stack:0     pid:{n}   tgid:{n}  ppid:1     flags:0x00000002
[{at}.000003] Call Trace:
[{at}.000004]  schedule+0x23/0xa0
[{at}.000005]  request_wait_answer+0x151/0x210
[{at}.000006]  fuse_flush+0x155/0x190
[{at}.000007]  </TASK>
"""
QUIET = "[{at}.500000] audit: type=1400 audit(1700000000.1:{n}): apparmor=DENIED operation=open pid={n} comm=ps\n"


def log(lines: int) -> str:
    parts = ["[    0.000001] Linux version 6.8.0 (x) #1\n"]
    for n in range(lines):
        parts.append(HUNG.format(at=n, n=n) if n % 40_000 == 20_000 else QUIET.format(at=n, n=n))
    parts.append(f"[{lines}.000001] NVRM: Xid (PCI:0000:b3:00): 79, pid=1, name=python3, GPU has fallen off the bus.\n")
    return "".join(parts)


def told(facts: list[Evidence]) -> list[tuple[object, ...]]:
    return sorted(
        (f.kind, f.source.line, f.source.quote, str(f.fields())) for f in facts if f.kind != "kernel_log_span"
    )


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("large") / "kernel.log"
    path.write_text(log(100_000))
    assert path.stat().st_size > LARGE
    return path


@pytest.fixture(scope="module")
def expected(path: Path) -> list[tuple[object, ...]]:
    text = Text("kernel.log", path.read_bytes())
    return told([fact for _, parser, seen in readers(text) if parser.claims != "alone" for fact in parser.read(seen)])


def large(path: Path) -> list[tuple[object, ...]]:
    from diagnostics.archives import artefacts

    (artefact,) = artefacts(path)
    assert artefact.path is not None
    return told(read_artefact(artefact)[0])


def test_with_ripgrep(path: Path, expected: list[tuple[object, ...]]) -> None:
    assert ripgrep.program(), "the wheel ripgrep brings it"
    assert len(expected) > 3
    assert large(path) == expected


def test_without_ripgrep(path: Path, expected: list[tuple[object, ...]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ripgrep, "program", lambda: None)
    assert large(path) == expected


def test_no_parser_reads_a_large_kernel_log_from_end_to_end(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    lines = LargeText.lines
    monkeypatch.setattr(LargeText, "lines", lambda self: read.append(self.name) or lines(self))
    assert large(path)
    assert not read


def test_a_footprint_is_never_ruled_out_where_it_matches() -> None:
    for line in (
        HUNG,
        "nfs: server nas01 not responding, still trying",
        "CUDA_ERROR_ILLEGAL_ADDRESS",
        "step 3 | loss 2.1",
    ):
        haystack = Haystack(line)
        for parser in all_parsers().values():
            if not parser.binary and parser.pattern.search(line):
                live = Footprint(parser.footprint).live(haystack)
                assert live is not None, parser.tool
                assert live.search(line), parser.tool


def test_split_alternatives() -> None:
    assert split_alternatives(r"a|b(c|d)[|\]]|e\|f|[]|]g") == ["a", r"b(c|d)[|\]]", r"e\|f", "[]|]g"]


def test_required_words() -> None:
    assert required_words(r"INFO: task .{1,64}:\d+ (?:blocked|can't die)") == (
        frozenset({"INFO: task "}),
        frozenset({"blocked", "can't die"}),
    )
    assert required_words(r"[Ll]ink down") == (frozenset({"Link down", "link down"}),)
    assert required_words(r"^\S+ \d+$") == ()


@pytest.mark.parametrize("before", ["", "first\n", "first\n\n"])
@pytest.mark.parametrize("after", ["", "\n", "\nlast", "\nlast\n"])
def test_of_a_long_line_only_the_ends_are_looked_at(before: str, after: str) -> None:
    ends = "a" * (LONG_LINE // 2), "z" * (LONG_LINE // 2)
    assert without_middles(before + ends[0] + "m" * 1_000_000 + ends[1] + after) == before + "".join(ends) + after
    whole = before + "".join(ends) + after
    assert without_middles(whole) == whole


def test_several_long_lines() -> None:
    line = "x" * (LONG_LINE + 1)
    assert without_middles("\n".join([line, "short", line, line])).split("\n") == [
        line[1:],
        "short",
        line[1:],
        line[1:],
    ]


def test_a_line_of_ten_megabytes_costs_little(tmp_path: Path) -> None:
    from diagnostics.incident import open_incident

    path = tmp_path / "dump.txt"
    path.write_text(HUNG.format(at=1, n=1) + '{"a": [1, null], "error": "loss of step 3"}, ' * 240_000 + "\n")
    open_incident(path)
    before = time.process_time()
    found = open_incident(path)
    assert time.process_time() - before < 3
    assert [fact.kind for fact in found.evidence].count("hung_task") == 1


def test_bytes_in_memory_are_searched_as_a_file_is() -> None:
    """An archive's entry: ripgrep finds what Python's own engine finds."""
    data = b"".join(b"line %d %s\n" % (n, b"Xid 79" if n % 997 == 0 else b"") for n in range(50_000))
    here = ripgrep.search_here(["Xid"], [], (data,))
    assert len(here) == 51
    assert ripgrep.lines_of_data(["Xid"], [], data) == here
    assert ripgrep.lines_of_data([], ["(?i)xid [0-9]+"], data) == here
    assert ripgrep.lines_of_data([], [], data) == []


@pytest.mark.skipif(ripgrep.program() is None, reason="needs ripgrep")
def test_ripgrep_understands_every_pattern(tmp_path: Path) -> None:
    """A pattern that it does not know ends the search for all of them."""
    parts = (part for parser in all_parsers().values() if not parser.binary for part in parser.searched.alternatives)
    (tmp_path / "patterns").write_text("\n".join(cover(parts, "")[1]))
    (tmp_path / "run.log").write_text("Early stopping at epoch 12\n")
    run = subprocess.run(
        [str(ripgrep.program()), "--no-unicode", "-c", "-f", str(tmp_path / "patterns"), str(tmp_path / "run.log")],
        capture_output=True,
        text=True,
    )
    assert (run.returncode, run.stdout) == (0, "1\n"), run.stderr


@pytest.mark.skipif(ripgrep.program() is None, reason="needs ripgrep")
def test_what_ripgrep_cannot_search_for_is_found_here(tmp_path: Path) -> None:
    (tmp_path / "run.log").write_text("step 1\nstep 2\n")
    assert ripgrep.lines_of_file([], [r"step (?!1)"], tmp_path / "run.log") == [ripgrep.Found(2, 7)]


def bars(first: int, last: int) -> list[str]:
    """States of tqdm's bar, each of its own step."""
    return [
        f"Epoch 0:  {at * 9 // last}%|##  | {at}/{last} [{at // 60:02}:{at % 60:02}<1:00:00,  9.1it/s]"
        for at in range(first, last)
    ]


def test_who_reads_no_bars_sees_the_first_and_the_last_state() -> None:
    shown = "\n".join([*bars(1, 9), "Traceback (most recent call last):", *bars(1, 9)]) + "\r" + "\r".join(bars(2, 9))
    text = Text("train.log", shown.encode())
    assert [line.text for line in text.settled.lines() if line.text] == [
        bars(1, 9)[0],
        bars(1, 9)[-1],
        "Traceback (most recent call last):",
        bars(1, 9)[0],
        bars(2, 9)[-1],
    ]
    assert [line.quote for line in text.settled.lines()] == [line.quote for line in text.lines()]
    assert Text("train.log", b"step 1\n").settled.plain == "step 1\n"


def test_bars_cost_little_and_nothing_between_them_is_lost(tmp_path: Path) -> None:
    fault = "RuntimeError: CUDA error: unspecified launch failure"
    for name, end in (("nohup.out", "\r"), ("slurm.out", "\n")):
        for times in (1, 4):  # held, and too large to be
            path = tmp_path / f"{times}-{name}"
            states = end.join(bars(0, 30_000 * times))
            path.write_text(f"{states}\n{fault}\n{states}\n")
            assert (path.stat().st_size > LARGE) == (times == 4)
            reading, took = read(path)
            kinds = {(fact.kind, fact.source.quote[:40]) for fact in reading if fact.kind != "progress_bar"}
            assert any(quote == fault[:40] for _, quote in kinds), kinds
            assert any(fact.kind == "progress_bar" for fact in reading)
            assert took < path.stat().st_size / 1e6  # seconds of processor: 1 MB/s, where it was a third of that


def read(path: Path) -> tuple[list[Evidence], float]:
    begin = time.process_time()
    facts = list(open_incident(path).evidence)
    return facts, time.process_time() - begin


def test_the_lines_after_an_absurdly_long_one_keep_their_numbers(tmp_path: Path) -> None:
    path = tmp_path / "train.log"
    path.write_bytes(b"step 1 loss 2.0\n" + b"x" * (40 << 20) + b"\nMemoryError: no room\n")
    large = LargeText("train.log", path=path)
    assert [(line.number, line.text[:11]) for line in large.lines()] == [
        (1, "step 1 loss"),
        *[(2, "x" * 11)] * 3,
        (3, "MemoryError"),
    ]
