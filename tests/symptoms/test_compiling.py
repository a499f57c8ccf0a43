"""A compiler that is at work is not one that is being imported."""

from __future__ import annotations

from pathlib import Path

import pytest

from diagnostics.incident import open_incident
from diagnostics.observation import State, observe

DUMP = """\
Process 4242: python train.py
Python v3.11.7 (/usr/bin/python3.11)

Thread 4242 (active): "MainThread"
    {innermost} (torch/_dynamo/convert_frame.py:30)
    _call_with_frames_removed (<frozen importlib._bootstrap>:241)
    main (train.py:7)
    <module> (train.py:90)
"""


@pytest.mark.parametrize(("innermost", "at_work"), [("<module>", False), ("compile_frame", True)])
def test_an_import_is_no_compilation(tmp_path: Path, innermost: str, at_work: bool) -> None:
    (tmp_path / "pyspy.txt").write_text(DUMP.format(innermost=innermost))
    states = {each.state for each in observe(open_incident(tmp_path)) if each.symptom == "compiling"}
    assert states == {State.PRESENT if at_work else State.ABSENT}


FIRST_STEP = "torch.compile first step: 212.4 s\ntorch.compile next steps: 0.9 s\n"
IN_A_TRIAL = "compile one program at a time      38 s, no warning\ncompile eight in parallel          hangs\n"


@pytest.mark.parametrize(("timing", "lines"), [(FIRST_STEP, {1}), (IN_A_TRIAL, set())])
def test_a_measured_compilation_is_cited_once(tmp_path: Path, timing: str, lines: set[int]) -> None:
    (tmp_path / "timing.txt").write_text(timing)
    seen = [each for each in observe(open_incident(tmp_path)) if each.symptom == "compiling"]
    assert {fact.source.line for each in seen for fact in each.evidence} == lines
    assert all(len(each.notes) <= 1 for each in seen)
