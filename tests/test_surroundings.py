"""A command in bad surroundings: no room for its output, no streams, an old locale, an empty name, senseless numbers."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SAMPLE = Path(__file__).parents[1] / "sample_logs" / "cgroup_oom"
PROGRAM = f"{sys.executable} -m diagnostics"


def shell(line: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["/bin/sh", "-c", line], capture_output=True, text=True, errors="replace", timeout=60, check=False,
        env=os.environ | {"PYTHONPATH": str(SAMPLE.parents[1])} | environment,
    )  # fmt: skip


@pytest.mark.parametrize("command", ["diagnose", "diagnose --json", "parse", "parse --json", "checkpoint verify"])
def test_no_room_for_the_output_is_one_line_and_status_1(command: str) -> None:
    said = shell(f"{PROGRAM} {command} {SAMPLE} > /dev/full")
    assert said.returncode == 1
    assert said.stderr == "error: the output cannot be written or read: No space left on device; name another place\n"


def test_missing_streams_are_no_fault() -> None:
    for closed in ("<&-", ">&-", "2>&-", "<&- >&- 2>&-"):
        said = shell(f"{PROGRAM} diagnose {SAMPLE} {closed}")
        assert (said.returncode, said.stderr) == (0, ""), closed
    assert shell(f"{PROGRAM} parse {SAMPLE} | head -n 1").stderr == ""


@pytest.mark.parametrize("json", ["", "--json"])
@pytest.mark.parametrize("command", ["diagnose", "parse"])
def test_a_locale_that_cannot_say_a_name_is_no_fault(tmp_path: Path, command: str, json: str) -> None:
    for name in (b"\xe2\x80\xaegnp.log", b"\xff.log", "\U0001f525.log".encode()):
        line = b"[  100.1] INFO: task python:123 blocked for more than 120 seconds.\n"
        Path(os.fsdecode(os.path.join(os.fsencode(tmp_path), name))).write_bytes(line)  # noqa: PTH118
    said = shell(f"{PROGRAM} {command} {json} {tmp_path}", PYTHONIOENCODING="ascii")
    assert (said.returncode, said.stderr) == (0, "")


def test_names_are_shown_and_never_obeyed(tmp_path: Path) -> None:
    (tmp_path / "a\x1b]0;title\x07\nb.log").write_text(
        "[  100.1] INFO: task python:123 blocked for more than 120 seconds.\n"
    )
    for command in ("parse", "diagnose", "checkpoint verify", "audit"):
        said = shell(f"{PROGRAM} {command} {tmp_path}")
        assert said.returncode == 0
        assert "\x1b" not in said.stdout
        assert "\x07" not in said.stdout
    said = shell(f"{PROGRAM} diagnose \"$(printf '/no\\033[31mwhere')\"")
    assert said.returncode == 1
    assert "\x1b" not in said.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        "probe /tmp --deadline nan",
        "probe /tmp --deadline -1",
        "watch --factor nan -- true",
        "watch --keep -1 -- true",
        f"postmortem {SAMPLE} -o /tmp/x.md --rate inf",
        f"postmortem {SAMPLE} -o /tmp/x.md --gpus -5",
    ],
)
def test_a_number_without_sense_is_wrong_usage(arguments: str) -> None:
    said = shell(f"{PROGRAM} {arguments}")
    assert said.returncode == 2
    assert "Traceback" not in said.stderr


def test_an_empty_path_is_not_the_working_folder() -> None:
    for command in ("parse", "diagnose"):
        said = shell(f"{PROGRAM} {command} ''")
        assert (said.returncode, said.stdout) == (1, "")


def test_where_answers_cannot_be_written_is_told_before_they_are_asked_for(tmp_path: Path) -> None:
    said = shell(f"{PROGRAM} probe {tmp_path} --out {tmp_path}/missing/answers.jsonl")
    assert (said.returncode, said.stdout) == (1, "")
    assert "Traceback" not in said.stderr
