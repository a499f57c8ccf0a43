"""Evidence: one fact with its source, its subject and its time on a named clock.

The kinds that several tools can show live in this package, one module per domain (`kernel`,
`process`, `storage`, `job`, `gpu`, `network`, `probe`). A kind is a frozen dataclass; its name in
JSON is the class's name in snake case (`HungTask` is `hung_task`), its fields carry their units in
their names, and its docstring holds a verbatim sample. Symptoms know these kinds and no tool.
"""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from operator import attrgetter
from typing import Any, ClassVar, NamedTuple


class Severity(StrEnum):
    """How bad the fact is by itself, whatever it means for the incident."""

    INFO = "info"
    WARNING = "warning"
    CRITICAL = "critical"
    FATAL = "fatal"


class Source(NamedTuple):
    """Where a fact was read: file (relative to the incident), line (1-based, 0 = the whole file), raw line."""

    file: str
    line: int
    quote: str


def each_once(sources: Iterable[Source]) -> tuple[Source, ...]:
    """Sources in their order, each line once: two facts may quote different parts of one."""
    found: dict[tuple[str, int], Source] = {}
    for source in sources:
        found.setdefault((source.file, source.line), source)
    return tuple(found.values())


class Clock(StrEnum):
    """What the number in a stamp counts."""

    UTC = "utc"  # seconds since the epoch
    LOCAL = "local"  # seconds since the epoch as if the wall clock, whose zone is unknown, were UTC
    NO_YEAR = "no-year"  # as LOCAL, in the year 1972: month, day and time are known, the year is not
    TIME_OF_DAY = "time-of-day"  # seconds since midnight of an unknown day
    UPTIME = "uptime"  # seconds since the boot numbered `boot` in its file


class Stamp(NamedTuple):
    """A time as its tool wrote it: `seconds` on `clock`. Only `timeline` turns one into a moment.

    `zone_s` is how far the writer's own zone is ahead of UTC, in seconds, where a stamp in UTC says it.
    """

    clock: Clock
    seconds: float
    boot: int = 0
    zone_s: float | None = None

    @property
    def wall(self) -> Stamp | None:
        """The same time as the wall clock of the writer showed it; None for one in UTC that does not say its zone."""
        if self.clock is not Clock.UTC:
            return self
        return None if self.zone_s is None else Stamp(Clock.LOCAL, self.seconds + self.zone_s)


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """What a fact is about. Every field may be unknown (None), and unknown matches anything.

    `owner` tells volumes and disks of one name apart where an incident shows the mounts of several machines: the server
    of a network volume, the machine of any other. No tool prints it.
    """

    host: str | None = None
    rank: int | None = None
    pid: int | None = None
    tid: int | None = None
    comm: str | None = None
    mount: str | None = None
    path: str | None = None
    server: str | None = None
    device: str | None = None
    gpu: int | None = None
    pci: str | None = None
    cgroup: str | None = None
    interface: str | None = None
    job: str | None = None
    owner: str | None = None

    @classmethod
    def of(cls, known: Mapping[str, Any]) -> Subject:
        """The subject of which these fields are known: the inverse of `known`."""
        return cls(**known)

    def known(self) -> dict[str, str | int]:
        """The fields that are known, in declaration order."""
        return {name: value for name, value in zip(_FIELDS, _values(self), strict=True) if value is not None}

    def agrees_with(self, other: Subject) -> bool:
        """True when no field that both know differs."""
        return all(
            theirs is None or mine is None or mine == theirs
            for mine, theirs in zip(_values(self), _values(other), strict=True)
        )

    @classmethod
    def shared_by(cls, subjects: Iterable[Subject]) -> Subject:
        """What is known of all of several subjects: a field on which two that know it differ becomes unknown."""
        columns = [set(column) - {None} for column in zip(*map(_values, subjects), strict=True)]
        return cls.of({name: column.pop() for name, column in zip(_FIELDS, columns, strict=True) if len(column) == 1})

    def __str__(self) -> str:
        return ", ".join(f"{name} {value}" for name, value in self.known().items()) or "this incident"


_FIELDS = tuple(field.name for field in dataclasses.fields(Subject))
_values: Callable[[Subject], tuple[Any, ...]] = attrgetter(*_FIELDS)
NOBODY = Subject()

KINDS: dict[str, type[Evidence]] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """One fact. Subclasses add their own fields; nothing is ever changed after it was read."""

    kind: ClassVar[str] = "evidence"
    source: Source
    subject: Subject = NOBODY
    stamp: Stamp | None = None
    severity: Severity = Severity.INFO

    def __init_subclass__(cls) -> None:
        # the zero-argument super() would name the class that slots=True replaces
        super(Evidence, cls).__init_subclass__()
        cls.kind = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", cls.__name__).lower()
        KINDS[cls.kind] = cls

    def fields(self) -> dict[str, Any]:
        """The fields that the kind adds to every fact's own, as plain JSON-ready values."""
        return {
            field.name: _plain(getattr(self, field.name))
            for field in dataclasses.fields(self)
            if field.name not in _COMMON_FIELDS
        }


_COMMON_FIELDS = frozenset(field.name for field in dataclasses.fields(Evidence))


def _plain(value: Any) -> Any:
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return {name: _plain(item) for name, item in value._asdict().items()}
    if isinstance(value, (tuple, list)):
        return [_plain(item) for item in value]
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, float) and not math.isfinite(value):
        return None  # JSON has neither NaN nor infinity; a loss that is NaN is said by its own kind
    return value


class ReadState(StrEnum):
    """What became of one artefact, or of one parser's reading of it."""

    READ = "read"
    EMPTY = "empty"  # nothing in it: the tool printed nothing, or was not allowed to
    CUT = "cut"  # read as far as it goes; it ends in the middle of something
    UNRECOGNISED = "unrecognised"  # readable, but no parser knows it
    UNREADABLE = "unreadable"  # `reason` says why
    REFUSED = "refused"  # a collector was told no; `reason` is the error
    SILENT = "silent"  # a collector got no answer before its deadline


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """What was looked at: one artefact read by one parser, over which time, with what result.

    `medium` is what kind of witness the artefact is ("kernel-log", "process-table", "python-stacks",
    "job-log", ...): a symptom is ABSENT only when a medium that would show it was read.
    """

    file: str
    parser: str | None
    medium: str | None
    state: ReadState
    reason: str = ""
    facts: int = 0
    lines: int = 0
    first: Stamp | None = None
    last: Stamp | None = None

    @property
    def source(self) -> Source:
        said = f"{self.file}: {self.state.value}" + (f" ({self.reason})" if self.reason else "")
        return Source(self.file, 0, said)
