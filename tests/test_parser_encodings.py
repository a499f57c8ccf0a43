"""The same text gives the same facts, however it was pasted: CRLF, UTF-16, a byte-order mark, colours."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from diagnostics.parsers import all_parsers
from diagnostics.text import Text

from .test_corpus import CASES, split_case

TEXTS = [path for path in CASES if not all_parsers()[path.parent.name].binary]
WAYS: dict[str, Callable[[bytes], bytes]] = {
    "CRLF": lambda raw: raw.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n"),
    "UTF-16": lambda raw: raw.decode("utf-8", errors="replace").encode("utf-16"),
    "byte-order mark": lambda raw: b"\xef\xbb\xbf" + raw,
    "colours": lambda raw: b"\n".join(b"\x1b[1;31m" + line + b"\x1b[0m" for line in raw.split(b"\n")),
}


def facts_in(name: str, raw: bytes) -> list[tuple[Any, ...]]:
    parser, text = all_parsers()[name], Text("raw.log", raw)
    if not parser.wants(text):
        return []
    return [(fact.kind, fact.source.line, fact.subject, repr(fact.fields())) for fact in parser.read(text)]


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_the_way_it_was_pasted_changes_nothing(path: Path) -> None:
    raw = split_case(path.read_bytes())[2]
    if b"\x1b" in raw or b"\0" in raw or b"\r" in raw or raw[:3] == b"\xef\xbb\xbf" or raw[:2] == b"\xff\xfe":
        return  # a case of such a way already
    expected = facts_in(path.parent.name, raw)
    for way, paste in WAYS.items():
        assert facts_in(path.parent.name, paste(raw)) == expected, way
