"""One artefact as text: decoded, split into lines, searched.

An artefact is hostile until proven otherwise: it may be UTF-16, hold NUL bytes and terminal codes, end
in the middle of a line, or be one line of 10 MB. Reading it never raises and takes linear time.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

from .haystack import Haystack

Worked = TypeVar("Worked")

# a state of tqdm's bar, alone on its line:   45%|####  | 45/100 [00:10<00:12,  4.40it/s, loss=2.31]
_STATE = (
    r"[^\n\r|%]{0,160}%\|[^\n\r|]{0,400}\| {0,12}[\d.]{1,15}[kMGTB]{0,2}/[\d.]{1,15}[kMGTB]{0,2} "
    r"\[[^\n\r\]]{1,1000}\][ \t]{0,200}"
)
_WIPED = re.compile(r"(?<=\r)[ \t]+\r")  # blanks over a bar, before something else is printed
_PASSED = re.compile(rf"(?<![^\n\r])({_STATE}[\n\r]+)((?:{_STATE}[\n\r]+)+)(?={_STATE}(?:[\n\r]|$))")

QUOTE_LIMIT = 4096
_FILL = re.compile(r"(?<![ \t])[ \t]+$", re.M)  # what a copy of a screen has behind its lines
# "MESSAGE": [27, 91, 51, 49, 109, 115, 116, 101, 112]      as journald writes one that holds colours or is no UTF-8
_BYTES = re.compile(r'(?<="MESSAGE")( ?: ?)\[ ?(\d{1,3}(?: ?, ?\d{1,3}){0,65536}) ?\]')
MESSAGE_KEYS = ("log", "MESSAGE", "message", "msg", "textPayload")  # of the records of log drivers and collectors
_MESSAGE = re.compile(rf'"(?:{"|".join(MESSAGE_KEYS)})" ?: ?("(?:[^"\\]|\\.){{0,65536}}")')
_TERMINAL_CODES = re.compile(
    r"(?:\x1b|\\u001[bB])\[[0-9;?]*[ -/]*[@-~]|\x1b[()][A-B0-2]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)"
)


class Line(NamedTuple):
    """A line: its 1-based number, its text as a reader sees it (`as_shown`), and the raw line without its end.

    `offset` is where it begins in bytes, in an artefact that is too large to be held.
    """

    number: int
    text: str
    raw: str
    offset: int = 0

    @property
    def quote(self) -> str:
        """The raw line, cut when it is absurdly long."""
        if len(self.raw) <= QUOTE_LIMIT:
            return self.raw
        return f"{self.raw[:QUOTE_LIMIT]}… [{len(self.raw) - QUOTE_LIMIT} more characters]"


def as_shown(text: str) -> str:
    """A text as a reader sees it: without its colours, and without blanks at the ends of its lines; of a message that
    journald gives as a list of bytes the text.
    """
    if '"MESSAGE"' in text:
        text = _BYTES.sub(_as_string, text)
    if "\x1b" in text or "\\u001b" in text:
        text = _TERMINAL_CODES.sub("", text)
    return _FILL.sub("", text) if " \n" in text or "\t\n" in text or text[-1:] in (" ", "\t") else text


def _as_string(found: re.Match[str]) -> str:
    numbers = [int(number) for number in found[2].split(",")]
    if max(numbers) > 255:
        return found[0]
    return f"{found[1]}{json.dumps(bytes(numbers).decode(errors='replace'), ensure_ascii=False)}"


def _unescaped(string: str) -> str:
    try:
        return str(json.loads(string))
    except ValueError:
        return string


def settled(text: str) -> str:
    """A text in which, of the states of a progress bar that follow each other, the first and the last stay. Its line
    ends stay.
    """
    if "%|" not in text:
        return text
    return _PASSED.sub(lambda found: found[1] + "\n" * found[2].count("\n"), _WIPED.sub("", text))


def whole_number(text: str) -> int | None:
    """The number that a text is: plain digits, and few enough for 64 bits; None for any other text ("-", "1.5",
    "²").
    """
    return int(text) if len(text) < 19 and text.isascii() and text.isdigit() else None


class Text:
    """An artefact's content.

    Parameters
    ----------
    name : path relative to the incident, for sources
    data : the bytes, whole
    """

    def __init__(self, name: str, data: bytes) -> None:
        self.name = name
        self.data = data
        self._worked_out: dict[Callable[[Any], object], object] = {}

    def worked_out(self, make: Callable[[Text], Worked]) -> Worked:
        """What `make` gives for this artefact, made once however many parsers ask."""
        if make not in self._worked_out:
            self._worked_out[make] = make(self)
        return self._worked_out[make]  # type: ignore[return-value]

    @cached_property
    def content(self) -> str:
        """All of it decoded, with plain line ends."""
        return self._decoded().replace("\r\n", "\n")

    def close(self) -> None:
        """Let go of the file, where there is one."""

    @property
    def head(self) -> bytes:
        """The first bytes."""
        return self.data[:65536]

    @cached_property
    def haystack(self) -> Haystack | None:
        """What footprints are looked for in; None where nobody can say."""
        return Haystack(self.plain + self._messages)

    @cached_property
    def _messages(self) -> str:
        """The messages of JSON records, a line each: inside of them no footprint stands at the start of its line."""
        if not self.plain.startswith("{"):
            return ""
        told = (_unescaped(found[1]) for found in _MESSAGE.finditer(self.plain))
        return "".join(f"\n{as_shown(message)}" for message in told)

    @cached_property
    def plain(self) -> str:
        """The content as a reader sees it."""
        return as_shown(self.content)

    @cached_property
    def settled(self) -> Text:
        """The same as whoever is not interested in progress bars sees it; this text itself where it holds none."""
        shown = settled(self.plain)
        alike = len(shown) == len(self.plain) or self.plain.count("\n") != self.content.count("\n")
        return self if alike else _Settled(self, shown)

    def _decoded(self) -> str:
        """A byte-order mark decides, else UTF-8 with replacement characters."""
        for mark, encoding in (
            (codecs.BOM_UTF8, "utf-8-sig"),
            (codecs.BOM_UTF16_LE, "utf-16"),
            (codecs.BOM_UTF16_BE, "utf-16"),
        ):
            if self.data.startswith(mark):
                return self.data.decode(encoding, errors="replace")
        if self.data[1:2] == b"\0" and self.data[:200:2].isascii() and not any(self.data[1:200:2]):
            return self.data.decode("utf-16-le", errors="replace")
        return self.data.decode("utf-8", errors="replace")

    @cached_property
    def is_binary(self) -> bool:
        """True when it is no text: a sizeable part of its head is control characters or undecodable."""
        head = self.content[:8192]
        strange = sum(1 for c in head if (c < " " and c not in "\t\n\r\x1b\x08\x0c") or c == "\ufffd")
        return strange > 0.1 * len(head)

    @property
    def ends_mid_line(self) -> bool:
        """True when the last line has no line end: the artefact may have been cut there."""
        return bool(self.data) and not self.content.endswith(("\n", "\r"))

    @cached_property
    def _lines(self) -> list[Line]:
        found = []
        for number, raw in enumerate(self.content.split("\n"), start=1):
            raw = raw.removesuffix("\r")
            found.append(Line(number, as_shown(raw), raw))
        if found and not found[-1].raw:
            found.pop()
        return found

    @property
    def line_count(self) -> int:
        return len(self._lines)

    def first(self, limit: int) -> Iterator[Line]:
        """The first lines."""
        return iter(self._lines[:limit])

    def last(self, limit: int) -> Iterator[Line]:
        """The last lines, the very last first."""
        return reversed(self._lines[-limit:])

    def lines(self) -> Iterator[Line]:
        """Every line, in order."""
        return iter(self._lines)

    def matching(self, pattern: re.Pattern[str]) -> Iterator[Line]:
        """The lines in which the pattern is found, in order."""
        return (line for line in self._lines if pattern.search(line.text))

    def looked_for(self, pattern: re.Pattern[str]) -> Iterator[Line]:
        """As `matching`, for a pattern that is some parser's footprint."""
        return self.matching(pattern)

    def after(self, line: Line, limit: int = 200) -> Iterator[Line]:
        """Up to `limit` lines that follow a line."""
        return iter(self._lines[line.number : line.number + limit])

    def before(self, line: Line, limit: int = 20) -> Iterator[Line]:
        """Up to `limit` lines that precede a line, nearest first."""
        return reversed(self._lines[max(0, line.number - 1 - limit) : line.number - 1])


class _Settled(Text):
    """A text without the states that progress bars have passed, under the same line numbers."""

    def __init__(self, whole: Text, shown: str) -> None:
        super().__init__(whole.name, whole.data)
        self._whole, self._shown = whole, shown

    @cached_property
    def content(self) -> str:
        return self._whole.content

    @cached_property
    def plain(self) -> str:
        return self._shown

    @cached_property
    def _lines(self) -> list[Line]:
        return [
            line._replace(text=shown) for line, shown in zip(self._whole._lines, self._shown.split("\n"), strict=False)
        ]
