"""Of many errors, a pattern is passed over only where none of them can match it."""

from __future__ import annotations

import importlib
import pkgutil
import re

from diagnostics import symptoms
from diagnostics.haystack import Haystack
from diagnostics.symptoms._errors import _footprint

from ..test_corpus import CASES, split_case


def patterns() -> list[re.Pattern[str]]:
    """Those of all rules, but for one that refers back to a group."""
    modules = [
        importlib.import_module(f"{symptoms.__name__}.{each.name}") for each in pkgutil.iter_modules(symptoms.__path__)
    ]
    found = {value for module in modules for value in vars(module).values() if isinstance(value, re.Pattern)}
    return [each for each in found if "(?P=" not in each.pattern]


def test_no_pattern_is_passed_over_that_matches() -> None:
    lines = {
        line.decode(errors="replace") for case in CASES for line in split_case(case.read_bytes())[2].split(b"\n")[:6]
    }
    haystacks = {line: Haystack(line) for line in sorted(lines) if line}
    matched = 0
    for pattern in patterns():
        for line in filter(pattern.search, haystacks):
            matched += 1
            assert _footprint(pattern).may_match(haystacks[line]), (pattern.pattern[:80], line)
    assert matched > 500
