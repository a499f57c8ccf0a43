"""Step lines of a large log, many at once: what comes out is what reading every line singly gives.

A line that has no known layout is read singly and brings one; the lines after it that have the same are read with it.
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
from ..step_line import find_numbers
from ..text import Line, Text
from ._job_lines import message
from ._step_layouts import Layout
from ._step_runs import Steps

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Bytes = NDArray[np.uint8]

BLOCK = 2 << 20  # bytes that are looked at together: the matrices of their lines stay in the processor's cache
LAYOUTS = 64  # of one length: a log that needs more is no log of steps


class Reader:
    """Reads blocks of whole lines into steps."""

    def __init__(self, steps: Steps, step: re.Pattern[str], start: re.Pattern[str]) -> None:
        self.steps = steps
        self.step, self.start = step, start
        self._layouts: dict[int, list[Layout]] = defaultdict(list)

    def read(self, block: bytes, first: int) -> int:
        """Read a block whose first line has the number `first`; returns the number of the line after it."""
        import numpy as np

        data = np.frombuffer(block, dtype=np.uint8)
        ends = np.flatnonzero(data == ord("\n"))
        starts = np.concatenate(([0], ends[:-1] + 1))
        ends = ends - ((ends > starts) & (data[ends - 1] == ord("\r")))
        lengths = ends - starts
        left = np.ones(len(starts), dtype=bool)
        for length in self._layouts:
            rows = np.flatnonzero(lengths == length)
            if len(rows):
                for layout in self._layouts[length]:
                    rows = self._take(data, starts, rows, left, layout, first)
        for row in np.flatnonzero(left).tolist():
            if left[row]:
                found = self._read_singly(block[starts[row] : ends[row]], first + row)
                if found:
                    alike = np.flatnonzero((lengths == lengths[row]) & left)
                    self._take(data, starts, alike[alike > row], left, found, first)
        return first + len(starts)

    def _take(self, data: Bytes, starts: Any, rows: Any, left: Any, layout: Layout, first: int) -> Any:
        """Read the rows that have a layout; returns the others."""
        import numpy as np

        if not len(rows):
            return rows
        lines = np.lib.stride_tricks.sliding_window_view(data, len(layout.shape))[starts[rows]]
        alike = layout.fits(lines)
        if alike.any():
            taken = rows if alike.all() else rows[alike]
            columns = layout.columns(lines if taken is rows else lines[alike])
            self.steps.add_many(layout.message, columns | {"line": taken + float(first)}, layout.fixed)
            left[taken] = False
        return rows[~alike]

    def _read_singly(self, raw: bytes, number: int) -> Layout | None:
        """Read one line; returns its layout where it is a step's and has a new one."""
        text = raw.decode("utf-8", errors="replace")
        if not self.step.search(text):
            return None
        found = None
        line = Line(number, text, text)
        for part in text.split("\r"):
            said = message(line, part)
            if self.start.search(said.text):
                self.steps.start_run(said)
            elif numbers := find_numbers(said.text):
                self.steps.add(said, numbers)
                found = Layout.of(raw, said, numbers)
            else:
                self.steps.watch_bar(said)
        layouts = self._layouts[len(raw)]
        if found is None or len(layouts) >= LAYOUTS:
            return None
        layouts.append(found)
        return found


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
    """An artefact as blocks of whole lines, and the way back from a line's number to the line."""

    def __init__(self, text: Text) -> None:
        self._path: Path | None = getattr(text, "path", None)
        self._data = text.data
        self._places: list[tuple[int, int]] = []  # the first line's number and the offset of each block
        self._last: tuple[int, list[bytes]] = (-1, [])
        self.next_line = 1

    def _open(self) -> BinaryIO:
        return self._path.open("rb") if self._path else BytesIO(self._data)

    def __iter__(self) -> Iterator[tuple[int, bytes]]:
        with self._open() as file:
            while chunk := file.read(BLOCK):
                self._places.append((self.next_line, file.tell() - len(chunk)))
                block = chunk + _rest_of_line(file)
                yield self.next_line, block if block.endswith(b"\n") else block + b"\n"

    def quote(self, line: int) -> str:
        """The raw line with a number that has been read."""
        at = bisect_right(self._places, (line, math.inf)) - 1
        first, offset = self._places[at]
        if self._last[0] != at:
            end = self._places[at + 1][1] if at + 1 < len(self._places) else -1
            with self._open() as file:
                file.seek(offset)
                self._last = (at, file.read(end - offset if end >= 0 else -1).split(b"\n"))
        raw = self._last[1][line - first].removesuffix(b"\r").decode("utf-8", errors="replace")
        return Line(line, raw, raw).quote


def _rest_of_line(file: BinaryIO) -> bytes:
    """What stands to the end of the line; of an absurdly long one only the first bytes."""
    rest = more = file.readline(LINE_LIMIT)
    while len(more) == LINE_LIMIT and not more.endswith(b"\n"):
        more = file.readline(LINE_LIMIT)
    return rest
