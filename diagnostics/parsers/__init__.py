"""Parsers: one self-contained file per tool that printed the text; this folder is the registry.

A parser module has a docstring (the command, a verbatim sample, what is skipped) and one constant,
`PARSER`. Every artefact is offered to every parser: a file's name is never asked, and several parsers
may read one file (a watchdog's log with rows of ps in it). `footprint` is what makes a parser worth
running: a pattern that some line of its tool's output matches, made of the patterns that read it
(`footprint_of`) wherever one of them tells. Keep it in the subset that Rust's regex, RE2 and `re` share (no
back-references; of look-arounds ripgrep is not told). Reading is stateless and never raises.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Literal

from ..evidence import Evidence
from ..footprint import Footprint
from ..text import Text


@dataclass(frozen=True)
class Parser:
    """How one tool's output is recognised and read.

    Parameters
    ----------
    tool : the command or program, as a person would name it
    medium : what kind of witness it is; a symptom can be absent only where a medium that would show it was read:
        "benchmarks", "block-devices", "boot-records", "checksums", "clock", "collection", "collectives", "complaints",
        "cpu-count", "disk-usage", "exit-status", "firmware-log", "firmware-tables", "gpu", "io-statistics", "job-log",
        "kernel-log", "kernel-modules", "kernel-stacks", "listing", "memory", "mounts", "native-stacks", "network",
        "notes", "open-files", "pickle", "pressure", "probe", "process-table", "python-stacks", "scheduler",
        "service-manager", "settings", "some-processes", "switch-log", "system-calls", "system-log", "transcript",
        "trials", "watchdog-log"; a process that is not in a "process-table" is not there
    footprint : regular expression; at least one line of the output matches it
    read : yields the facts of one artefact, in its order
    binary : True when the artefact is no text (a pickle)
    claims : "any" line; "untold" lines only, of which no other parser says anything worse than information; or
        "alone", an artefact in which no other parser found anything
    every_state : True when it reads each state of a progress bar; others are given the first and the last
    describes : of a fact in which a person describes lines of the incident, a parser of them; None of any other fact
    """

    tool: str
    medium: str
    footprint: str
    read: Callable[[Text], Iterable[Evidence]]
    binary: bool = False
    claims: Literal["any", "untold", "alone"] = "any"
    every_state: bool = False
    describes: Callable[[Evidence], Parser | None] | None = None

    @cached_property
    def searched(self) -> Footprint:
        return Footprint(self.footprint)

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """The footprint as one pattern."""
        return self.searched.live(None) or re.compile(self.footprint, re.MULTILINE)

    def wants(self, text: Text) -> bool:
        """True when the artefact shows this tool's footprint."""
        if self.binary:
            return re.search(self.footprint.encode(), text.head) is not None
        if text.is_binary:
            return False
        live = self.searched.live(text.haystack)
        return live is not None and live.search(text.haystack.text if text.haystack else text.plain) is not None


@cache
def all_parsers() -> dict[str, Parser]:
    """Every parser of this folder by the name of its module."""
    names = sorted(module.name for module in pkgutil.iter_modules(__path__) if not module.name.startswith("_"))
    return {name: importlib.import_module(f"{__name__}.{name}").PARSER for name in names}
