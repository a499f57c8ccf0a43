"""How an artefact is offered to the parsers: what is left to the last resorts, and what counts as empty."""

from __future__ import annotations

from diagnostics.archives import Artefact
from diagnostics.evidence import Coverage, Evidence, ReadState
from diagnostics.reading import read_artefact

PYSPY = """\
Process 4242: python train.py
Python v3.11.9 (/usr/bin/python3.11)

Thread 4242 (idle): "MainThread"
    wait (threading.py:320)
    main (train.py:41)
"""


def read(text: str) -> tuple[list[Evidence], list[Coverage]]:
    return read_artefact(Artefact(name="artefact.txt", data=text.encode()))


def complaints(text: str) -> list[str]:
    return [fact.source.quote for fact in read(text)[0] if fact.kind in ("log_line", "operator_note")]


def test_headings_with_nothing_below_them_are_empty() -> None:
    facts, told = read("== pid 12414\n== pid 12453\n\n")
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
