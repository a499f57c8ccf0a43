"""How an artefact is offered to the parsers: what is left to the last resorts, and what counts as empty."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

from diagnostics import reading
from diagnostics.archives import Artefact
from diagnostics.evidence import Evidence, ReadState, Source
from diagnostics.evidence.job import SettingSeen
from diagnostics.incident import open_incident
from diagnostics.large_text import LARGE
from diagnostics.parsers import Parser, all_parsers
from diagnostics.precedents import wording
from diagnostics.reading import MANY, ParserRaised, Reading, read_artefact
from diagnostics.text import Text, as_shown

PYSPY = """\
Process 4242: python train.py
Python v3.11.9 (/usr/bin/python3.11)

Thread 4242 (idle): "MainThread"
    wait (threading.py:320)
    main (train.py:41)
"""


def read(text: str) -> Reading:
    return read_artefact(Artefact(name="artefact.txt", data=text.encode()))


def complaints(text: str) -> list[str]:
    return [fact.source.quote for fact in read(text)[0] if fact.kind in ("log_line", "operator_note")]


def test_headings_with_nothing_below_them_are_empty() -> None:
    facts, told, _ = read("== pid 12414\n== pid 12453\n\n")
    assert (facts, [each.state for each in told]) == ([], [ReadState.EMPTY])


def test_headings_above_something_unknown_are_not_empty() -> None:
    assert [each.state for each in read("== pid 12414\nqwerty 12\n")[1]] == [ReadState.UNRECOGNISED]


def test_what_programs_do_in_a_dump_is_no_complaint() -> None:
    strace = (
        "strace: Process 4382 attached\n[pid  4382] futex(0x7f2c, FUTEX_WAIT, 0, {tv_sec=5}) = ? <unfinished ...>\n"
        "[pid  4382] <... futex resumed>) = -1 ETIMEDOUT (Connection timed out)\n"
    )
    assert complaints(strace) == []
    assert complaints("Error: Failed to suspend process\nReason: EPERM: Operation not permitted\n") == []
    assert complaints("warning: unable to open /proc file\nThread 1 (process 4242):\n#0  0x7f in read ()\n") == []


def test_a_job_s_complaint_above_a_dump_is_kept() -> None:
    assert complaints("step 3 | loss 2.1\nERROR: no progress for 600 s\n" + PYSPY) == ["ERROR: no progress for 600 s"]


def test_the_lines_of_an_artefact_are_kept_unless_they_are_many() -> None:
    assert [(each.line, each.quote) for each in read("a\nb\n").lines or []] == [(1, "a"), (2, "b")]
    assert len(read("step 17\n" * MANY).lines or []) == MANY
    assert read("step 17\n" * (MANY + 1)).lines is None
    assert read("qwerty qwerty\n" * (LARGE // 14 + 1)).lines is None


def test_a_line_of_megabytes_is_cut_and_binary_data_has_no_lines() -> None:
    assert sum(len(each.quote) for each in read("x" * 3_000_000).lines or []) < 10_000
    assert read("\x00\x01\x02" * 5000).lines == []


def test_an_incident_without_a_file_is_one_that_never_had_it(tmp_path: Path) -> None:
    (tmp_path / "train.log").write_text("".join(f"step {'x' * n}\n" for n in range(100)))
    (tmp_path / "dmesg.txt").write_text("[ 8123.1] nfs: server 192.0.2.7 not responding, still trying\n")
    incident = open_incident(tmp_path)
    assert wording(incident.without("train.log").texts, ()) == wording(open_incident(tmp_path / "dmesg.txt").texts, ())
    assert incident.wordless().texts == {}


def test_of_very_many_lines_the_ordinary_are_not_compared_unless_files_are_left_out(tmp_path: Path) -> None:
    for n in range(6):
        (tmp_path / f"{n}.txt").write_text("a line\n" * 900)
    incident = open_incident(tmp_path)
    assert wording(incident.texts, ()) == []
    assert [line.file for line in wording(incident.without("0.txt").texts, ()) if line.line] == [
        f"{n}.txt" for n in range(1, 6)
    ]


def test_kept_lines_are_those_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text("one\r\n\n\x0bthree")
    (lines,) = open_incident(tmp_path).texts.values()
    assert lines is not None
    assert list(lines) == read_artefact(Artefact("a.log", b"one\r\n\n\x0bthree")).lines
    assert (lines[0].quote, lines[-1].line, len(lines)) == ("one", 3, 3)


def raises_after_one(text: Text) -> Iterator[Evidence]:
    yield SettingSeen(source=Source(text.name, 1, "answer 42"), name="answer", value="42")
    raise OverflowError("cannot convert float infinity to integer")


@pytest.fixture
def broken_parser(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = Parser(tool="broken", medium="settings", footprint="^answer ", read=raises_after_one)
    monkeypatch.setattr(reading, "_in_turn", lambda: [("broken", broken), *all_parsers().items()])
    monkeypatch.setattr(reading, "_footprints", lambda: reading.Footprints({"broken": broken.searched}))


@pytest.mark.usefixtures("broken_parser")
def test_a_parser_that_raises_is_said_in_the_coverage_and_loses_nothing() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ParserRaised)
        facts, told, _ = read("answer 42\n")
    assert [fact.kind for fact in facts] == ["setting_seen"]
    assert [(each.parser, each.state, each.facts) for each in told] == [("broken", ReadState.UNREADABLE, 1)]
    assert told[0].reason == (
        "unreadable by this parser after 1 facts: OverflowError: cannot convert float infinity to integer"
    )


@pytest.mark.usefixtures("broken_parser")
def test_no_test_passes_where_a_parser_raises() -> None:
    with pytest.raises(ParserRaised, match=r"^broken, artefact\.txt: unreadable by this parser"):
        read("answer 42\n")


def test_one_path_below_two_hosts_is_a_file_of_each() -> None:
    row = "-rw-r--r-- 1 ana ml {} Nov  4 02:14 a.pt\n"
    hosts = lambda text: [fact.subject.host for fact in read(text)[0] if fact.kind == "file_entry"]  # noqa: E731
    two = f"ana@n1:~$ ls -l out\n{row.format(40)}[root@n2 x]# ls -l out\n{row.format(30)}$ ls -l out\n{row.format(20)}"
    assert hosts(two) == ["n1", "n2", None]
    assert hosts(f"n1$ ls -l out\n{row.format(40)}n1$ ssh -p 22 ana@n2 ls -l out\n{row.format(30)}") == ["n1", "n2"]
    assert hosts(f"n1$ ls -l out\n{row.format(40)}n2$ ls -l in\n{row.format(30)}") == [None, None]
    assert hosts(f"bash-5.1$ ls -l out\n{row.format(40)}root# ls -l out\n{row.format(30)}") == [None, None]


def journal(*messages: str, as_bytes: bool = False) -> str:
    """`journalctl -o json` of some messages; journald gives those that hold colours as bytes."""
    shown = (list(message.encode()) if as_bytes else message for message in messages)
    records = ({"__REALTIME_TIMESTAMP": "1777730491000000", "_HOSTNAME": "gpu-17", "MESSAGE": each} for each in shown)
    return "".join(json.dumps(record) + "\n" for record in records)


LAST_WORDS = ("step 1 loss 2.0", "RuntimeError: CUDA error: unspecified launch failure")


@pytest.mark.parametrize("as_bytes", [False, True])
@pytest.mark.parametrize("colour", ["{}", "\x1b[31m{}\x1b[0m"])
def test_a_message_in_a_journals_record_is_read_as_in_a_plain_file(as_bytes: bool, colour: str) -> None:
    text = journal(*map(colour.format, LAST_WORDS), as_bytes=as_bytes)
    facts = read(text).facts
    assert sorted(fact.kind for fact in facts) == ["python_exception", "training_steps"]
    (raised,) = (fact for fact in facts if fact.kind == "python_exception")
    assert raised.source == Source("artefact.txt", 2, text.splitlines()[1])
    assert raised.subject.host == "gpu-17"


def test_a_footprint_of_a_whole_line_is_seen_in_a_record() -> None:
    table = ("Filesystem     1K-blocks      Used Available Use% Mounted on", "/dev/sda1      100 100 0 100% /data")
    assert all_parsers()["df"].wants(Text("a", "\n".join(table).encode()))
    assert all_parsers()["df"].wants(Text("a", journal(*table).encode()))


def test_what_is_no_list_of_bytes_stays_as_it_is() -> None:
    line = '{"MESSAGE": [27, 300]}'
    assert as_shown(line) == line
