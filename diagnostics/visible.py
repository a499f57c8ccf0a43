"""Strings of an incident made fit to be shown: nothing in them moves a cursor, hides text or floods a page."""

from __future__ import annotations

import unicodedata

_HIDDEN = frozenset("Cc Cf Co Cs Cn Zl Zp".split())


def visible(text: str) -> str:
    """The text with control, direction and other invisible characters written as escapes; a tab stays a tab."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_escaped(c) if c != "\t" and unicodedata.category(c) in _HIDDEN else c for c in text)


def _escaped(character: str) -> str:
    return character.encode("unicode_escape", "surrogatepass").decode("ascii")


def shortened(text: str, limit: int = 160) -> str:
    """One visible line of at most `limit` characters and a note of how many were left out."""
    line = visible(" ".join(text[: limit * 4].split()))
    left_out = max(len(text) - limit, 0) if len(text) > limit * 4 else max(len(line) - limit, 0)
    return f"{line[:limit]}… [{left_out} more characters]" if left_out else line
