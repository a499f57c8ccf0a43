"""What holds for every parser on any input: deterministic, quotes are source lines, nothing raises, time is linear."""

from __future__ import annotations

import random
import time

import pytest

from diagnostics.garbage import no_collection
from diagnostics.parsers import Parser, all_parsers
from diagnostics.text import Text

from .mutations import mutations, snippet, stretched
from .test_corpus import CASES, split_case

PARSERS = all_parsers()
SAMPLES = [(path, split_case(path.read_bytes())[2]) for path in CASES]
NAMES = [f"{path.parent.name}/{path.stem}" for path, _ in SAMPLES]  # the same wherever the project lies


@pytest.mark.parametrize("name", PARSERS)
def test_reading_is_deterministic_and_every_quote_is_its_line(name: str) -> None:
    parser = PARSERS[name]
    for path, raw in SAMPLES:
        if path.parent.name != name:
            continue
        text = Text("raw.log", raw)
        first, second = list(parser.read(text)), list(parser.read(Text("raw.log", raw)))
        assert [repr(fact) for fact in first] == [repr(fact) for fact in second], path
        if parser.binary:
            continue
        quotes = {line.number: line.quote for line in text.lines()}
        for fact in first:
            assert fact.source.line == 0 or fact.source.quote == quotes[fact.source.line], (path, fact)


def test_a_copy_of_a_screen_is_read_as_the_text_itself() -> None:
    """A terminal fills its lines with blanks, which are nothing that a tool said."""
    for path, raw in SAMPLES:
        parser = PARSERS[path.parent.name]
        if parser.binary or not raw.isascii():
            continue
        copy = b"\n".join(line if b"\r" in line else line.ljust(120) for line in raw.split(b"\n"))
        text, screen = Text("raw.log", raw), Text("raw.log", copy)
        assert parser.wants(screen) == parser.wants(text), path
        facts = [[(fact.kind, fact.fields()) for fact in parser.read(each)] for each in (text, screen)]
        assert facts[0] == facts[1], path


@pytest.mark.parametrize(
    ("name", "raw"), [(name, raw) for name, (_, raw) in zip(NAMES, SAMPLES, strict=True)], ids=NAMES
)
def test_no_mutation_raises(name: str, raw: bytes) -> None:
    dice = random.Random(name)
    for data in mutations(raw, dice, 20):
        text = Text("raw.log", data)
        for parser in PARSERS.values():
            if parser.wants(text):
                for fact in parser.read(text):
                    fact.fields()


def test_a_piece_over_and_over_is_read_in_linear_time() -> None:
    for name, (path, raw) in zip(NAMES, SAMPLES, strict=True):
        dice = random.Random(name)
        parser, data = PARSERS[path.parent.name], stretched(snippet(raw, dice, 2048), dice, 1 << 15)
        took = []
        for _ in range(3):
            start = time.process_time()
            with no_collection():  # it would look through all that a run of the tests has left behind
                list(parser.read(Text("raw.log", data)))
            took.append(time.process_time() - start)
            if took[-1] < 0.5:
                break
        assert min(took) < 0.5, name


def long_line(parser: Parser, raw: bytes, size: int) -> bytes:
    line = max(raw[:65536].split(b"\n"), key=len) or b"x"
    return (line * (size // len(line) + 1))[:size] + b"\n"


@pytest.mark.slow
@pytest.mark.parametrize("name", PARSERS)
def test_a_line_of_ten_megabytes_is_read_in_linear_time(name: str) -> None:
    parser = PARSERS[name]
    raw = next((raw for path, raw in SAMPLES if path.parent.name == name), b"x")
    took = []
    for size in (1_000_000, 10_000_000):
        text = Text("raw.log", long_line(parser, raw, size))
        start = time.process_time()
        if parser.wants(text):
            list(parser.read(text))
        took.append(time.process_time() - start)
    # ten times the bytes may take ten times as long, with room for noise, not a hundred times
    assert took[1] < max(1.0, 30 * took[0]), f"{took[0]:.2f} s for 1 MB, {took[1]:.2f} s for 10 MB"


def test_long_runs_of_blanks_are_read_in_linear_time() -> None:
    data = (b"2 nodes x 8 GPU works " + b" " * 40_000 + b"x\n") * 4
    for name, parser in PARSERS.items():
        took = []
        for _ in range(3):
            start = time.process_time()
            parser.wants(Text("raw.log", data))
            took.append(time.process_time() - start)
            if took[-1] < 1.0:
                break
        assert min(took) < 1.0, name
