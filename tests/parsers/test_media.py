"""Media: a symptom that asks for one which no parser reads could never be absent."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from diagnostics import symptoms
from diagnostics.parsers import Parser, all_parsers

MEDIA = {parser.medium for parser in all_parsers().values()}


def test_the_list_of_media_is_complete() -> None:
    said = (Parser.__doc__ or "").partition("medium :")[2].partition("footprint :")[0]
    assert set(re.findall(r'"([a-z-]+)"', said)) == MEDIA


def test_symptoms_ask_for_media_that_are_read() -> None:
    asked = {
        (path.name, word.value)
        for path in Path(symptoms.__file__).parent.glob("*.py")
        for call in ast.walk(ast.parse(path.read_text()))
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "reads"
        for word in call.args
        if isinstance(word, ast.Constant)
    }
    assert asked
    assert not [(file, medium) for file, medium in asked if medium not in MEDIA]
