"""A million damaged logs: no parser may raise, and none may take more than linear time.

    python -m benchmarks fuzz [INPUTS] [FIRST]

Each input is a snippet of a parser's own case, damaged, or with one piece of it repeated over 32 KiB. It is offered to
that parser, and another one reads it as if it were its own. An input is made from its number
alone, so `fuzz 1 NUMBER` makes one again. What raises or is slow is printed; the last line tells how many were read.
"""

from __future__ import annotations

import random
import signal
import sys
import time
import traceback
from collections.abc import Iterator

from diagnostics.parsers import Parser, all_parsers
from diagnostics.text import Text
from tests.mutations import mutations, snippet, stretched
from tests.test_corpus import CASES, split_case

SNIPPET = 2048  # bytes
STRETCHED = 1 << 15  # bytes
ONE_IN = 50  # inputs is stretched
SLOW_S = 0.3  # of processor
GROWS = 3.0  # times the time for twice the bytes: more than linear
PATIENCE_S = 20.0  # of processor for one input


class Inputs:
    """The inputs by their numbers."""

    def __init__(self) -> None:
        self.parsers = all_parsers()
        self.names = sorted(self.parsers)
        self.samples = [(path.parent.name, split_case(path.read_bytes())[2]) for path in CASES]

    def of(self, number: int, size: int = STRETCHED) -> tuple[list[str], bytes]:
        """The names of the two parsers, and the bytes; `size` is what one that is stretched is stretched to."""
        dice = random.Random(number)
        name, raw = dice.choice(self.samples)
        (data,) = mutations(snippet(raw, dice, SNIPPET), dice, 1)
        other = dice.choice(self.names)
        if number % ONE_IN == 0:
            data = stretched(data, dice, size)
        return [name, other], data


def read(parser: Parser, data: bytes, offered: bool) -> float:
    """Let a parser read some bytes, after it was asked whether it wants them; returns the seconds of processor."""
    start = time.process_time()
    signal.setitimer(signal.ITIMER_PROF, PATIENCE_S)
    text = Text("raw.log", data)
    if offered:
        parser.wants(text)
    for fact in parser.read(text):
        fact.fields()
    signal.setitimer(signal.ITIMER_PROF, 0)
    return time.process_time() - start


def complaints(inputs: Inputs, number: int) -> Iterator[str]:
    """What is wrong with how one input is read."""
    names, data = inputs.of(number)
    for place, name in enumerate(names):
        parser, offered = inputs.parsers[name], place == 0
        try:
            took = read(parser, data, offered)
        except Exception:  # any is a finding
            yield f"{number}: {name} raises\n{traceback.format_exc(limit=-4)}"
            continue
        if took > SLOW_S and (took := min(read(parser, data, offered) for _ in range(3))) > SLOW_S:
            larger = inputs.of(number, 2 * STRETCHED)[1]
            twice = min(read(parser, larger, offered) for _ in range(2))
            if twice > GROWS * took or number % ONE_IN:
                yield f"{number}: {name} takes {took:.2f} s for {len(data)} bytes, {twice:.2f} s for {len(larger)}"


def out_of_patience(number: int, frame: object) -> None:
    raise TimeoutError(f"{PATIENCE_S:.0f} s and no end")


def main() -> None:
    """Read the inputs; the status is 1 when there was a finding."""
    signal.signal(signal.SIGPROF, out_of_patience)
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    inputs, findings, begun = Inputs(), 0, time.perf_counter()
    for number in range(first, first + count):
        for complaint in complaints(inputs, number):
            findings += 1
            print(complaint, flush=True)
        if number % 10_000 == 9_999:
            rate = (number + 1 - first) / (time.perf_counter() - begun)
            print(f"{number + 1 - first:,} inputs, {rate:.0f} a second, {findings} findings", flush=True)
    print(f"{count:,} inputs in {time.perf_counter() - begun:.0f} s: {findings} findings")
    if findings:
        sys.exit(1)


if __name__ == "__main__":
    main()
