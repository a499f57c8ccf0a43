"""The generated reference is complete and fresh."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def reference():  # type: ignore[no-untyped-def]
    spec = importlib.util.spec_from_file_location("project_reference", ROOT / "scripts" / "reference.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_everything_is_documented() -> None:
    assert reference().undocumented() == []


@pytest.mark.parametrize("name", ["facts.md", "symptoms.md", "causes.md"])
def test_pages_are_fresh(name: str) -> None:
    written = (ROOT / "docs" / "reference" / name).read_text()
    assert written == reference().pages()[name], "run: python scripts/reference.py"
