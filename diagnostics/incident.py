"""An incident: artefacts read into evidence, with coverage.

A folder, an archive (.tar, .tar.gz, .tar.zst, .zip) or single files. Every artefact is offered to every
parser; what each made of it is kept as coverage, also when nobody could read it. Nothing is ever unpacked
to disk, no link is followed out of the folder, and a name in an archive is a label, never a path.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from . import checksum_listings, collectives
from .archives import artefacts
from .evidence import Coverage, Evidence, ReadState, Source
from .evidence.job import WatchdogDescription
from .parsers.watchdog_descriptions import described_parser
from .reading import facts_of, text_of, unreadable
from .side_readers import read_all
from .supervision import must_answer

if TYPE_CHECKING:
    from .links import Links
    from .timeline import Timeline

Fact = TypeVar("Fact", bound=Evidence)
Progress = Callable[[int, str], None]

_KEPT = 5000  # lines, of all files together
DESCRIBED = "watchdog_descriptions"  # whose facts describe how other lines are to be read


class Incident:
    """Everything that is known of one incident.

    Parameters
    ----------
    name : what the person opened, for titles
    evidence : the facts, in the order they were read
    coverage : what became of each artefact
    texts : the lines of each file, None where they are too many to be kept; empty when nobody knows them
    """

    def __init__(
        self,
        name: str,
        evidence: Sequence[Evidence],
        coverage: Sequence[Coverage],
        texts: Mapping[str, Sequence[Source] | None] | None = None,
    ) -> None:
        self.name = name
        self.evidence = tuple(evidence)
        self.coverage = tuple(coverage)
        self.texts = dict(texts or {})

    @cached_property
    def _by_type(self) -> dict[type[Evidence], list[Evidence]]:
        found: dict[type[Evidence], list[Evidence]] = defaultdict(list)
        for fact in self.evidence:
            found[type(fact)].append(fact)
        return found

    def of(self, *kinds: type[Fact]) -> list[Fact]:
        """The facts of the given kinds, in reading order within a kind."""
        return [fact for kind in kinds for fact in self._by_type.get(kind, [])]  # type: ignore[misc]

    def reads(self, *media: str) -> list[Coverage]:
        """What was read of the given media: empty when nobody looked there."""
        return [
            each for each in self.coverage if each.medium in media and each.state in (ReadState.READ, ReadState.CUT)
        ]

    @cached_property
    def timeline(self) -> Timeline:
        """The facts on one axis."""
        from .timeline import Timeline

        return Timeline(self)

    @cached_property
    def links(self) -> Links:
        """Which process, descriptor, file, mount and server belong together."""
        from .links import Links

        return Links(self)

    def without(self, *files: str) -> Incident:
        """The same incident as if some of its files had not been there."""
        return Incident(
            self.name,
            [fact for fact in self.evidence if fact.source.file not in files],
            [each for each in self.coverage if each.file not in files],
            {file: lines for file, lines in self.texts.items() if file not in files},
        )

    def wordless(self) -> Incident:
        """The same incident as if only the facts were known, and not how its artefacts are worded."""
        return Incident(self.name, self.evidence, self.coverage)

    def with_evidence(self, facts: Iterable[Evidence]) -> Incident:
        """The same incident and some more facts, such as a probe's answers."""
        return Incident(self.name, [*self.evidence, *facts], self.coverage, self.texts)

    @cached_property
    def unread(self) -> list[str]:
        """The files that nobody understood; an empty one has nothing to understand."""
        return sorted({c.file for c in self.coverage if c.parser is None and c.state is not ReadState.EMPTY})

    def __repr__(self) -> str:
        files, unread = {each.file for each in self.coverage}, self.unread
        tail = f", {len(unread)} not understood: {', '.join(unread[:5])}" if unread else ""
        return f"<Incident {self.name}: {len(self.evidence)} facts from {len(files)} files{tail}>"


def open_incident(*paths: str | Path, on_progress: Progress | None = None) -> Incident:
    """Read a folder, an archive or files into an incident.

    `on_progress(done, name)` is called after each artefact. Raises UnreadableInput when a path does not
    exist or is not allowed, or lies on a network volume that does not answer; an artefact that cannot be read is
    coverage, not an error.
    """
    must_answer([str(path) for path in paths])
    evidence: list[Evidence] = []
    coverage: list[Coverage] = []
    texts: dict[str, list[Source] | None] = {}
    room = _KEPT
    for done, (name, reading) in enumerate(read_all(artefacts(*paths)), start=1):
        evidence += reading.facts
        coverage += reading.coverage
        room -= len(reading.lines or ())
        texts[name] = reading.lines if room >= 0 else None
        if on_progress:
            on_progress(done, name)
    for facts, told in _as_described(evidence, paths):
        evidence += facts
        coverage += told
    evidence += [*collectives.derived(evidence), *checksum_listings.derived(evidence)]
    return Incident(", ".join(Path(path).name or str(path) for path in paths), evidence, coverage, texts)


def _as_described(
    evidence: Sequence[Evidence], paths: Sequence[str | Path]
) -> Iterator[tuple[list[Evidence], list[Coverage]]]:
    """What watchdogs say that only the incident's own description of them makes readable: a second look."""
    described = [described_parser(fact) for fact in evidence if isinstance(fact, WatchdogDescription)]
    for artefact in artefacts(*paths) if described else ():
        text = text_of(artefact)
        for parser in described:
            if parser.wants(text):
                facts, fault = facts_of(DESCRIBED, parser, text)
                yield facts, [unreadable(DESCRIBED, parser, text, facts, fault)] if fault else []
        text.close()
