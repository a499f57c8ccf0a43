"""The notebooks as documents: they define nothing, ask before they compute, and keep what a fresh run gives.

That the outputs are still true is checked by `make notebooks`; that compares nothing where an output is missing,
so here it is made sure that none is.
"""

from __future__ import annotations

import ast
import itertools
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parents[1] / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
LINES = 4  # of code in a cell, imports not counted


def load(path: Path) -> dict[str, Any]:
    return dict(json.loads(path.read_text(encoding="utf-8")))


def source(cell: dict[str, Any]) -> str:
    return "".join(cell["source"])


def code_cells(path: Path) -> list[dict[str, Any]]:
    return [cell for cell in load(path)["cells"] if cell["cell_type"] == "code"]


def test_the_story_is_told_in_order() -> None:
    assert [path.stem for path in NOTEBOOKS] == [
        "00_start_here",
        "01_triage",
        "02_root_cause",
        "03_live_probes",
        "04_checkpoints",
        "05_postmortem",
    ]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_defines_nothing_and_its_cells_are_short(path: Path) -> None:
    for cell in code_cells(path):
        tree = ast.parse(source(cell))
        assert not [node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.Lambda))]
        lines = [line for line in source(cell).splitlines() if line.strip()]
        assert len([line for line in lines if not line.startswith(("import ", "from "))]) <= LINES, source(cell)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_prose_asks_before_code_answers(path: Path) -> None:
    cells = load(path)["cells"]
    assert cells[0]["cell_type"] == "markdown"
    for before, cell in itertools.pairwise(cells):
        parameters = "parameters" in before["metadata"].get("tags", ())
        follows_setup = before["cell_type"] == "code" and (parameters or not before["outputs"])
        assert cell["cell_type"] == "markdown" or before["cell_type"] == "markdown" or follows_setup, source(cell)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_one_cell_holds_the_parameters(path: Path) -> None:
    assert sum("parameters" in cell["metadata"].get("tags", ()) for cell in code_cells(path)) == 1


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_outputs_are_stored_and_a_live_notebook_stores_none(path: Path) -> None:
    live = load(path)["metadata"].get("live", False)
    for number, cell in enumerate(code_cells(path), start=1):
        assert cell["execution_count"] == (None if live else number)
        assert not (live and cell["outputs"])
        assert not [each for each in cell["outputs"] if each["output_type"] in ("error", "stream")]
        tree = ast.parse(source(cell))
        if not live and isinstance(tree.body[-1], ast.Expr) and "os." not in source(cell):
            assert cell["outputs"], source(cell)


def test_an_incident_of_ones_own_gets_copies_with_its_path_and_no_outputs(tmp_path: Path) -> None:
    incident = FOLDER.parent / "sample_logs" / "healthy"
    command = [sys.executable, str(FOLDER.parent / "scripts" / "investigate.py"), str(incident), str(tmp_path / "mine")]
    told = subprocess.run(command, capture_output=True, text=True, check=True)
    assert told.stdout.strip() == str(tmp_path / "mine")
    for path in (tmp_path / "mine").glob("*.ipynb"):
        assert not [cell for cell in code_cells(path) if cell["outputs"] or cell["execution_count"]]
        assigned = [source(cell) for cell in code_cells(path) if source(cell).startswith("INCIDENT = ")]
        assert all(f"INCIDENT = {str(incident)!r}" in text for text in assigned)
    gone = subprocess.run([*command[:2], str(tmp_path / "gone")], capture_output=True, text=True)
    assert gone.returncode == 1
    assert "does not exist" in gone.stderr
