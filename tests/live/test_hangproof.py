"""Whatever a volume does, the question comes back within its deadline and one second."""

from __future__ import annotations

import os
import threading
import time
from typing import Any

import pytest

from diagnostics import hangproof
from diagnostics.evidence.probe import Outcome
from diagnostics.hangproof import MOST_LEFT_BEHIND, Cancelled, left_behind
from diagnostics.question import Question
from tests.faults.faultfs import FaultFS
from tests.faults.place import wait_for
from tests.faults.sshfs import SSHFS


def size_of(say: Any, path: str) -> dict[str, int]:
    say(at="stat", path=path)
    return {"size": os.stat(path).st_size}  # noqa: PTH116


def read_whole(say: Any, path: str) -> dict[str, int]:
    say(at="read")
    with open(path, "rb") as file:
        return {"size": len(file.read())}


def read_directly(say: Any, path: str) -> dict[str, int]:
    import mmap

    say(at="direct read")
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECT)
    return {"size": os.readv(descriptor, [mmap.mmap(-1, 4096)])}


def wait_long(say: Any) -> None:
    import time

    say(at="a nap")
    time.sleep(60)


SIZE, READ, DIRECT, NAP = (Question(each) for each in (size_of, read_whole, read_directly, wait_long))


def test_answered(tmp_path: Any) -> None:
    (tmp_path / "a").write_bytes(b"abc")
    answer = SIZE.ask("/", 10, path=str(tmp_path / "a"))
    assert (answer.outcome, answer.values) == (Outcome.ANSWERED, {"size": 3})


def test_refused_says_the_errno() -> None:
    answer = SIZE.ask("/", 10, path="/nowhere/at/all")
    assert (answer.outcome, answer.error) == (Outcome.REFUSED, "ENOENT")


def test_silent_says_where_it_was() -> None:
    start = time.monotonic()
    answer = NAP.ask("/", 0.5)
    assert time.monotonic() - start < 1.5
    assert answer.outcome is Outcome.SILENT
    assert "in a nap" in answer.text
    assert not left_behind()


def test_cancel_works_at_once() -> None:
    cancel = threading.Event()
    threading.Timer(0.2, cancel.set).start()
    start = time.monotonic()
    with pytest.raises(Cancelled):
        NAP.ask("/", 30, cancel=cancel)
    assert time.monotonic() - start < 1.5


def test_a_program_that_does_not_exist_is_a_status() -> None:
    assert hangproof.run(["/nowhere/tool"], mount="/", deadline_s=5).status == 127


def test_a_child_that_somebody_else_kills_is_not_silent() -> None:
    done = hangproof.run(["sh", "-c", "kill -KILL $$"], mount="", deadline_s=10)
    assert done.status == -9


def test_a_grandchild_that_keeps_the_pipe_does_not_hold_us() -> None:
    start = time.monotonic()
    done = hangproof.run(["sh", "-c", "echo said; sleep 30 & exit 3"], mount="", deadline_s=10)
    assert (done.status, done.output) == (3, b"said\n")
    assert time.monotonic() - start < 3


@pytest.mark.fuse
@pytest.mark.root
def test_a_killable_child_is_gone(faultfs: FaultFS) -> None:
    (faultfs.backing / "a").write_bytes(b"x" * 4096)
    faultfs.fail(hang=["read"])
    answer = READ.ask(str(faultfs.mount), 0.5, path=str(faultfs.mount / "a"))
    assert answer.outcome is Outcome.SILENT
    assert not left_behind()  # a buffered read is killable


@pytest.mark.fuse
@pytest.mark.root
def test_unkillable_children_are_counted_limited_and_reaped(faultfs: FaultFS) -> None:
    mount = str(faultfs.mount)
    (faultfs.backing / "a").write_bytes(b"x" * 4096)
    faultfs.fail(hang=["read"])
    for number in range(MOST_LEFT_BEHIND):
        answer = DIRECT.ask(mount, 0.3, path=f"{mount}/a")
        assert answer.outcome is Outcome.SILENT
        assert len(left_behind(mount)) == number + 1
    start = time.monotonic()
    refused = DIRECT.ask(mount, 5, path=f"{mount}/a")
    assert time.monotonic() - start < 1
    assert (refused.outcome, refused.text[:9]) == (Outcome.SILENT, "not asked")
    assert left_behind("/elsewhere") == []
    faultfs.heal()
    wait_for(lambda: not left_behind(mount), "the left-behind children to end")


@pytest.mark.sshfs
@pytest.mark.root
def test_metadata_that_hangs(sshfs: SSHFS) -> None:
    sshfs.freeze()
    start = time.monotonic()
    answer = SIZE.ask(str(sshfs.mount), 1, path=str(sshfs.mount / "a"))
    assert time.monotonic() - start < 2
    assert (answer.outcome, answer.progress["at"]) == (Outcome.SILENT, "stat")


def test_of_too_much_output_the_head_and_the_tail_are_kept_and_every_line_is_told() -> None:
    lines: list[bytes] = []
    done = hangproof.run(["seq", "1000000", "1999999"], mount="", deadline_s=30, limit=1 << 20, on_line=lines.append)
    rows = done.output.splitlines()
    assert (rows[0], rows[-1]) == (b"1000000", b"1999999")
    note = rows.index(b"[%d bytes left out]" % done.cut)
    assert all(len(row) == 7 for row in rows[:note] + rows[note + 1 :]), "no line is torn"
    assert done.cut + 8 * (len(rows) - 1) == 8_000_000
    assert len(done.output) < (1 << 20) + (1 << 17)
    assert (len(lines), lines[-1]) == (1_000_000, b"1999999")


def test_output_within_the_limit_is_whole() -> None:
    done = hangproof.run(["seq", "10000"], mount="", deadline_s=10, limit=1 << 20)
    assert (done.cut, done.output.count(b"\n")) == (0, 10_000)
