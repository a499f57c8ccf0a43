"""An incident: artefacts read into evidence, with coverage.

A folder, an archive (.tar, .tar.gz, .tar.zst, .zip) or single files. Every artefact is offered to every
parser; what each made of it is kept as coverage, also when nobody could read it. Nothing is ever unpacked
to disk, no link is followed out of the folder, and a name in an archive is a label, never a path.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import overload

from . import checksum_listings, collectives
from .archives import STDIN, artefacts
from .evidence import Coverage, Evidence, ReadState, Source
from .facts import Facts
from .links import Links
from .parsers import all_parsers
from .reading import facts_of, text_of, unreadable
from .runs import Run, runs_of
from .side_readers import read_all
from .supervision import must_answer
from .timeline import Timeline
from .volumes import Volumes

Progress = Callable[[int, str], None]


class Kept(Sequence[Source]):
    """The first lines of one file, held as one string: of many files they are many."""

    def __init__(self, file: str, quotes: Iterable[str]) -> None:
        self._file = file
        self._text = "".join(f"{quote}\n" for quote in quotes)

    def __len__(self) -> int:
        return self._text.count("\n")

    def __iter__(self) -> Iterator[Source]:
        return (Source(self._file, at, quote) for at, quote in enumerate(self._text.split("\n")[:-1], start=1))

    @overload
    def __getitem__(self, at: int) -> Source: ...

    @overload
    def __getitem__(self, at: slice) -> list[Source]: ...

    def __getitem__(self, at: int | slice) -> Source | list[Source]:
        return list(self)[at]


class Incident(Facts):
    """Everything that is known of one incident.

    Parameters
    ----------
    name : what the person opened, for titles
    facts : what each artefact shows by itself, in the order it was read
    coverage : what became of each artefact
    texts : the lines of each file, None where they are too many to be kept; empty when nobody knows them
    described : facts that only a description in another file makes readable, each with that file

    `evidence` is all that is known: the facts, those described, and what only a comparison of them shows.
    """

    def __init__(
        self,
        name: str,
        facts: Sequence[Evidence],
        coverage: Sequence[Coverage],
        texts: Mapping[str, Sequence[Source] | None] | None = None,
        described: Sequence[tuple[str, Evidence]] = (),
    ) -> None:
        self.name = name
        self._facts = tuple(facts)
        self._described = tuple(described)
        told = [*self._facts, *(fact for _, fact in self._described)]
        super().__init__([*told, *collectives.derived(told), *checksum_listings.derived(told)], coverage)
        self.texts = dict(texts or {})

    @cached_property
    def timeline(self) -> Timeline:
        """The facts on one axis."""
        return Timeline(self)

    @cached_property
    def links(self) -> Links:
        """Which process, descriptor and file belong together."""
        return Links(self)

    @cached_property
    def runs(self) -> list[Run]:
        """The runs of every log, in reading order."""
        return runs_of(self, self.timeline, self.links)

    @cached_property
    def volumes(self) -> Volumes:
        """What is mounted where on each machine."""
        return Volumes(self, self.links)

    def without(self, *files: str) -> Incident:
        """The same incident as if some of its files had not been there."""
        return Incident(
            self.name,
            [fact for fact in self._facts if fact.source.file not in files],
            [each for each in self.coverage if each.file not in files],
            {file: lines for file, lines in self.texts.items() if file not in files},
            [(by, fact) for by, fact in self._described if by not in files and fact.source.file not in files],
        )

    def wordless(self) -> Incident:
        """The same incident as if only the facts were known, and not how its artefacts are worded."""
        return Incident(self.name, self._facts, self.coverage, described=self._described)

    def with_evidence(self, facts: Iterable[Evidence]) -> Incident:
        """The same incident and some more facts, such as a probe's answers."""
        return Incident(self.name, [*self._facts, *facts], self.coverage, self.texts, self._described)

    @cached_property
    def unread(self) -> list[str]:
        """The files that nobody understood; an empty one has nothing to understand."""
        return sorted({c.file for c in self.coverage if c.parser is None and c.state is not ReadState.EMPTY})

    def __repr__(self) -> str:
        files, unread = {each.file for each in self.coverage}, self.unread
        tail = f", {len(unread)} not understood: {', '.join(unread[:5])}" if unread else ""
        return f"<Incident {self.name}: {len(self.evidence)} facts from {len(files)} files{tail}>"


def open_incident(*paths: str | Path, on_progress: Progress | None = None) -> Incident:
    """Read a folder, an archive, files or standard input (`-`) into an incident.

    `on_progress(done, name)` is called after each artefact. Raises UnreadableInput when a path does not
    exist or is not allowed, or lies on a network volume that does not answer; an artefact that cannot be read is
    coverage, not an error.
    """
    must_answer([str(path) for path in paths])
    read: list[tuple[str, Sequence[Evidence], Sequence[Coverage], Kept | None]] = []
    for done, (name, reading) in enumerate(read_all(artefacts(*paths)), start=1):
        kept = None if reading.lines is None else Kept(name, (line.quote for line in reading.lines))
        read.append((name, reading.facts, reading.coverage, kept))
        if on_progress:
            on_progress(done, name)
    if len(paths) == 1:  # an archive holds its files in any order; several paths were named in theirs
        read.sort(key=lambda each: _place(each[0]))
    facts = [fact for _, mine, _, _ in read for fact in mine]
    coverage = [each for _, _, mine, _ in read for each in mine]
    texts = {name: kept for name, _, _, kept in read}
    described, troubles = _as_described(facts, paths)
    name = ", ".join("stdin" if str(path) in STDIN else Path(path).name or str(path) for path in paths)
    return Incident(name, facts, [*coverage, *troubles], texts, described)


def _place(name: str) -> list[tuple[bool, str]]:
    """Where a file stands in a folder that is read: the files of each folder in name order, then its folders."""
    *folders, file = name.split("/")
    return [*((True, folder) for folder in folders), (False, file)]


def _as_described(
    facts: Sequence[Evidence], paths: Sequence[str | Path]
) -> tuple[list[tuple[str, Evidence]], list[Coverage]]:
    """What only the incident's own description of some lines makes readable, with its file: a second look."""
    ask = [(name, parser.describes) for name, parser in all_parsers().items() if parser.describes]
    described = [
        (name, fact.source.file, parser) for fact in facts for name, describes in ask if (parser := describes(fact))
    ]
    found: list[tuple[str, Evidence]] = []
    troubles: list[Coverage] = []
    for artefact in artefacts(*paths) if described else ():
        text = text_of(artefact)
        for name, file, parser in described:
            if parser.wants(text):
                mine, fault = facts_of(name, parser, text)
                found += [(file, fact) for fact in mine]
                troubles += [unreadable(name, parser, text, mine, fault)] if fault else []
        text.close()
    return found, troubles
