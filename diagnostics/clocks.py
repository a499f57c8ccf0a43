"""What ties a clock that counts something else to the calendar.

A wall clock is tied by the zone that its file or its machine says. Uptime is tied by a reading of both clocks (`date`
and `uptime`), else by events that a second file dates; a date without a year by the files that have one; a time of day
by the day the other files speak of. The clocks of several ranks are set against one another by the steps they take
together. What nothing ties is not guessed.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import MAXYEAR, MINYEAR, UTC, datetime, timedelta, timezone
from pathlib import PurePosixPath
from statistics import median, median_low

from .evidence import Clock, Evidence, Stamp
from .evidence.kernel import ClockReading
from .evidence.training import TrainingSteps

Said = tuple[str, str, str]  # a fact's kind, subject and fields

_DAY = 86_400.0
_OUT_OF_CALENDAR = (OverflowError, OSError, ValueError)  # as the C library and datetime say it
_CALENDAR = (Clock.UTC, Clock.LOCAL)
LOCAL_TIME = timezone(timedelta(0), "local time")  # of moments that are read as if their wall clock were UTC
_ABOUT_S = 900.0  # between the end of a log and the reading of a clock that were collected together
ZONES_S = 14 * 3600.0  # how far the furthest zone is from UTC
SHARED_STEPS = 5  # that two ranks must both log before their clocks are compared
LEAST_SKEW_S = 2.0  # less is how long one rank takes longer to print than another


@dataclass(frozen=True)
class Alignment:
    """How a clock is turned into UTC: add `offset_s`; `uncertainty_s` either way; `anchor` says why.

    `zone` is `LOCAL_TIME` where nothing says the zone of the wall clock that all of it rests on.
    """

    offset_s: float
    uncertainty_s: float
    anchor: str
    zone: timezone = UTC

    def shares_doubt(self, other: Alignment) -> bool:
        """True where both are off by the same: they rest on one reading, or on wall clocks of an unknown zone."""
        return self.anchor == other.anchor or self.zone is other.zone is LOCAL_TIME


Align = Callable[[Stamp, str], Alignment | None]  # of a stamp that a file holds

UNKNOWN_ZONE = Alignment(0.0, ZONES_S, "read as UTC: nothing says its zone", LOCAL_TIME)


def from_zones(said: Sequence[Evidence]) -> Alignment | None:
    """The offset of a wall clock from facts that say their zone; None where there are none.

    One that is not UTC is believed before UTC, which many programs write everywhere.
    """
    zones = {(fact.stamp.zone_s or 0.0) if fact.stamp else 0.0: fact for fact in reversed(said)}
    if not zones:
        return None
    chosen = median_low([zone_s for zone_s in zones if zone_s] or [0.0])
    doubt = max(abs(chosen - zone_s) for zone_s in zones)
    name = timezone(timedelta(seconds=chosen)).tzname(None)
    return Alignment(-chosen, doubt, f"{zones[chosen].source.file} says {name}")


def says_zone(fact: Evidence) -> bool:
    """True for a fact whose stamp says its writer's zone, and for a clock that is read in UTC."""
    stamp = fact.stamp
    return stamp is not None and (stamp.zone_s is not None or (isinstance(fact, ClockReading) and fact.utc))


def is_of_machine(fact: Evidence) -> bool:
    """True where the zone that a fact says is its machine's: of a clock that was read, or a line of a system log."""
    return isinstance(fact, ClockReading) or fact.subject.host is not None


def or_utc(wall: Alignment, end_s: float | None, collected_s: float | None) -> Alignment:
    """A file's wall clock by its machine's zone, or by UTC, which containers keep whatever the zone of their host.

    `end_s`, where the file ends on its wall clock, and `collected_s`, when the machine's clock was read, tell which it
    is where a file ends about then by one of them alone, or would end later by the other. Else it is the machine's, in
    doubt.
    """
    if not wall.offset_s:
        return wall
    if end_s is not None and collected_s is not None:
        gaps_s = [collected_s - end_s - offset_s for offset_s in (wall.offset_s, 0.0)]
        about, possible = [abs(gap_s) <= _ABOUT_S for gap_s in gaps_s], [gap_s >= -_ABOUT_S for gap_s in gaps_s]
        for is_zone, is_utc in (about, possible):
            if is_zone != is_utc:
                in_utc = replace(wall, offset_s=0.0, anchor=f"read as UTC by where it ends; {wall.anchor}")
                return wall if is_zone else in_utc
    return replace(wall, uncertainty_s=max(wall.uncertainty_s, abs(wall.offset_s)))


def from_reading(readings: Iterable[ClockReading], file: str, align: Align) -> Alignment | None:
    """The offset of an uptime clock from a reading beside the file, or from the only folder that has one."""
    usable = [each for each in readings if _boot(each) is not None]
    beside = [each for each in usable if _folder(each.source.file) == _folder(file)]
    if not beside and len({_folder(each.source.file) for each in usable}) == 1:
        beside = usable
    if not beside:
        return None
    boot, anchor = _boot(beside[0]), beside[0].source.file
    wall = align(boot, anchor) if boot else None
    if boot is None or wall is None:
        return None
    return Alignment(boot.seconds + wall.offset_s, 1.0 + wall.uncertainty_s, anchor, wall.zone)


def _boot(reading: ClockReading) -> Stamp | None:
    """When the machine started, on the wall clock that was read."""
    if reading.stamp is not None and reading.uptime_s is not None:
        return reading.stamp._replace(seconds=reading.stamp.seconds - reading.uptime_s)
    return None if reading.boot_s is None else Stamp(Clock.LOCAL, reading.boot_s)


def _folder(file: str) -> PurePosixPath:
    return PurePosixPath(file).parent


def from_shared_events(
    facts: Iterable[Evidence], dated: Mapping[Said, Sequence[Evidence]], file: str, align: Align
) -> Alignment | None:
    """The offset of an uptime clock of a file from events that occur once among `facts` and once, dated, in other
    files.

    `dated` is what `by_what_they_say` gives for the dated facts of all files.
    """
    pairs = []
    for said, here in by_what_they_say(facts).items():
        there = [fact for fact in dated.get(said, ()) if fact.source.file != file]
        if len(here) == len(there) == 1:
            pairs.append((here[0], there[0]))
    tied = [
        (there.stamp.seconds + wall.offset_s - here.stamp.seconds, wall)
        for here, there in pairs
        if here.stamp and there.stamp and (wall := align(there.stamp, there.source.file))
    ]
    if not tied:
        return None
    middle = median(offset for offset, _ in tied)
    worst = max((wall for _, wall in tied), key=lambda wall: wall.uncertainty_s)
    doubt = max(abs(offset - middle) for offset, _ in tied) + 1.0 + worst.uncertainty_s
    files = sorted({dated.source.file for _, dated in pairs})
    return Alignment(middle, doubt, f"{len(tied)} events that {', '.join(files[:2])} dates as well", worst.zone)


def by_what_they_say(facts: Iterable[Evidence]) -> dict[Said, list[Evidence]]:
    """The facts that name a subject other than a host, by what they say; of many alike in one file the first two."""
    found: dict[Said, list[Evidence]] = defaultdict(list)
    seen: Counter[tuple[Said, str]] = Counter()
    for fact in facts:
        subject = {name: value for name, value in fact.subject.known().items() if name != "host"}
        if not subject:
            continue
        said = (fact.kind, repr(subject), repr(fact.fields()))
        seen[said, fact.source.file] += 1
        if seen[said, fact.source.file] <= 2:
            found[said].append(fact)
    return found


def calendar_middle(facts: Iterable[Evidence], align: Align) -> float | None:
    """The middle moment, in seconds since the epoch, of the facts that say their date; None when none does."""
    dated = [
        fact.stamp.seconds + wall.offset_s
        for fact in facts
        if fact.stamp and fact.stamp.clock in _CALENDAR and (wall := align(fact.stamp, fact.source.file))
    ]
    return median(dated) if dated else None


def with_year(stamp: Stamp, near: float, wall: Alignment) -> Alignment | None:
    """The year that puts a date without one, of a wall clock, nearest to a moment: a log may cross the new year.

    None where that moment, of a clock that was never set, lies outside of the calendar.
    """
    try:
        near -= wall.offset_s
        year = datetime.fromtimestamp(near, UTC).year
        offset = min(_year_offsets(stamp, year), key=lambda offset: abs(stamp.seconds + offset - near))
        chosen = datetime.fromtimestamp(stamp.seconds + offset, UTC).year
    except _OUT_OF_CALENDAR:
        return None
    return _dated_by(wall, offset, f"the year {chosen} of the other files")


def _dated_by(wall: Alignment, offset_s: float, anchor: str) -> Alignment:
    """A wall clock's alignment once its date is known."""
    said = anchor if wall == UNKNOWN_ZONE else f"{anchor}; {wall.anchor}"
    return replace(wall, offset_s=wall.offset_s + offset_s, anchor=said)


def _year_offsets(stamp: Stamp, year: int) -> Iterator[float]:
    date = datetime.fromtimestamp(stamp.seconds, UTC)
    for candidate in range(max(year - 1, MINYEAR), min(year + 1, MAXYEAR) + 1):
        try:
            yield date.replace(year=candidate).timestamp() - stamp.seconds
        except ValueError:  # 29 February of a common year
            yield datetime(candidate, 3, 1, tzinfo=UTC).timestamp() - stamp.seconds


def with_day(stamp: Stamp, near: float, wall: Alignment) -> Alignment | None:
    """The day that puts a wall clock's time of day nearest to a moment; None where it lies outside of the calendar."""
    near -= wall.offset_s
    midnight = near - near % _DAY
    offset = min((midnight + days * _DAY for days in (-1, 0, 1)), key=lambda each: abs(stamp.seconds + each - near))
    try:
        day = datetime.fromtimestamp(offset, UTC)
    except _OUT_OF_CALENDAR:
        return None
    return _dated_by(wall, offset, f"the day {day:%F} of the other files")


def rank_skews(runs: Iterable[TrainingSteps]) -> dict[int, Alignment]:
    """By rank, what must be added to a clock that differs from those of the others; a clock that agrees has none.

    Ranks that train together end each step together, so the same step at another time is another clock. The clock
    of the middle rank is taken for right. A rank with several runs is left alone (its steps were taken twice), and one
    that shares too few steps with the rank that most others share theirs with.
    """
    found: dict[int, list[TrainingSteps]] = defaultdict(list)
    for run in runs:
        if run.subject.rank is not None and run.stamp and run.stamp.clock in _CALENDAR:
            found[run.subject.rank].append(run)
    times = {rank: _times_of(same[0]) for rank, same in sorted(found.items()) if len(same) == 1}
    if len(times) < 2:
        return {}
    pivot = _most_shared(times)
    apart = {rank: (0.0, 0.0, 0) if rank == pivot else _apart(times[pivot], each) for rank, each in times.items()}
    apart = {rank: each for rank, each in apart.items() if rank == pivot or each[2] >= SHARED_STEPS}
    right = median_low(offset for offset, _, _ in apart.values())
    return {
        rank: Alignment(right - offset, spread + 1.0, f"{steps or 'the'} steps that rank {rank} takes with the others")
        for rank, (offset, spread, steps) in apart.items()
        if abs(offset - right) > max(LEAST_SKEW_S, 5 * spread)
    }


def _most_shared(times: Mapping[int, Mapping[int, float]]) -> int:
    """The rank that shares enough steps with most others: one whose log is cut short shares them with none."""
    alike = Counter(frozenset(each) for each in times.values())
    partners = {steps: sum(n for other, n in alike.items() if len(steps & other) >= SHARED_STEPS) for steps in alike}
    return max(times, key=lambda rank: partners[frozenset(times[rank])])


def _times_of(run: TrainingSteps) -> Mapping[int, float]:
    """When each step was logged; the last time counts."""
    pairs = zip(run.columns["step"], run.columns.get("seconds", ()), strict=False)
    return {int(step): float(seconds) for step, seconds in pairs if step == step and seconds == seconds}


def _apart(one: Mapping[int, float], other: Mapping[int, float]) -> tuple[float, float, int]:
    """How much later the other clock shows the same steps, how much that varies, and over how many steps."""
    differences = [other[step] - one[step] for step in one.keys() & other.keys()]
    if not differences:
        return 0.0, 0.0, 0
    middle = median(differences)
    return middle, median(abs(each - middle) for each in differences), len(differences)
