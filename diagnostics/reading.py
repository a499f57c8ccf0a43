"""How one artefact becomes facts: which parsers are asked, and what each made of it.

A small artefact is offered to every parser. A large one is first looked at in pieces: a parser whose footprint is
all over them reads it from end to end; for the others it is searched once for the words of their footprints, and
each gets an excerpt. Among them are always the parsers of kernel logs and, unless the pieces are nothing but a
kernel log, of job logs; any other only when a piece showed its footprint: nobody keeps one row of `df` in the middle
of a gigabyte.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import NamedTuple

from .archives import Artefact
from .evidence import Coverage, Evidence, ReadState, Severity, Source
from .footprint import Alternative, Footprints, cover
from .head_and_tail import bytes_left_out, left_out
from .large_text import LARGE, LargeText
from .parsers import Parser, all_parsers
from .prompts import on_their_hosts
from .text import Text

OF_MACHINES = frozenset("kernel-log system-log".split())
OF_JOBS = frozenset("job-log collectives exit-status watchdog-log scheduler python-stacks".split())
# what a person had printed of processes: it quotes programs, and nothing in it is a program's complaint
OF_PROCESSES = frozenset(
    "python-stacks native-stacks kernel-stacks system-calls process-table some-processes open-files".split()
)
_DENSE = 0.01  # of the lines of the sample
_HEADINGS = ("==", "#")
_SHORT = 200  # lines
MANY = 1000  # lines
_WIDE = 2000  # characters


class ParserRaised(ResourceWarning):
    """A parser raised. Python keeps a ResourceWarning from users; where warnings are errors, as in the tests, it
    fails.
    """


class Reading(NamedTuple):
    """What one artefact holds: its facts, what each parser made of it, and its lines unless they are many (None)."""

    facts: list[Evidence]
    coverage: list[Coverage]
    lines: list[Source] | None


def read_artefact(artefact: Artefact) -> Reading:
    """Read one artefact; what nobody can read is coverage, not an error."""
    problems = [_coverage(artefact.name, ReadState.UNREADABLE, artefact.problem)] if artefact.problem else []
    if problems and not artefact.data:
        return Reading([], problems, [])
    if artefact.path is None and not artefact.data[:4096].strip() and not artefact.data.strip():
        why = "nothing in it: the tool printed nothing, or could not"
        return Reading([], [_coverage(artefact.name, ReadState.EMPTY, why)], [])
    text = text_of(artefact)
    try:
        facts, coverage = _read(text)
        return Reading(facts, coverage + problems, _lines_of(text))
    finally:
        text.close()


def _lines_of(text: Text) -> list[Source] | None:
    lines = [] if text.is_binary else list(text.first(MANY + 1))
    return None if len(lines) > MANY else [Source(text.name, line.number, line.text[:_WIDE]) for line in lines]


def _read(text: Text) -> tuple[list[Evidence], list[Coverage]]:
    facts: list[Evidence] = []
    told: list[Coverage] = []
    media: set[str] = set()  # of the parsers that found something
    for name, parser, seen in readers(text):
        if parser.claims == "alone" and facts:
            continue
        if parser.claims == "untold" and media and media <= OF_PROCESSES and not _of_an_end(facts):
            continue
        mine, fault = facts_of(name, parser, seen)
        if parser.claims == "untold":
            lines = {fact.source.line for fact in facts if fact.severity is not Severity.INFO}
            mine = [fact for fact in mine if fact.source.line not in lines]
        facts += mine
        if mine:
            media.add(parser.medium)
        if fault:
            told.append(unreadable(name, parser, text, mine, fault))
        elif mine or parser.claims == "any":
            told.append(_read_by(name, parser, text, mine))
    if facts and not isinstance(text, LargeText):
        facts = on_their_hosts(text.settled, facts)
    if not told and _is_headings(text):
        told = [_coverage(text.name, ReadState.EMPTY, "headings with nothing below them")]
    elif not told:
        kind = "binary" if text.is_binary else "text"
        told = [_coverage(text.name, ReadState.UNRECOGNISED, f"{kind} that no parser knows")]
    return facts, told


def _of_an_end(facts: list[Evidence]) -> bool:
    """True for the stacks that a process prints as it dies: they stand in its own log, beside its complaints."""
    return any(fact.severity is Severity.CRITICAL for fact in facts)


def facts_of(name: str, parser: Parser, text: Text) -> tuple[list[Evidence], str]:
    """What a parser reads, and why it read no further where it raised: one parser's defect ends no other's reading."""
    facts: list[Evidence] = []
    try:
        facts.extend(parser.read(text))
    except Exception as error:
        fault = f"unreadable by this parser after {len(facts)} facts: {type(error).__name__}: {error}"[:300]
        warnings.warn(ParserRaised(f"{name}, {text.name}: {fault}"), stacklevel=2)
        return facts, fault
    return facts, ""


def _is_headings(text: Text) -> bool:
    """True when a short artefact holds nothing but headings: what was asked for below each was not there."""
    lines = [line.text.strip() for line in text.first(_SHORT + 1)]
    return len(lines) <= _SHORT and all(line.startswith(_HEADINGS) for line in lines if line)


def text_of(artefact: Artefact) -> Text:
    """An artefact as text: held when it is small, else read where it lies."""
    if artefact.path is None and len(artefact.data) < LARGE:
        return Text(artefact.name, artefact.data)
    large = LargeText(artefact.name, artefact.data, artefact.path)
    # UTF-16 has no bytes that ripgrep's words could be found in
    if large.head[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return Text(artefact.name, artefact.path.read_bytes() if artefact.path else artefact.data)
    return large


def readers(text: Text) -> Iterator[tuple[str, Parser, Text]]:
    """The parsers that want an artefact, each with what it is given to read; the last resorts come last."""
    if isinstance(text, LargeText):
        yield from _readers_of_large(text)
        return
    settled = text.settled
    possible = _footprints().possible(settled.haystack) if settled.haystack else all_parsers().keys()
    for name, parser in _in_turn():
        if (parser.binary or name in possible) and parser.wants(settled):
            yield name, parser, text if parser.every_state else settled


@cache
def _footprints() -> Footprints:
    return Footprints({name: parser.searched for name, parser in all_parsers().items() if not parser.binary})


_TURNS = ("any", "untold", "alone")


@cache
def _in_turn() -> list[tuple[str, Parser]]:
    return sorted(all_parsers().items(), key=lambda item: _TURNS.index(item[1].claims))


def _readers_of_large(text: LargeText) -> Iterator[tuple[str, Parser, Text]]:
    if text.is_binary:
        for name, parser in all_parsers().items():
            if parser.binary and parser.wants(text):
                yield name, parser, text
        return
    sample = Text(text.name, text.sample.encode())
    settled = sample.settled
    asked = {name: parser for name, parser in _in_turn() if not parser.binary and parser.claims != "alone"}
    shown = {name for name, parser in asked.items() if parser.wants(settled)}
    dense = {
        name for name in shown if _share(sample if asked[name].every_state else settled, asked[name].pattern) > _DENSE
    }
    is_a_machine_s = any(asked[name].medium in OF_MACHINES for name in dense)
    media = OF_MACHINES if is_a_machine_s else OF_MACHINES | OF_JOBS
    sparse = {
        name: p
        for name, p in asked.items()
        if name not in dense and (name in shown or (p.medium in media and p.claims == "any"))
    }
    text.look_for(*cover(_alternatives(sparse.values()), sample.plain))
    meanwhile = [name for name in asked if name in dense and asked[name].claims == "any"]
    for name in meanwhile:
        yield name, asked[name], text if asked[name].every_state else text.settled
    every_state = {name for name, parser in sparse.items() if parser.every_state}
    excerpts = text.excerpts({name: parser.searched for name, parser in sparse.items()}, every_state)
    for name, parser in asked.items():
        if name in dense and name not in meanwhile:
            yield name, parser, text.settled
        elif name in excerpts:
            yield name, parser, excerpts[name]


def _alternatives(parsers: Iterable[Parser]) -> Iterator[Alternative]:
    return (part for parser in parsers for part in parser.searched.alternatives)


def _share(sample: Text, pattern: re.Pattern[str]) -> float:
    lines = [line.text for line in sample.lines()]
    return sum(1 for line in lines if pattern.search(line)) / max(1, len(lines))


def _coverage(file: str, state: ReadState, reason: str) -> Coverage:
    return Coverage(file=file, parser=None, medium=None, state=state, reason=reason)


def unreadable(name: str, parser: Parser, text: Text, facts: Sequence[Evidence], fault: str) -> Coverage:
    """What is said of a reading that a parser's own defect ended: nothing is known to be absent from it."""
    return replace(_read_by(name, parser, text, facts), state=ReadState.UNREADABLE, reason=fault)


def _read_by(name: str, parser: Parser, text: Text, facts: Sequence[Evidence]) -> Coverage:
    stamps = [fact.stamp for fact in facts if fact.stamp]
    cut = "" if parser.binary else _cut(text)
    return Coverage(
        file=text.name,
        parser=name,
        medium=parser.medium,
        state=ReadState.CUT if cut else ReadState.READ,
        reason=cut,
        facts=len(facts),
        lines=0 if parser.binary else text.line_count,
        first=min(stamps, key=lambda stamp: stamp.seconds, default=None),
        last=max(stamps, key=lambda stamp: stamp.seconds, default=None),
    )


def _cut(text: Text) -> str:
    """Why an artefact is not all that its tool wrote; "" where nothing says so."""
    if count := bytes_left_out(text.head):
        return left_out(count)
    return "the last line has no line end" if text.ends_mid_line else ""
