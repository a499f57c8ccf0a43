"""Precedents: incidents whose cause became known, and how like the words of a new one are to theirs."""

from .comparison import NO_WORDS, Likeness, compare, wording

__all__ = ["NO_WORDS", "Likeness", "compare", "wording"]
