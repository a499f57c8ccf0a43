"""An artefact that is too large to be held: looked through once for words, read only near what was found.

A parser that is given an `Excerpt` sees the lines around the ones its footprint found, under their own numbers;
`matching` sees every line that was found. What matches nearly everywhere (the steps of a training log) is better
read as it stands: `LargeText.lines` runs through the file without keeping it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

from .footprint import Footprint
from .haystack import Haystack, without_middles
from .ripgrep import Found, lines_of_data, lines_of_file
from .text import Line, Text, as_shown, settled

LARGE = 8 << 20  # bytes; smaller artefacts are simply read
LINE_LIMIT = 16 << 20  # bytes of one line
_BEFORE, _AFTER = 60, 300  # lines of an excerpt around a line that was found
_PIECE = 1 << 15
_FEW = 5000  # lines
_TOGETHER = 256  # lines that were found, of which one look tells which footprints they can hold


class LargeText(Text):
    """A large artefact's content, on disk (`path`) or in memory (`data`); a settled one is without what progress bars
    have passed in a line.
    """

    def __init__(self, name: str, data: bytes = b"", path: Path | None = None, is_settled: bool = False) -> None:
        super().__init__(name, data)
        self.path = path
        self._is_settled = is_settled
        self._search: Future[list[Found]] | None = None

    def _open(self) -> BinaryIO:
        return self.path.open("rb") if self.path else BytesIO(self.data)

    @cached_property
    def _file(self) -> BinaryIO:
        return self._open()

    def close(self) -> None:
        self._file.close()

    @cached_property
    def size(self) -> int:
        return self.path.stat().st_size if self.path else len(self.data)

    def _read(self, offset: int, size: int) -> bytes:
        self._file.seek(offset)
        return self._file.read(size)

    @cached_property
    def head(self) -> bytes:
        """The first bytes: all that a parser of a binary format gets to see of a large artefact."""
        return self._read(0, 1 << 16)

    @cached_property
    def content(self) -> str:
        """The beginning, decoded; nobody may ask for all of a large artefact."""
        return self._read(0, LARGE).decode("utf-8", errors="replace").replace("\r\n", "\n")

    @cached_property
    def sample(self) -> str:
        """Pieces from all over the artefact, whole lines: its beginning, its end and what lies evenly between."""
        between = range(_PIECE, self.size - _PIECE, max(_PIECE, self.size // 30))
        pieces = [self._read(at, _PIECE // 16) for at in between] + [self._read(max(0, self.size - _PIECE), _PIECE)]
        # where a progress bar rewrites its line each of its states counts as one
        pieces = [piece.replace(b"\r\n", b"\n").replace(b"\r", b"\n") for piece in (b"\n" + self.head, *pieces)]
        text = b"".join(piece[piece.find(b"\n") + 1 : piece.rfind(b"\n") + 1] for piece in pieces)
        return as_shown(text.decode("utf-8", errors="replace"))

    @property
    def ends_mid_line(self) -> bool:
        return self.size > 0 and self._read(self.size - 1, 1) not in (b"\n", b"\r")

    @property
    def line_count(self) -> int:
        return 0  # nobody counted: that alone would take a run through the file

    def first(self, limit: int) -> Iterator[Line]:
        return (line for _, line in zip(range(limit), self._from(1, 0), strict=False))

    def last(self, limit: int) -> Iterator[Line]:
        """The last lines; their numbers are not known and said to be 0."""
        at = self.size
        for _ in range(limit):
            if at <= 0:
                return
            at = self._line_start(at - 1)
            yield self.line(Found(0, at))

    @property
    def haystack(self) -> Haystack | None:
        return None

    def look_for(self, words: Sequence[str], patterns: Sequence[str] = ()) -> None:
        """Begin to find every line that holds any of the words or in which any of the patterns is found."""
        with_one = ThreadPoolExecutor(max_workers=1)
        if self.path:
            self._search = with_one.submit(lines_of_file, words, patterns, self.path)
        else:
            self._search = with_one.submit(lines_of_data, words, patterns, self.data)
        with_one.shutdown(wait=False)

    @cached_property
    def found(self) -> list[Found]:
        """What was looked for, once all of it is found."""
        return self._search.result() if self._search else []

    @cached_property
    def settled(self) -> LargeText:
        """The same as a parser sees it that is not interested in progress bars, once `look_for` was called."""
        view = LargeText(self.name, self.data, self.path, is_settled=True)
        view._file, view._search = self._file, self._search  # closed by this one
        return view

    def line(self, found: Found) -> Line:
        self._file.seek(found.offset)
        return self._line(found.number, found.offset, self._file.readline(LINE_LIMIT))

    def _line(self, number: int, offset: int, data: bytes) -> Line:
        raw = data.rstrip(b"\r\n").decode("utf-8", errors="replace")
        text = as_shown(raw)
        return Line(number, settled(text) if self._is_settled else text, raw, offset)

    def lines(self) -> Iterator[Line]:
        """Every line, in order, none of them kept."""
        return self._from(1, 0)

    def matching(self, pattern: re.Pattern[str]) -> Iterator[Line]:
        return (line for line in self.lines() if pattern.search(line.text))

    def looked_for(self, pattern: re.Pattern[str]) -> Iterator[Line]:
        return (line for found in self.found if pattern.search((line := self.line(found)).text))

    def after(self, line: Line, limit: int = 200) -> Iterator[Line]:
        following = self._from(line.number, line.offset)
        next(following, None)
        return (other for _, other in zip(range(limit), following, strict=False))

    def before(self, line: Line, limit: int = 20) -> Iterator[Line]:
        number, offset = line.number, line.offset
        for _ in range(limit):
            if offset <= 0:
                return
            offset = self._line_start(offset - 1)
            number -= 1
            yield self.line(Found(number, offset))

    def _line_start(self, offset: int) -> int:
        """The offset of the first byte of the line that a byte belongs to."""
        floor = max(0, offset - LINE_LIMIT)
        while offset > floor:
            begin = max(floor, offset - _PIECE)
            newline = self._read(begin, offset - begin).rfind(b"\n")
            if newline >= 0:
                return begin + newline + 1
            offset = begin
        return offset

    def _from(self, number: int, offset: int) -> Iterator[Line]:
        with self._open() as file:
            file.seek(offset)
            while data := file.readline(LINE_LIMIT):
                if len(data) == LINE_LIMIT and (end := data.rfind(b"\r") + 1):
                    data = data[:end]
                    file.seek(offset + end)
                yield self._line(number, offset, data)
                offset += len(data)
                number += data.endswith(b"\n")  # an absurdly long line comes in pieces of one number

    def excerpts(self, footprints: Mapping[str, Footprint], every_state: Set[str] = frozenset()) -> dict[str, Excerpt]:
        """By the name of each footprint that some line that was found matches, the surroundings of these lines.

        The footprints of `every_state` see the states that progress bars have passed, the others do not.
        """
        near: dict[str, list[Found]] = {name: [] for name in footprints}
        left: list[Found] = []  # without what bars have passed
        for start in range(0, len(self.found), _TOGETHER):
            part = self.found[start : start + _TOGETHER]
            whole = "\n".join(self.line(found).text for found in part)
            for names, text in ((every_state, whole), (footprints.keys() - every_state, settled(whole))):
                lines = [without_middles(line) for line in text.split("\n")]
                rows = [(found, line) for found, line in zip(part, lines, strict=True) if line]
                if names is not every_state:
                    left += [found for found, _ in rows]
                haystack = Haystack("\n".join(line for _, line in rows))
                for name in names:
                    if live := footprints[name].live(haystack):
                        near[name] += [found for found, line in rows if live.search(line)]
        shared: dict[Callable[[Any], object], object] = {}
        return {
            name: Excerpt(self, self.found if name in every_state else left, found, shared, name not in every_state)
            for name, found in near.items()
            if found
        }


class Excerpt(LargeText):
    """The neighbourhoods (of `near`) of some lines of a large artefact (`found`).

    `worked_out` is what all its excerpts share; a settled one leaves out what progress bars have passed.
    """

    def __init__(
        self,
        whole: LargeText,
        found: Sequence[Found],
        near: Sequence[Found],
        worked_out: dict[Callable[[Any], object], object],
        is_settled: bool,
    ) -> None:
        super().__init__(whole.name, whole.data, whole.path, is_settled)
        self.found = list(found)
        self._file = whole._file  # the whole closes it
        self._near = near
        self._worked_out = worked_out

    def matching(self, pattern: re.Pattern[str]) -> Iterator[Line]:
        return self.looked_for(pattern)

    @cached_property
    def haystack(self) -> Haystack | None:
        """The lines that were found."""
        if len(self.found) > _FEW:
            return None
        return Haystack("\n".join(self.line(found).text for found in self.found))

    def lines(self) -> Iterator[Line]:
        """The lines around the ones that were found, each once."""
        given = 0
        for found in self._near:
            if found.number + _AFTER <= given:
                continue
            line = self.line(found)
            above = [each for each in self.before(line, _BEFORE) if each.number > given]
            for each in self._unseen([*reversed(above), line], self.after(line, _AFTER), given):
                given = each.number
                yield each

    @staticmethod
    def _unseen(first: Iterable[Line], rest: Iterable[Line], given: int) -> Iterator[Line]:
        for part in (first, rest):
            yield from (line for line in part if line.number > given)
