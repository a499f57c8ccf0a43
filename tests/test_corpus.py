"""Every parser's cases: one text file each, `corpus/<parser>/<what-happens>.txt`.

    # a comment, as many as needed
    {"kind": "hung_task", "line": 1, "subject": {"pid": 4242}}
    ...
    (an empty line)
    the raw log

Each JSON line is a subset of one fact in the form that `parse --json` prints, in the order of the facts; the
parser must give exactly these. A line of three dots, last, allows facts after them. No JSON line at all is a near
miss: the parser must find nothing. Line numbers count from the first line of the raw log.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from diagnostics.evidence import Evidence
from diagnostics.parsers import all_parsers
from diagnostics.text import Text

CORPUS = Path(__file__).with_name("corpus")
CASES = sorted(path for path in CORPUS.glob("*/*") if path.is_file())


def split_case(data: bytes) -> tuple[list[dict[str, Any]], bool, bytes]:
    """The expected facts, whether others may follow, and the raw log."""
    head, _, raw = (b"", b"", data[1:]) if data.startswith(b"\n") else data.partition(b"\n\n")
    said = [line for line in head.decode().splitlines() if not line.startswith("#")]
    others = said[-1:] == ["..."]
    return [json.loads(line) for line in (said[:-1] if others else said)], others, raw


def as_json(fact: Evidence) -> dict[str, Any]:
    stamp = (
        {"clock": fact.stamp.clock.value, "seconds": fact.stamp.seconds, "boot": fact.stamp.boot}
        if fact.stamp
        else None
    )
    return {
        "kind": fact.kind,
        "line": fact.source.line,
        "severity": fact.severity.value,
        "subject": fact.subject.known(),
        "stamp": stamp,
        **fact.fields(),
    }  # fmt: skip


def is_within(expected: Any, found: Any) -> bool:
    """True when everything that is expected is found; a dictionary may hold more."""
    if isinstance(expected, dict):
        return isinstance(found, dict) and all(is_within(value, found.get(name)) for name, value in expected.items())
    if isinstance(expected, list):
        return (
            isinstance(found, list) and len(expected) == len(found) and all(map(is_within, expected, found))
        )  # fmt: skip
    if isinstance(expected, float) and isinstance(found, float):
        return found == pytest.approx(expected)
    return bool(expected == found)


@pytest.mark.parametrize("path", CASES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_case(path: Path) -> None:
    expected, others, raw = split_case(path.read_bytes())
    text = Text("raw.log", raw)
    parser = all_parsers()[path.parent.name]
    facts = [as_json(fact) for fact in parser.read(text)] if parser.wants(text) else []
    shown = "\n".join(json.dumps(fact) for fact in facts)
    for wanted, found in zip(expected, facts, strict=False):
        assert is_within(wanted, found), f"wanted {wanted}\nfound {json.dumps(found)}\n\nall facts:\n{shown}"
    assert len(facts) >= len(expected) if others else len(facts) == len(expected), f"all facts:\n{shown}"


def test_every_parser_has_cases() -> None:
    without = sorted(set(all_parsers()) - {path.parent.name for path in CASES})
    assert not without, f"no case in tests/corpus/ for: {', '.join(without)}"


def test_a_wrong_fact_is_noticed() -> None:
    fact = {"kind": "hung_task", "line": 3, "subject": {"pid": 1, "comm": "dd"}}
    assert is_within({"kind": "hung_task", "subject": {"pid": 1}}, fact)
    assert not is_within({"kind": "hung_task", "subject": {"pid": 2}}, fact)
    assert not is_within({"function": None, "kind": "xid"}, fact)


def test_split_case() -> None:
    assert split_case(b'# why\n{"kind": "xid"}\n...\n\nraw\n') == ([{"kind": "xid"}], True, b"raw\n")
    assert split_case(b"\nraw\n\nmore\n") == ([], False, b"raw\n\nmore\n")
