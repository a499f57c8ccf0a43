"""The facts of an incident on one axis.

Tools write uptime, wall time without a zone, time without a year, or nothing at all. Clocks are aligned
here and nowhere else: every scope (a file, or a boot within it) gets an `Alignment`, which says what
anchored it and how uncertain it is; a clock that nothing anchors keeps its own order and says so.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import datetime
from functools import cached_property
from typing import NamedTuple

from . import clocks
from .clocks import Alignment
from .evidence import Clock, Evidence, Severity, Stamp
from .evidence.kernel import ClockReading, KernelBoot
from .evidence.training import RunStarted, TrainingSteps
from .facts import Facts
from .machines import Machines

DAY_S = 86_400.0


class Instant(NamedTuple):
    """A place in time: seconds since the epoch in UTC, or on a `clock` that nothing anchors.

    A wall clock whose zone nothing says is taken to be in UTC, as nearly every container's is. `scope` is the file and
    boot of an uptime, which says nothing of another one's.
    """

    clock: Clock
    seconds: float
    scope: tuple[str, int] | None = None

    def is_comparable(self, other: Instant) -> bool:
        """True when both are told by one clock."""
        return self.clock is other.clock and self.scope == other.scope

    def since(self, earlier: Instant) -> float | None:
        """Seconds from another instant to this one, None where no clock tells both.

        Two times of day are taken to be less than half a day apart.
        """
        if not self.is_comparable(earlier):
            return None
        gap = self.seconds - earlier.seconds
        return (gap + DAY_S / 2) % DAY_S - DAY_S / 2 if self.clock is Clock.TIME_OF_DAY else gap


def named_zone(moments: Iterable[datetime | None]) -> str:
    """What a column or an axis of moments is headed by: "UTC", "local time", or both."""
    return " and ".join(sorted({f"{moment:%Z}" for moment in moments if moment})) or "UTC"


class Timeline:
    """The facts of one incident in time."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts

    def at(self, fact: Evidence, stamp: Stamp | None = None) -> datetime | None:
        """The moment of a fact, or of another stamp that it holds; None when its clock is not anchored.

        It is in UTC, or in `LOCAL_TIME` where nothing says the zone of its wall clock.
        """
        return self.moment(stamp or fact.stamp, fact.source.file, fact.subject.rank)

    def moment(self, stamp: Stamp | None, file: str, rank: int | None = None) -> datetime | None:
        """As `at`, of a stamp that was read in a file; of a rank whose clock is skewed, put right."""
        if stamp is None:
            return None
        alignment = self.aligned(stamp, file)
        if alignment is None:
            return None
        skew = self.skews.get(rank) if rank is not None and stamp.clock in (Clock.UTC, Clock.LOCAL) else None
        try:
            seconds = stamp.seconds + alignment.offset_s + (skew.offset_s if skew else 0.0)
            return datetime.fromtimestamp(seconds, alignment.zone)
        except (OverflowError, OSError, ValueError):
            return None

    def around(self, fact: Evidence) -> tuple[datetime, datetime] | None:
        """The moments of the nearest dated lines above and below a fact in its file, as far as facts tell of them.

        None where either is missing, and where the file is not in the order of time there.
        """
        line = fact.source.line
        stamped = [(at, self.at(each, stamp)) for each in self._by_file[fact.source.file] for at, stamp in _lines(each)]
        dated = [(at, moment) for at, moment in stamped if moment]
        above = max(((at, moment) for at, moment in dated if at < line), default=None)
        below = min(((at, moment) for at, moment in dated if at > line), default=None)
        if not above or not below or above[1].tzinfo is not below[1].tzinfo or above[1] > below[1]:
            return None
        return above[1], below[1]

    def instant(self, fact: Evidence, stamp: Stamp | None = None) -> Instant | None:
        """The place in time of a fact, or of another stamp that it holds; None when it has no time at all."""
        stamp = stamp or fact.stamp
        if stamp is None:
            return None
        if moment := self.at(fact, stamp):
            return Instant(Clock.UTC, moment.timestamp())
        scope = (fact.source.file, stamp.boot) if stamp.clock is Clock.UPTIME else None
        return Instant(stamp.clock, stamp.seconds, scope)

    def elapsed_s(self, first: Evidence, second: Evidence, since: Stamp | None = None) -> float | None:
        """Seconds from one fact, or another stamp that it holds, to a second one; None where no clock tells both."""
        begin, end = self.instant(first, since), self.instant(second)
        return end.since(begin) if begin and end else None

    def alignment(self, clock: Clock, file: str, boot: int = 0) -> Alignment | None:
        """How the given clock of a file is anchored, or None when it is not."""
        if clock in (Clock.NO_YEAR, Clock.TIME_OF_DAY):
            stamps = (f.stamp for f in self._by_file[file] if f.stamp and f.stamp.clock is clock)
            first = next(stamps, None)
            return self.aligned(first, file) if first else None
        return self.aligned(Stamp(clock, 0.0, boot), file)

    def aligned(self, stamp: Stamp, file: str) -> Alignment | None:
        """How the clock of a stamp that was read in a file is anchored, or None when it is not."""
        match stamp.clock:
            case Clock.UTC:
                return Alignment(0.0, 0.0, "the stamp says its zone")
            case Clock.LOCAL:
                return self._zone(file)
            case Clock.UPTIME:
                return self._boot(file, stamp.boot)
            case Clock.NO_YEAR:
                return clocks.with_year(stamp, self._middle, self._zone(file)) if self._middle is not None else None
            case Clock.TIME_OF_DAY:
                return clocks.with_day(stamp, self._middle, self._zone(file)) if self._middle is not None else None

    @cached_property
    def skews(self) -> dict[int, Alignment]:
        """The ranks whose clocks differ from those of the others, and what puts them right."""
        return clocks.rank_skews(self._facts.of(TrainingSteps))

    @cached_property
    def _by_file(self) -> dict[str, list[Evidence]]:
        found: dict[str, list[Evidence]] = defaultdict(list)
        for fact in self._facts.evidence:
            found[fact.source.file].append(fact)
        return found

    @cached_property
    def _middle(self) -> float | None:
        return clocks.calendar_middle(self._facts.evidence, self.aligned)

    def _zone(self, file: str) -> Alignment:
        """The zone of a file's wall clock: as the file says it, its machine, or else the other machines."""
        if file not in self._zones:
            here = [fact for fact in self._saying_zones if fact.source.file == file]
            self._zones[file] = clocks.from_zones(here) or self._zone_elsewhere(file) or clocks.UNKNOWN_ZONE
        return self._zones[file]

    def _zone_elsewhere(self, file: str) -> Alignment | None:
        """The zone that another file says, of the same machine first."""
        said = [fact for fact in self._saying_zones if clocks.is_of_machine(fact)]
        machine = self._machines.of_file(file)
        beside = [fact for fact in said if self._machines.of_file(fact.source.file) == machine]
        wall = clocks.from_zones(beside or said)
        read = [fact for fact in beside if isinstance(fact, ClockReading)]
        collected_s = max((fact.stamp.seconds for fact in read if fact.stamp), default=None)
        return clocks.or_utc(wall, self._end_s(file), collected_s) if wall else None

    def _end_s(self, file: str) -> float | None:
        """The last time that a file tells on its wall clock, in seconds."""
        told = [fact for fact in self._by_file[file] if fact.stamp and fact.stamp.clock is Clock.LOCAL]
        seconds = [fact.stamp.seconds for fact in told if fact.stamp]
        for run in (fact for fact in told if isinstance(fact, TrainingSteps)):
            seconds += [value for value in run.columns.get("seconds", ()) if value == value]
        return max(seconds, default=None)

    @cached_property
    def _zones(self) -> dict[str, Alignment]:
        return {}

    @cached_property
    def _machines(self) -> Machines:
        return Machines(self._facts.evidence)

    @cached_property
    def _saying_zones(self) -> list[Evidence]:
        """The facts that say their zone; of a file the last of each kind and zone."""
        return list(
            {
                (fact.source.file, fact.kind, fact.stamp and fact.stamp.zone_s): fact
                for fact in self._facts.evidence
                if clocks.says_zone(fact)
            }.values()
        )

    @cached_property
    def _boots(self) -> dict[tuple[str, int], Alignment | None]:
        return {}

    def _boot(self, file: str, boot: int) -> Alignment | None:
        """A reading of the clocks was made in the last boot that a file shows; earlier ones need events."""
        if (file, boot) not in self._boots:
            boots = self._uptimes[file]
            is_last = boot >= max(boots, default=boot)
            read = clocks.from_reading(self._facts.of(ClockReading), file, self.aligned) if is_last else None
            self._boots[file, boot] = read or clocks.from_shared_events(
                boots.get(boot, ()), self._dated, file, self.aligned
            )
        return self._boots[file, boot]

    @cached_property
    def _uptimes(self) -> dict[str, dict[int, list[Evidence]]]:
        """The facts that a clock since boot stamps, by file and boot."""
        found: dict[str, dict[int, list[Evidence]]] = defaultdict(lambda: defaultdict(list))
        for fact in self._facts.evidence:
            if fact.stamp and fact.stamp.clock is Clock.UPTIME:
                found[fact.source.file][fact.stamp.boot].append(fact)
        return found

    @cached_property
    def _dated(self) -> dict[clocks.Said, list[Evidence]]:
        dated = (f for f in self._facts.evidence if f.stamp and f.stamp.clock in (Clock.UTC, Clock.LOCAL))
        return clocks.by_what_they_say(dated)

    @cached_property
    def undated(self) -> dict[tuple[str, int], list[Evidence]]:
        """The facts whose clock nothing anchors, by file and boot, each in the order of its own clock."""
        found: dict[tuple[str, int], list[tuple[float, Evidence]]] = defaultdict(list)
        for fact in self._facts.evidence:
            if fact.stamp and self.at(fact) is None:
                found[fact.source.file, fact.stamp.boot].append((fact.stamp.seconds, fact))
        return {scope: [fact for _, fact in sorted(each, key=lambda e: e[0])] for scope, each in found.items()}

    @cached_property
    def _first_run(self) -> datetime | None:
        """The start of the first run, where its log says the zone: an hour's doubt would hide what matters."""
        starts = [fact for fact in self._facts.of(RunStarted) if fact.stamp and fact.stamp.clock is Clock.UTC]
        return min((moment for fact in starts if (moment := self.at(fact))), default=None)

    def precedes_runs(self, fact: Evidence, margin_s: float = 60.0) -> bool:
        """True when a fact is known to be older than every run of the incident, by more than the margin."""
        moment = self.at(fact)
        return bool(self._first_run and moment and (self._first_run - moment).total_seconds() > margin_s)

    @cached_property
    def _last_step(self) -> datetime | None:
        """The last dated step of the job's logs."""
        ends = ((steps, self.at(steps, steps.last_stamp)) for steps in self._facts.of(TrainingSteps))
        return max((moment for _, moment in ends if moment), default=None)

    def long_over(self, fact: Evidence) -> bool:
        """True when a dated log of the job makes steps more than a day after a fact: whatever ended it came later."""
        moment = None if isinstance(fact, TrainingSteps) else self.at(fact)
        return bool(self._last_step and moment and (self._last_step - moment).total_seconds() > DAY_S)

    @cached_property
    def set_aside(self) -> tuple[Evidence, ...]:
        """The facts, graver than information, that are older than the incident: they are of another one."""
        grave = (fact for fact in self._facts.evidence if fact.severity is not Severity.INFO)
        return tuple(fact for fact in grave if self.precedes_runs(fact) or self.long_over(fact))

    def cleared_by_reboot(self, fact: Evidence) -> bool:
        """True when the machine is known to have started again between a fact and the first run of the incident."""
        boots = [boot for boot in self._facts.of(KernelBoot) if boot.source.file == fact.source.file]
        return any(boot.source.line > fact.source.line and self.precedes_runs(boot, margin_s=0.0) for boot in boots)

    @cached_property
    def ordered(self) -> list[tuple[datetime, Evidence]]:
        """The facts whose moment is known, earliest first."""
        dated = [(moment, fact) for fact in self._facts.evidence if (moment := self.at(fact)) is not None]
        return sorted(dated, key=lambda pair: pair[0])


def _lines(fact: Evidence) -> Iterator[tuple[int, Stamp]]:
    """The dated lines that a fact was read in, each with its stamp: one, or of a run every step's."""
    if not fact.stamp:
        return
    yield fact.source.line, fact.stamp
    if isinstance(fact, TrainingSteps):
        for line, seconds in zip(fact.columns["line"], fact.columns.get("seconds", ()), strict=False):
            if seconds == seconds:
                yield int(line), fact.stamp._replace(seconds=float(seconds))
