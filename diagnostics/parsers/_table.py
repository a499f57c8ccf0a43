"""Patterns in a table: each row says what a line means and how bad it is by itself.

A row's groups that are named after a field of `Subject` (server, device, pci, interface, comm, pid ...) fill the
subject. All of them together are the footprint.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from ..envelope import Envelope
from ..evidence import Severity, Subject
from ..footprint import Footprint, unnamed
from ..text import Line, Text, whole_number
from ._kernel_log import KernelLog, kernel_log

INFO, WARNING, CRITICAL, FATAL = Severity.INFO, Severity.WARNING, Severity.CRITICAL, Severity.FATAL
_SUBJECT_FIELDS = frozenset(field.name for field in dataclasses.fields(Subject))
_NUMBERS = frozenset(("pid", "tid", "rank", "gpu"))


class Row(NamedTuple):
    """A pattern, what a line that matches it is about, and its severity."""

    pattern: str
    about: str
    severity: Severity = Severity.INFO
    of: str = ""  # what speaks, where one table serves several: "lustre", "nvme"


class Hit(NamedTuple):
    """A line that a row matched."""

    log: KernelLog
    line: Line
    message: Envelope
    row: Row
    match: re.Match[str]

    @property
    def subject(self) -> Subject:
        """The subject that the row's named groups and the line's own layers name."""
        named = {name: value for name, value in self.match.groupdict().items() if name in _SUBJECT_FIELDS and value}
        known = {name: whole_number(value) if name in _NUMBERS else value for name, value in named.items()}
        return Subject.of({"host": self.message.host, **known})


class Table:
    """Rows in the order in which they are tried; the first that matches a line counts."""

    def __init__(self, *rows: Row) -> None:
        self.rows = rows

    @cached_property
    def _compiled(self) -> list[tuple[Row, re.Pattern[str]]]:
        return [(row, re.compile(row.pattern)) for row in self.rows]

    @cached_property
    def footprint(self) -> str:
        """One pattern that matches what any row matches."""
        return "|".join(unnamed(row.pattern) for row in self.rows)

    def hits(self, text: Text) -> Iterator[Hit]:
        """The lines that a row matches, in order."""
        log = kernel_log(text)
        live = self._searched.live(text.haystack)
        if live is None:
            return
        for line, message in log.matching(live):
            for row, pattern in self._compiled:
                # a client's name may stand in the tag that was peeled off
                if match := pattern.search(message.message) or pattern.search(line.text):
                    yield Hit(log, line, message, row, match)
                    break

    @cached_property
    def _searched(self) -> Footprint:
        return Footprint(self.footprint)
