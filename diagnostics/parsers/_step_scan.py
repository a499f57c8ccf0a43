"""Step lines of a large log, many at once: what comes out is what reading every line singly gives.

A line that has no known layout is read singly and brings one; the lines after it that have the same are read with it.
The states of a progress bar are lines here, whether they end with a line or a carriage return.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from ..evidence import Evidence
from ..large_text import LINE_LIMIT
from ..step_line import BAR, Span, find_numbers
from ..text import Line, Text, as_shown
from ._job_lines import Message, message
from ._step_layouts import Layout
from ._step_runs import Steps

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Bytes = NDArray[np.uint8]

BLOCK = 2 << 20  # bytes that are looked at together: the matrices of their lines stay in the processor's cache
LAYOUTS = 64  # of one length: a log that needs more is no log of steps


class Reader:
    """Reads blocks of whole messages into steps; a message ends with its line or a carriage return."""

    def __init__(self, steps: Steps, step: re.Pattern[str], start: re.Pattern[str]) -> None:
        self.steps = steps
        self.step, self.start = step, start
        self._layouts: dict[int, list[Layout]] = defaultdict(list)
        self._bars: list[tuple[Message, Any, Any]] = []  # where bars stand in this block: the rows, and what they say
        self._stepless: list[tuple[int, Message, dict[str, Span]]] = []
        self._before = 0  # messages of the blocks before

    def read(self, block: bytes, first: int) -> int:
        """Read a block that begins in the line `first`; returns the line in which the next one begins."""
        import numpy as np

        data = np.frombuffer(block, dtype=np.uint8)
        newline = data == ord("\n")
        ends = np.flatnonzero(newline | (data == ord("\r")) if b"\r" in block else newline)
        starts = np.concatenate(([0], ends[:-1] + 1))
        lengths = ends - starts
        ended = newline[ends].cumsum()
        lines = first + np.concatenate(([0], ended[:-1]))
        left = lengths > 0
        for length in self._layouts.keys() & set(lengths.tolist()):
            rows = np.flatnonzero(lengths == length)
            used = []
            for layout in self._layouts[length]:
                if not len(rows):
                    break
                if len(others := self._take(data, starts, lines, rows, left, layout)) < len(rows):
                    used.append(layout)
                rows = others
            if used:  # what a bar has passed does not come again
                self._layouts[length].sort(key=lambda layout: layout not in used)
        for row in np.flatnonzero(left).tolist():
            if left[row]:
                found = self._read_singly(block[starts[row] : ends[row]], int(lines[row]), row)
                if found:
                    alike = np.flatnonzero((lengths == lengths[row]) & left)
                    self._take(data, starts, lines, alike[alike > row], left, found)
        self._add_stepless()
        self._before += len(starts)
        return first + int(ended[-1])

    def _take(self, data: Bytes, starts: Any, numbers: Any, rows: Any, left: Any, layout: Layout) -> Any:
        """Read the rows that have a layout; returns the others."""
        import numpy as np

        if not len(rows):
            return rows
        lines = np.lib.stride_tricks.sliding_window_view(data, len(layout.shape))[starts[rows]]
        alike = layout.fits(lines)
        if alike.any():
            taken = rows if alike.all() else rows[alike]
            columns = layout.columns(lines if taken is rows else lines[alike])
            if layout.is_bar:
                self._bars.append((layout.message, taken, columns["step"]))
            else:
                at = {"line": numbers[taken].astype(float), "place": taken + float(self._before)}
                self.steps.add_many(layout.message, columns | at, layout.fixed)
            left[taken] = False
        return rows[~alike]

    def _read_singly(self, raw: bytes, number: int, row: int) -> Layout | None:
        """Read one message; returns its layout where it is a step's or a bar's and has a new one."""
        text = as_shown(raw.decode("utf-8", errors="replace"))
        if not self.step.search(text):
            return None
        said = message(Line(number, text, text))
        numbers = None
        if self.start.search(said.text):
            self.steps.start_run(said)
        elif numbers := find_numbers(said.text):
            if "step" in numbers:
                self.steps.add(said, numbers, self._before + row)
            else:
                self._stepless.append((row, said, numbers))
        elif bar := BAR.search(said.text):
            numbers = {"step": Span(*bar.span(1))}
            self._bars.append((said, [row], [numbers["step"].value(said.text)]))
        layouts = self._layouts[len(raw)]
        if not numbers or len(layouts) >= LAYOUTS:
            return None
        found = Layout.of(raw, said, numbers)
        if found:
            layouts.append(found)
        return found

    def _add_stepless(self) -> None:
        """Add the lines that lack a step: it is the one at which the bar before each of them stood."""
        import numpy as np

        stood = {}
        for rank in {said.rank for said, _, _ in self._bars}:
            mine = [(rows, at) for said, rows, at in self._bars if said.rank == rank]
            rows, at = (np.concatenate(column) for column in zip(*mine, strict=True))
            order = np.argsort(rows)
            stood[rank] = rows[order], at[order]
        for row, said, numbers in self._stepless:
            if said.rank in stood:
                rows, at = stood[said.rank]
                if passed := int(rows.searchsorted(row)):
                    self.steps.bar_stands(said.rank, float(at[passed - 1]))
            self.steps.add(said, numbers, self._before + row)
        for rank, (_, at) in stood.items():
            self.steps.bar_stands(rank, float(at[-1]))
        self._bars, self._stepless = [], []


def scan(text: Text, step: re.Pattern[str], start: re.Pattern[str]) -> Iterator[Evidence]:
    """The facts of a large log's step lines, which match `step`; a run begins where `start` matches."""
    blocks = Blocks(text)
    steps = Steps(text.name, blocks.quote)
    reader = Reader(steps, step, start)
    for first, block in blocks:
        blocks.next_line = reader.read(block, first)
        steps.thin()
    yield from steps.facts()


class Blocks:
    """An artefact as blocks of whole messages, and the way back from a line's number to the line."""

    def __init__(self, text: Text) -> None:
        self._path: Path | None = getattr(text, "path", None)
        self._data = text.data
        self._places: list[tuple[int, int]] = []  # the first line that begins in a block: its number and its offset
        self._last: tuple[int, list[bytes]] = (-1, [])
        self.next_line = 1

    def _open(self) -> BinaryIO:
        return self._path.open("rb") if self._path else BytesIO(self._data)

    def __iter__(self) -> Iterator[tuple[int, bytes]]:
        with self._open() as file:
            rest, is_new = b"", True
            while chunk := file.read(BLOCK):
                block, offset = rest + chunk, file.tell() - len(chunk) - len(rest)
                end = max(block.rfind(b"\n"), block.rfind(b"\r")) + 1
                if not end:
                    block += _rest_of_line(file)
                    end = len(block)
                block, rest = block[:end], block[end:]
                begin = 0 if is_new else block.find(b"\n") + 1
                if is_new or 0 < begin < len(block):
                    self._places.append((self.next_line + (not is_new), offset + begin))
                is_new = not block.endswith(b"\r")
                yield self.next_line, block if block.endswith((b"\n", b"\r")) else block + b"\n"
            if rest:
                if is_new:
                    self._places.append((self.next_line, file.tell() - len(rest)))
                yield self.next_line, rest + b"\n"

    def quote(self, line: int) -> str:
        """The raw line with a number that has been read."""
        at = bisect_right(self._places, (line, math.inf)) - 1
        first, offset = self._places[at]
        if self._last[0] != at:
            end = self._places[at + 1][1] if at + 1 < len(self._places) else math.inf
            with self._open() as file:
                file.seek(offset)
                self._last = (at, file.read(int(min(end - offset, BLOCK + LINE_LIMIT))).split(b"\n"))
        raw = self._last[1][line - first][:LINE_LIMIT].removesuffix(b"\r").decode("utf-8", errors="replace")
        return Line(line, raw, raw).quote


def _rest_of_line(file: BinaryIO) -> bytes:
    """What stands to the end of the line; of an absurdly long one only the first bytes."""
    rest = more = file.readline(LINE_LIMIT)
    while len(more) == LINE_LIMIT and not more.endswith(b"\n"):
        more = file.readline(LINE_LIMIT)
    return rest
