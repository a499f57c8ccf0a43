"""Each line of a case says which rules it breaks after `#>`; every other line must be left alone."""

from __future__ import annotations

import json
import os
import re
from collections import defaultdict
from pathlib import Path

import pytest

from diagnostics.checkpoints.audit import audit, audit_source
from diagnostics.checkpoints.audit.rules import ROWS
from diagnostics.cli import main
from diagnostics.errors import UnreadableInput
from tests.faults.faultfs import FaultFS

CASES = sorted(Path(__file__).with_name("cases").glob("*.case"))
LANGUAGES = {".py": "python", ".sh": "shell"}


def expected(text: str) -> dict[int, set[str]]:
    return {
        number: set(line.partition("#>")[2].split())
        for number, line in enumerate(text.splitlines(), start=1)
        if "#>" in line
    }


@pytest.mark.parametrize("case", CASES, ids=lambda path: path.stem)
def test_case(case: Path) -> None:
    text = case.read_text()
    language = LANGUAGES[Path(case.stem).suffix]
    found: dict[int, set[str]] = defaultdict(set)
    for finding in audit_source(case.name, language, re.sub(r" *#>.*", "", text)):
        if not finding.suppressed:
            found[finding.line].add(finding.slug)
    assert dict(found) == expected(text)


def test_every_rule_has_a_case() -> None:
    shown = {slug for case in CASES for slugs in expected(case.read_text()).values() for slug in slugs}
    assert shown == {rule.slug for rule in ROWS}


@pytest.fixture
def code(tmp_path: Path) -> Path:
    (tmp_path / "train.py").write_text('import torch\ntorch.save({}, "ckpt/step_1.pt")\n')
    (tmp_path / "mirror").write_text("#!/usr/bin/env bash\ncp ckpt/step_1.pt /backup/step_1.pt\n")
    (tmp_path / "notes.txt").write_text("cp ckpt/step_1.pt /backup/step_1.pt\n")
    (tmp_path / ".venv").mkdir()
    (tmp_path / ".venv" / "library.py").write_text('import torch\ntorch.save({}, "model.pt")\n')
    return tmp_path


def test_a_tree_of_code(code: Path) -> None:
    report = audit(code)
    assert [(Path(each.file).name, each.line, each.slug) for each in report] == [
        ("mirror", 2, "copy-final-name"),
        ("train.py", 2, "write-final-name"),
    ]
    assert report.read == 2


def test_a_notebook(tmp_path: Path) -> None:
    cells = [
        {"cell_type": "markdown", "source": ["torch.save(x)"]},
        {"cell_type": "code", "source": ["!pip list\n", "import torch\n", 'torch.save({}, "model.pt")']},
    ]
    (tmp_path / "run.ipynb").write_text(json.dumps({"cells": cells}))
    assert [each.slug for each in audit(tmp_path)] == ["write-final-name"]


def test_the_exit_status_is_for_ci(code: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", str(code)]) == 1
    printed = capsys.readouterr()
    assert "train.py:2: error [write-final-name]" in printed.out and "instead: with publish(" in printed.out
    assert printed.err.startswith("error: 2 findings")
    clean = tmp_path / "clean.py"
    clean.write_text("print(1)\n")
    assert main(["audit", str(clean)]) == 0


def test_json_and_sarif(code: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["audit", str(code), "--json"])
    assert {each["rule"] for each in json.loads(capsys.readouterr().out)["findings"]} == {
        "copy-final-name",
        "write-final-name",
    }
    main(["audit", str(code), "--sarif"])
    run = json.loads(capsys.readouterr().out)["runs"][0]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    for result in run["results"]:
        assert rules[result["ruleIndex"]] == result["ruleId"]
        assert result["locations"][0]["physicalLocation"]["region"]["startLine"] == 2


@pytest.mark.parametrize(
    "text", ["def (", "\0", "x = " + "(" * 5000, "x" + ".a" * 20_000, "\xff\xfe", "if 1:\n\t\tx\n        y"]
)
def test_what_is_no_python_is_named_and_the_rest_read(tmp_path: Path, text: str) -> None:
    (tmp_path / "bad.py").write_text(text, encoding="latin-1")
    (tmp_path / "good.sh").write_text("cp model.pt /b/model.pt\n")
    assert [each.slug for each in audit(tmp_path)] == ["copy-final-name"]


@pytest.mark.parametrize(
    "text", ["'" * 9999, '"$(' * 5000, "`" * 9999, "<<" * 5000, "${" * 9999, "(" * 9999, "$($(" * 4000]
)
def test_shell_that_never_closes_is_read_in_linear_time(text: str) -> None:
    import time

    start = time.perf_counter()
    list(audit_source("x.sh", "shell", text))
    assert time.perf_counter() - start < 5


def test_a_path_that_does_not_exist(tmp_path: Path) -> None:
    with pytest.raises(UnreadableInput):
        audit(tmp_path / "nothing")


def test_what_is_neither_file_nor_folder_is_told(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UnreadableInput, match="neither a file nor a directory"):
        audit(tmp_path / "pipe")


@pytest.mark.fuse
def test_a_folder_that_cannot_be_listed_is_unread(faultfs: FaultFS) -> None:
    (faultfs.backing / "ill").mkdir()
    faultfs.fail(eio=["readdir"], only="ill")
    (faultfs.backing / "train.py").write_text("print(1)\n")
    found = audit(faultfs.mount)
    assert found.read == 1
    assert [Path(path).name for path, _ in found.unread] == ["ill"]


def test_this_package_passes_its_own_audit() -> None:
    report = audit(Path(__file__).parents[3] / "diagnostics")
    assert not report.failing, str(report)
