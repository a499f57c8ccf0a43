"""The layout of a step line or a bar: its length in bytes, where its digits stand, which of them are which number.

The step lines of one trainer differ only in their digits. One of them, read as any line is, gives the layout by
which all others like it are read at once, as a matrix of bytes.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..evidence import Stamp
from ..step_line import NAN, Span
from ..text import Line, as_shown
from ._job_lines import RANK_LAST, Message, message

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Bytes = NDArray[np.uint8]
    Flags = NDArray[np.bool_]
    Numbers = NDArray[np.float64]

TIME = re.compile(r"\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?")
PARTS = re.compile(r"(\d{1,18}(?:,\d{3})*)(?:\.(\d{1,18}))?(?:[eE]([-+]?)(\d{1,3}))?")
FILL = re.compile(rb"%\|([^|]*)\|")  # how far a bar is filled, which its numbers say too
ZERO, NINE = ord("0"), ord("9")
POWERS = [float(f"1e{power}") for power in range(300)]


class Number:
    """Where the digits of one number stand, and what it is made of them."""

    def __init__(self, text: str, start: int, scale: float) -> None:
        self.scale = scale
        self.sign = -1.0 if text.startswith("-") else 1.0
        found = PARTS.fullmatch(text.lstrip("+-"))
        self.readable = found is not None and len(text) <= 18
        if not found:
            return
        start += len(text) - len(text.lstrip("+-"))
        places = [start + at for at, char in enumerate(found[0]) if char.isdigit()]
        exponent = len(found[4] or "")
        self.mantissa, self.exponent = places[: len(places) - exponent], places[len(places) - exponent :]
        self.decimals = len(found[2] or "")
        self.exponent_sign = -1 if found[3] == "-" else 1

    def read(self, lines: Bytes) -> Numbers:
        """The number in each line, exactly as `float` reads it: an integer and one power of ten are exact."""
        import numpy as np

        whole = _integer(lines, self.mantissa)
        if not self.exponent:
            return whole / POWERS[self.decimals] * self.sign * self.scale
        power = self.exponent_sign * _integer(lines, self.exponent).astype(np.int64) - self.decimals
        powers = np.asarray(POWERS)[np.minimum(np.abs(power), len(POWERS) - 1)]
        value: Numbers = np.where(power < 0, whole / powers, whole * powers)
        return value * (self.sign * self.scale)


def _integer(lines: Bytes, places: list[int]) -> Numbers:
    import numpy as np

    total = np.zeros(len(lines))
    for place in places:
        total *= 10
        total += lines[:, place] - ZERO
    return total


class Layout:
    """The lines that differ from one line only in the digits of its message and of its time, and in a bar's fill."""

    def __init__(self, raw: bytes, said: Message, numbers: dict[str, Span], offset: int) -> None:
        import numpy as np

        text = raw.decode("latin-1")  # a character for each byte
        self.message = said
        self.is_bar = numbers.keys() == {"step"}
        self.fixed = {name: span.value(said.text) for name, span in numbers.items() if _spelled(span, said.text)}
        self.numbers = {
            name: Number(said.text[span.start : span.end], offset + _bytes(said.text[: span.start]), span.scale)
            for name, span in numbers.items()
            if name not in self.fixed
        }
        self.time = TIME.search(text, 0, offset) if said.stamp else None
        self.shape = np.frombuffer(raw, dtype=np.uint8)
        free = (self.shape >= ZERO) & (self.shape <= NINE)
        free[:offset] = False
        free[offset + _bytes(said.text) :] = False
        if rank := RANK_LAST.search(said.text):
            free[offset + _bytes(said.text[: rank.start(1)]) :] = False
        if self.time:
            free[self.time.start() : self.time.end()] = [char.isdigit() for char in self.time[0]]
        self.least = np.where(free, ZERO, self.shape).astype(np.uint8)
        self.spread = np.where(free, NINE - ZERO, 0).astype(np.uint8)
        if filled := FILL.search(raw, offset):
            within = slice(*filled.span(1))
            self.least[within], self.spread[within] = 0, 255

    @classmethod
    def of(cls, raw: bytes, said: Message, numbers: dict[str, Span]) -> Layout | None:
        """The layout of a line, or None where it must be read singly."""
        offset = raw.rfind(said.text.encode())
        if "step" not in numbers or offset < 0:
            return None
        if as_shown(raw[offset + _bytes(said.text) :].decode("utf-8", errors="replace")):
            return None
        layout = cls(raw, said, numbers, offset)
        timed = said.stamp is None or layout.time is not None
        return layout if timed and all(number.readable for number in layout.numbers.values()) else None

    def fits(self, lines: Bytes) -> Flags:
        """Which of some lines of this length have this layout: digits in free places, all else alike."""
        import numpy as np

        other: Flags = np.any((lines - self.least) > self.spread, axis=1)
        return ~other

    def columns(self, lines: Bytes) -> dict[str, Numbers]:
        """The numbers that some lines of this layout hold."""
        found = {name: number.read(lines) for name, number in self.numbers.items()}
        if self.time and self.message.stamp:
            found["seconds"] = self._seconds(lines, self.time, self.message.stamp)
        return found

    def _seconds(self, lines: Bytes, time: re.Match[str], stamp: Stamp) -> Numbers:
        import numpy as np

        at = time.start()
        day = sum(
            lines[:, at + place].astype(np.int64) << (8 * nth) for nth, place in enumerate((0, 1, 2, 3, 5, 6, 8, 9))
        )
        clock = [_integer(lines, [at + place, at + place + 1]) for place in (11, 14, 17)]
        fraction = list(range(at + 20, time.end()))
        seconds = clock[0] * 3600 + clock[1] * 60 + np.minimum(clock[2], 59)
        if fraction:
            seconds = seconds + _integer(lines, fraction) / 10 ** len(fraction)
        total = np.full(len(lines), NAN)
        for each in np.unique(day).tolist():
            first = int(np.argmax(day == each))
            total[day == each] = self._midnight(bytes(lines[first]), stamp) + seconds[day == each]
        return total

    def _midnight(self, raw: bytes, stamp: Stamp) -> float:
        """The start of a line's day on the line's own clock, whose zone is that of the layout."""
        said = message(Line(0, as_shown(raw.decode("utf-8", errors="replace")), ""))
        time = TIME.search(raw.decode("latin-1"))
        if said.stamp is None or time is None or said.stamp.clock is not stamp.clock:
            return NAN
        hours, minutes, seconds = (int(time[0][place : place + 2]) for place in (11, 14, 17))
        fraction = time[0][20:]
        return said.stamp.seconds - (
            hours * 3600 + minutes * 60 + min(seconds, 59) + (int(fraction) / 10 ** len(fraction) if fraction else 0.0)
        )


def _bytes(text: str) -> int:
    return len(text.encode())


def _spelled(span: Span, text: str) -> bool:
    """True for nan and inf."""
    return not any(char.isdigit() for char in text[span.start : span.end])
