"""Footprints, and which of them an artefact can hold at all.

There are hundreds of patterns and most artefacts match few. A pattern is split into its alternatives, and of each
the words are known without which it cannot match; an artefact that does not hold them is not searched with it.
"""

from __future__ import annotations

import re
import re._constants as opcodes  # type: ignore[import-not-found]
import re._parser as parser  # type: ignore[import-not-found]
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from .haystack import GRAM, Haystack, gram

IGNORES_CASE = "(?i)"
_FLAGS = re.MULTILINE
_NAME = re.compile(r"(?<=\()\?P<\w+>")


@dataclass(frozen=True)
class Alternative:
    """One alternative of a pattern.

    `words` are sets of words: a match holds at least one word of each set. `marks` are such sets too, of words that
    may be as short as one letter and read the same inside JSON. Of a pattern that ignores case
    anywhere they are in lower case.
    """

    pattern: str
    marks: tuple[frozenset[str], ...]
    ignores_case: bool

    @cached_property
    def words(self) -> tuple[frozenset[str], ...]:
        return required_words(self.pattern)

    @cached_property
    def keys(self) -> tuple[frozenset[int], ...]:
        """Of each set the first grams of its words: quick to compare with a text's grams."""
        long = (words for words in self.marks if min(map(len, words)) >= GRAM)
        return tuple(frozenset(gram(word[:GRAM]) for word in words) for words in long)

    def may_match(self, haystack: Haystack) -> bool:
        """False when a text cannot match: it lacks a gram, or a word as a whole."""
        grams = haystack.grams
        for keys in self.keys:  # plain loops: this is asked half a thousand times of every artefact
            if keys.isdisjoint(grams):
                return False
        text = haystack.lower if self.ignores_case else haystack.text
        for words in self.marks:
            for word in words:
                if word in text:
                    break
            else:
                return False
        return True


class Footprint:
    """A pattern that is searched only where it can match.

    Parameters
    ----------
    pattern : a regular expression; `^` and `$` are the ends of a line
    """

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern

    @cached_property
    def alternatives(self) -> tuple[Alternative, ...]:
        """The top-level alternatives, each with its words."""
        flags = re.match(r"\(\?[a-z]+\)", self.pattern)
        prefix = flags[0] if flags else ""
        parts = [prefix + part for part in split_alternatives(self.pattern[len(prefix) :])]
        return tuple(Alternative(part, _marks(part), "(?i" in part) for part in parts)

    def may_match(self, haystack: Haystack) -> bool:
        """False when no alternative can match a text."""
        return any(part.may_match(haystack) for part in self.alternatives)

    def live(self, haystack: Haystack | None) -> re.Pattern[str] | None:
        """The alternatives that may match, as one pattern; None when there is none. Without a haystack, any may."""
        return _joined(
            tuple(part.pattern for part in self.alternatives if haystack is None or part.may_match(haystack))
        )


class Footprints:
    """Many footprints by their names, of which a text can hold few."""

    def __init__(self, footprints: Mapping[str, Footprint]) -> None:
        self._by_gram: dict[int, set[str]] = defaultdict(set)
        self._anywhere: set[str] = set()
        for name, footprint in footprints.items():
            for part in footprint.alternatives:
                for key in min(part.keys, key=len, default=()):
                    self._by_gram[key].add(name)
                if not part.keys:
                    self._anywhere.add(name)

    def possible(self, haystack: Haystack) -> set[str]:
        """The names of those that may match a text, as far as one gram of each alternative tells."""
        return self._anywhere.union(*(self._by_gram[key] for key in haystack.grams & self._by_gram.keys()))


@lru_cache(maxsize=4096)
def _joined(patterns: tuple[str, ...]) -> re.Pattern[str] | None:
    if not patterns:
        return None
    flags = {found[0] for pattern in patterns if (found := re.match(r"\(\?[a-z]+\)", pattern))}
    bare = (unnamed(re.sub(r"^\(\?[a-z]+\)", "", pattern)) for pattern in patterns)
    return re.compile("".join(flags) + "|".join(_factored(bare)), _FLAGS)


# what many alternatives begin with: the start of a word, or one and the same group
_BEGINNING = re.compile(r"\\b|\(\?:(?:\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|[^()\\\[])*\)(?![?*+{])")


def _factored(alternatives: Iterable[str]) -> Iterator[str]:
    """The same alternatives, those of one beginning in one group: the engine tries it once at each place, not once for
    each.
    """
    by_beginning: dict[str, list[str]] = defaultdict(list)
    for part in alternatives:
        beginning = _BEGINNING.match(part)
        start = beginning[0] if beginning else ""
        by_beginning[start].append(part[len(start) :])
    for start, rest in by_beginning.items():
        yield f"{start}(?:{'|'.join(rest)})" if start and len(rest) > 1 else "|".join(start + each for each in rest)


def footprint_of(*patterns: re.Pattern[str]) -> str:
    """One pattern that is found where any of some compiled ones is; each minds case as it did."""
    texts = [unnamed(pattern.pattern.removeprefix(IGNORES_CASE)) for pattern in patterns]
    if all(pattern.flags & re.I for pattern in patterns):
        return IGNORES_CASE + "|".join(texts)
    return "|".join(
        "|".join(f"(?i:{part})" for part in split_alternatives(text)) if pattern.flags & re.I else text
        for pattern, text in zip(patterns, texts, strict=True)
    )


def unnamed(pattern: str) -> str:
    """A pattern whose groups have no names, so that it can stand beside others."""
    return _NAME.sub("?:", pattern)


def split_alternatives(pattern: str) -> list[str]:
    """The parts between the `|` that stand outside any group or class."""
    parts, start, depth = [], 0, 0
    for token in _TOKEN.finditer(pattern):
        if token[0] in "()":
            depth += 1 if token[0] == "(" else -1
        elif token[0] == "|" and depth == 0:
            parts.append(pattern[start : token.start()])
            start = token.end()
    return [*parts, pattern[start:]]


# an escaped character, a whole class, or one character
_TOKEN = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|.", re.DOTALL)


# what a log in JSON writes otherwise than the message itself
_ESCAPED = re.compile(r"[^ !#-.0-\[\]-~]+")


def _marks(pattern: str) -> tuple[frozenset[str], ...]:
    sets = (frozenset(max(_ESCAPED.split(word), key=len) for word in words) for words in required_words(pattern, 1))
    return tuple(words for words in sets if all(words))


def required_words(pattern: str, shortest: int = GRAM) -> tuple[frozenset[str], ...]:
    """Sets of words of which every match holds one each; () where the pattern needs no word of that length."""
    found = list(_words(list(parser.parse(unnamed(pattern), _FLAGS)), shortest))
    return tuple(frozenset(map(str.lower, words)) for words in found) if "(?i" in pattern else tuple(found)


def best_words(pattern: str, shortest: int = GRAM) -> frozenset[str]:
    """The set of required words that tells most; empty where the pattern needs none."""
    return _best(required_words(pattern, shortest))


def _words(sequence: Sequence[tuple[Any, Any]], shortest: int) -> Iterator[frozenset[str]]:
    runs = {""}  # what the literals so far spell; several where a small class stands among them
    for op, argument in [*sequence, (None, None)]:
        letters = _letters(op, argument)
        if letters and len(runs) * len(letters) <= _VARIANTS:
            runs = {run + letter for run in runs for letter in letters}
            continue
        if all(len(run) >= shortest for run in runs):
            yield frozenset(runs)
        runs = set(letters) or {""}
        if op is opcodes.SUBPATTERN:
            yield from _words(list(argument[3]), shortest)
        elif op is opcodes.ASSERT:
            yield from _words(list(argument[1]), shortest)
        elif op in (opcodes.MAX_REPEAT, opcodes.MIN_REPEAT) and argument[0] > 0:
            yield from _words(list(argument[2]), shortest)
        elif op is opcodes.BRANCH:
            each = [_best(_words(list(branch), shortest)) for branch in argument[1]]
            if all(each):
                yield frozenset().union(*each)


_VARIANTS = 8


def _letters(op: Any, argument: Any) -> set[str]:
    """The letters that one item can be, where it is a literal or a class of few; else none."""
    if op is opcodes.LITERAL:
        return {chr(argument)}
    if op is opcodes.IN and len(argument) <= 3 and all(item is opcodes.LITERAL for item, _ in argument):
        return {chr(code) for _, code in argument}
    return set()


def _best(sets: Iterable[frozenset[str]]) -> frozenset[str]:
    """The set whose shortest word is longest."""
    return max(sets, key=lambda words: (min(map(len, words)), -len(words)), default=frozenset())


def cover(alternatives: Iterable[Alternative], usual: str) -> tuple[list[str], list[str]]:
    """Few short pieces of words, and some patterns: each line that any of the alternatives matches holds one.

    `usual` is a piece of the text: what is common in it is no help, since each line that is found costs a second
    look. An alternative that has no uncommon word, or ignores case, is searched for by its own pattern; one that
    needs no words at all is left out.
    """
    common = _pieces(usual)
    needed: set[frozenset[str]] = set()  # of each of these sets one piece must be looked for
    patterns: list[str] = []
    for part in alternatives:
        uncommon = [[_pieces(word) - common for word in words] for words in part.words]
        choices = sorted((pieces for pieces in uncommon if all(pieces)), key=len)
        if choices and not part.ignores_case:
            single = [pieces[0] for pieces in choices if len(pieces) == 1]
            needed.update([frozenset().union(*single)] if single else map(frozenset, choices[0]))
        elif part.words:
            patterns.append(unnamed(_without_looks(part.pattern)))
    chosen = _few_that_meet(needed)
    return sorted(chosen), patterns


_LOOK = re.compile(r"\?<?[=!]")


def _without_looks(pattern: str) -> str:
    """The same without its look-around, which ripgrep does not know: it matches no fewer lines."""
    kept, inside = [], 0
    for token in _TOKEN.finditer(pattern):
        if inside or (token[0] == "(" and _LOOK.match(pattern, token.end())):
            inside += (token[0] == "(") - (token[0] == ")")
        else:
            kept.append(token[0])
    return "".join(kept)


def _few_that_meet(sets: Iterable[frozenset[str]]) -> set[str]:
    """Few pieces of which every set holds one: always the one that most of the remaining sets hold."""
    holding: dict[str, list[frozenset[str]]] = defaultdict(list)
    for pieces in sets:
        for piece in pieces:
            holding[piece].append(pieces)
    counts = Counter({piece: len(having) for piece, having in holding.items()})
    chosen: set[str] = set()
    met: set[frozenset[str]] = set()
    while counts:
        best = max(counts, key=lambda piece: (counts[piece], piece))
        chosen.add(best)
        for pieces in holding[best]:
            if pieces not in met:
                met.add(pieces)
                counts.subtract(pieces)
        counts = +counts
    return chosen


def _pieces(word: str) -> set[str]:
    return {word[at : at + GRAM] for at in range(len(word) - GRAM + 1)}
