"""Ranks wait for each other in calls that can never meet.

By numbers: two calls of which each lacks the ranks that joined the other; or the same call number with two operations
(of time-outs that name no group only a number far from the start, where groups do not meet by chance); or two
calls with numbers so close together, for all that they are large, that one group has counted them (of one name two
apart: the last may be over on one rank only).

By time: time-outs without any number that began together, one rank's in one operation and all the others' in another.

By stacks (else tracebacks): every rank waits for the others, in different operations, none of them point-to-point or
called by a pipeline's engine (its stages differ by design) and none elsewhere or stopped (then that one is what they
wait for). Or beside each main thread that is in a collective a second thread of its process is in one, too, and the
second threads are in different operations, not all of which have a root (whoever has given it its part is past a
gather). A second thread in the same call on every rank, as that of a save in the background in a group of its own, is
ordinary.

ABSENT where all ranks wait in the same operation, none that has made steps is missing, and no second thread of theirs
is in a collective.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations

from ..evidence import Evidence, Subject
from ..evidence.collective import CollectiveStuck, CollectiveTimeout
from ..evidence.process import PythonStack
from ..evidence.training import TrainingSteps
from ..incident import Incident
from ._odd_ones import grouped, listed, one_of_each
from ._ranks import FAR, Position, frames_of, positions, where
from ._symptom import Finding, Symptom

FEWEST = 3  # ranks: of two that differ neither is the odd one
TOGETHER_S = 1.0
MOST = 50  # calls that are compared with each other
AHEAD = 2  # calls of one name: the last may be over on one rank and not yet on another
CLOSE, SHARE = 8, 0.01  # calls apart, and of all the calls so far
PIPELINE = re.compile(r"/(?:pipe|pipelining|pipeline_parallel)/")
ROOTED = re.compile(r"^collective:(?:_?gpu_)?(?:gather|scatter|reduce|broadcast)(?:_object(?:_list)?|_one)?$")


def rule(incident: Incident) -> Iterator[Finding]:
    yield from _by_sequence(incident)
    yield from _by_close_numbers(incident)
    yield from _unnumbered(incident)
    yield from _crossed(incident)
    yield from _by_place(incident)


def _by_sequence(incident: Incident) -> Iterator[Finding]:
    calls: dict[tuple[str | None, int], list[CollectiveStuck | CollectiveTimeout]] = defaultdict(list)
    for fact in incident.of(CollectiveStuck):
        if fact.sequence is not None and fact.operation:
            calls[fact.group, fact.sequence].append(fact)
    for timeout in incident.of(CollectiveTimeout):
        if timeout.subject.rank is not None and timeout.operation and (timeout.sequence or 0) >= FAR:
            calls[timeout.group, timeout.sequence or 0].append(timeout)
    for (_, sequence), facts in calls.items():
        names = sorted({fact.operation or "" for fact in facts})
        if len(names) > 1:
            groups = grouped((fact.operation or "", fact) for fact in facts)
            ranks = all(fact.subject.rank is not None for fact in facts)
            note = f"call {sequence}: {listed(groups)}" if ranks else f"call {sequence} is {' and '.join(names)}"
            yield Finding(Subject(), one_of_each(groups), note)


def _by_close_numbers(incident: Incident) -> Iterator[Finding]:
    """The first time-outs of two ranks in two operations, a few calls apart; the ranks of one group would be in
    step.
    """
    first: dict[int, CollectiveTimeout] = {}
    for fact in incident.of(CollectiveTimeout):
        if fact.group is None and fact.subject.rank is not None and fact.operation and fact.sequence is not None:
            first.setdefault(fact.subject.rank, fact)
    behind = min(first.values(), key=lambda fact: fact.sequence or 0, default=None)
    ahead = max(first.values(), key=lambda fact: fact.sequence or 0, default=None)
    if behind is None or ahead is None:
        return
    least = AHEAD if behind.operation == ahead.operation else 1
    start, apart = behind.sequence or 0, (ahead.sequence or 0) - (behind.sequence or 0)
    if least <= apart <= min(CLOSE, SHARE * start):
        groups = grouped((f"{fact.operation} #{fact.sequence}", fact) for fact in first.values())
        yield Finding(Subject(), one_of_each(groups), listed(groups))


def _unnumbered(incident: Incident) -> Iterator[Finding]:
    """One rank in one operation and at least two in another, by time-outs that began together and count nothing."""
    first: dict[int, CollectiveTimeout] = {}
    for fact in incident.of(CollectiveTimeout):
        if fact.subject.rank is not None and fact.operation and fact.ran_s:
            first.setdefault(fact.subject.rank, fact)
    names = Counter(fact.operation for fact in first.values())
    if any(fact.sequence is not None or fact.group for fact in first.values()) or len(names) != 2:
        return
    ran = [fact.ran_s or 0.0 for fact in first.values()]
    if min(names.values()) == 1 and len(first) >= FEWEST and max(ran) - min(ran) <= TOGETHER_S:
        groups = grouped((fact.operation or "", fact) for fact in first.values())
        yield Finding(Subject(), one_of_each(groups), listed(groups))


def _crossed(incident: Incident) -> Iterator[Finding]:
    stuck = [fact for fact in incident.of(CollectiveStuck) if fact.joined_ranks and fact.missing_ranks]
    for one, other in combinations(stuck[:MOST], 2):
        differ = (one.group, one.operation) != (other.group, other.operation)
        if differ and _lacks(one, other) and _lacks(other, one):
            said = f"{one.operation} lacks ranks that joined {other.operation}, which lacks ranks that joined the first"
            yield Finding(Subject(), (one, other), said)
            break


def _lacks(one: CollectiveStuck, other: CollectiveStuck) -> bool:
    """True where each rank that the one lacks waits in the other."""
    return set(one.missing_ranks) <= set(other.joined_ranks)


def _by_place(incident: Incident) -> Iterator[Finding]:
    seen = positions(incident)
    if len(seen) < 2 or not any(position.in_collective for position in seen):
        return
    names = sorted({position.where for position in seen})
    facts = tuple(position.fact for position in seen[:8])
    staged = any(position.where == "point-to-point" or _of_a_pipeline(position.fact) for position in seen)
    if all(position.waits_for_ranks for position in seen) and not staged and len(names) > 1:
        groups = grouped((position.where.removeprefix("collective:"), position.fact) for position in seen)
        yield Finding(Subject(), one_of_each(groups), listed(groups))
        return
    beside = _beside(incident, seen)
    others = {place for _, place in beside}
    if _unseen(incident, seen):
        return
    if len(beside) == len(seen) and len(others) > 1 and not all(map(ROOTED.match, others)):
        groups = grouped((f"{place.split(':')[1]} by its {stack.thread}", stack) for stack, place in beside)
        yield Finding(Subject(), (*one_of_each(groups), *facts[:4]), f"beside the main threads: {listed(groups)}")
    elif len(names) == 1 and not beside:
        yield Finding(Subject(), facts, f"all {len(seen)} ranks wait in {names[0]}", present=False)


def _of_a_pipeline(fact: Evidence) -> bool:
    """True for a stack or traceback with a frame of a pipeline's engine."""
    frames = fact.frames if isinstance(fact, PythonStack) else frames_of(getattr(fact, "frames", ()))
    return any(PIPELINE.search(frame.file or "") and "no_pipelining" not in frame.function for frame in frames)


def _beside(incident: Incident, seen: Sequence[Position]) -> list[tuple[PythonStack, str]]:
    """The one thread beside each main thread that is in a collective as well, and where that is; none where some
    process has two, or a main thread is in none.
    """
    found: list[tuple[PythonStack, str]] = []
    for position in seen:
        process = incident.links.process_of(position.fact)
        last = {stack.thread: stack for stack in (process.stacks if process else ()) if stack.frames}
        places = [(stack, where(stack.frames)) for thread, stack in last.items() if thread != "MainThread"]
        inside = [(stack, place) for stack, place in places if place.startswith("collective:")]
        if len(inside) > 1 or (inside and not position.in_collective):
            return []
        found += inside
    return found


def _unseen(incident: Incident, seen: Sequence[Position]) -> bool:
    """True where a rank that has made steps is not among those whose place is known by its number."""
    placed = {position.subject.rank for position in seen}
    return None not in placed and any(steps.subject.rank not in placed for steps in incident.of(TrainingSteps))


SYMPTOM = Symptom(
    title="ranks wait for each other in different collectives",
    rule=rule,
    leak=0.005,
    because="healthy ranks pass through the same calls in the same order, and a rank that is late is elsewhere or in "
    "none; only a snapshot between two calls, or a job with several groups, looks so",
    command="TORCH_DISTRIBUTED_DEBUG=DETAIL torchrun ...; torchfrtrace DUMP_FOLDER",
    cost_minutes=15,
)
