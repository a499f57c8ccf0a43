"""The facts of an incident on one axis, and the runs they belong to.

Tools write uptime, wall time without a zone, time without a year, or nothing at all. Clocks are aligned
here and nowhere else: every scope (a file, or a boot within it) gets an `Alignment`, which says what
anchored it and how uncertain it is; a clock that nothing anchors keeps its own order and says so.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING

from .evidence import Clock, Evidence, Stamp
from .evidence.job import RunStarted
from .evidence.kernel import ClockReading, KernelBoot

if TYPE_CHECKING:
    from .incident import Incident


@dataclass(frozen=True)
class Alignment:
    """How a clock is turned into UTC: add `offset_s`; `uncertainty_s` either way; `anchor` says why."""

    offset_s: float
    uncertainty_s: float
    anchor: str


class Timeline:
    """The facts of one incident in time."""

    def __init__(self, incident: Incident) -> None:
        self.incident = incident

    def at(self, fact: Evidence) -> datetime | None:
        """The moment of a fact in UTC, or None when its clock is not anchored."""
        return self.moment(fact.stamp, fact.source.file)

    def moment(self, stamp: Stamp | None, file: str) -> datetime | None:
        """The moment of a stamp that was read in a file, in UTC."""
        if stamp is None:
            return None
        alignment = self.alignment(stamp.clock, file, stamp.boot)
        if alignment is None:
            return None
        try:
            return datetime.fromtimestamp(stamp.seconds + alignment.offset_s, UTC)
        except (OverflowError, OSError, ValueError):
            return None

    def alignment(self, clock: Clock, file: str, boot: int = 0) -> Alignment | None:
        """How the given clock of a file is anchored, or None when it is not."""
        if clock is Clock.UTC:
            return Alignment(0.0, 0.0, "the stamp says its zone")
        if clock is Clock.LOCAL:
            return Alignment(0.0, 0.0, "read as UTC: nothing says another zone")
        if clock is Clock.UPTIME:
            return self._boot
        if clock is Clock.NO_YEAR:
            return self._year
        return None

    @cached_property
    def _boot(self) -> Alignment | None:
        for reading in self.incident.of(ClockReading):
            if reading.wall_s is not None and reading.uptime_s is not None:
                return Alignment(reading.wall_s - reading.uptime_s, 1.0, reading.source.file)
            if reading.boot_s is not None:
                return Alignment(reading.boot_s, 1.0, reading.source.file)
        return None

    @cached_property
    def _year(self) -> Alignment | None:
        years = [
            datetime.fromtimestamp(fact.stamp.seconds, UTC).year
            for fact in self.incident.evidence
            if fact.stamp and fact.stamp.clock in (Clock.UTC, Clock.LOCAL)
        ]
        if not years:
            return None
        year = max(set(years), key=years.count)
        offset = datetime(year, 3, 1, tzinfo=UTC).timestamp() - datetime(1972, 3, 1, tzinfo=UTC).timestamp()
        return Alignment(offset, 0.0, f"the year {year} of the other files")

    @cached_property
    def _first_run(self) -> datetime | None:
        """The start of the first run, where its log says the zone: an hour's doubt would hide what matters."""
        starts = [fact for fact in self.incident.of(RunStarted) if fact.stamp and fact.stamp.clock is Clock.UTC]
        return min((moment for fact in starts if (moment := self.at(fact))), default=None)

    def precedes_runs(self, fact: Evidence, margin_s: float = 60.0) -> bool:
        """True when a fact is known to be older than every run of the incident, by more than the margin."""
        moment = self.at(fact)
        return bool(self._first_run and moment and (self._first_run - moment).total_seconds() > margin_s)

    def cleared_by_reboot(self, fact: Evidence) -> bool:
        """True when the machine is known to have started again between a fact and the first run of the incident."""
        boots = [boot for boot in self.incident.of(KernelBoot) if boot.source.file == fact.source.file]
        return any(boot.source.line > fact.source.line and self.precedes_runs(boot, margin_s=0.0) for boot in boots)

    @cached_property
    def ordered(self) -> list[tuple[datetime, Evidence]]:
        """The facts whose moment is known, earliest first."""
        dated = [(moment, fact) for fact in self.incident.evidence if (moment := self.at(fact)) is not None]
        return sorted(dated, key=lambda pair: pair[0])
