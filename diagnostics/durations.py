"""Durations as people and tools write them: 92s, 15 min, 1h30m, six minutes, 31:07, 02:00:30, 2-14:00:00, 412:10.33."""

from __future__ import annotations

import re

_WORDS = {
    word: number
    for number, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen".split()
    )
} | {"twenty": 20, "thirty": 30, "forty": 40, "forty-five": 45, "sixty": 60, "ninety": 90, "a": 1, "an": 1}

_UNITS = {"ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_NUMBER = rf"(?:\d{{1,9}}(?:\.\d{{1,9}})?|{'|'.join(sorted(_WORDS, key=len, reverse=True))})"
_NAMED = r"(?:ms|milliseconds?|secs?|seconds?|minutes?|mins?|hours?|hrs?|days?|[smhd])"
_UNIT = rf"{_NAMED}\b"

# one unnamed group in which `seconds_of` finds the duration; bare numbers count as seconds
DURATION = (
    rf"(\d{{1,3}}-\d\d:\d\d:\d\d|\d{{1,4}}:\d\d:\d\d|{_NUMBER} ?{_UNIT}(?: ?\d{{1,3}} ?{_UNIT})?"
    rf"|\d{{1,9}}h\d{{1,2}}m(?:\d{{1,2}}s)?|\d{{1,9}}m\d{{1,2}}s|\d{{1,9}}(?:\.\d{{1,6}})?(?![\w.:]))"
)
_PART = re.compile(rf"({_NUMBER}) ?({_NAMED})")
_PARTS = re.compile(rf"{_PART.pattern}(?: {{0,2}}{_PART.pattern}){{0,4}}")
_BARE_MINUTES = re.compile(r"(?<=h)(\d{1,2})$")  # 1h30
_CLOCK = re.compile(r"(?:(?:(\d{1,9})-)?(\d{1,9}):)?(\d{1,9}):(\d\d(?:\.\d{1,6})?)")


def seconds(text: str) -> float | None:
    """A written duration in seconds, or None when the text is not one from its first letter to its last."""
    text = text.strip().lower()
    if found := _CLOCK.fullmatch(text):
        days, hours, minutes = (int(group or 0) for group in found.groups()[:3])
        return ((days * 24 + hours) * 60 + minutes) * 60 + float(found[4])
    if re.fullmatch(r"\d{1,9}(?:\.\d{1,6})?", text):
        return float(text)
    text = _BARE_MINUTES.sub(r"\1m", text.replace(" and ", " ").replace(",", " "))
    if not _PARTS.fullmatch(text):
        return None
    return sum(_value(number) * _UNITS[_unit(unit)] for number, unit in _PART.findall(text))


def seconds_of(found: re.Match[str]) -> float | None:
    """The duration in the first group of a match that took part in it."""
    return next((seconds(group) for group in found.groups() if group), None)


def _value(number: str) -> float:
    return float(_WORDS[number]) if number in _WORDS else float(number)


def _unit(word: str) -> str:
    return "ms" if word.startswith(("ms", "milli")) else word[0]
