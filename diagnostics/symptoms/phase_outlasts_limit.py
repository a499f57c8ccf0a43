"""Healthy work took longer than a limit on it allows: an evaluation, save, load, preparation or compilation was still
going on when a watchdog or a time-out of the others struck.

"Going on" needs a sign of life: the job or somebody who measured it says how long the phase takes; or the phase's end
is dated about the limit after its begin, or it counts what it has done and at that pace reaches the limit; a progress
bar that is none of the training itself stands unfinished near the limit, or one of preparing data that at its pace
takes far longer than it; the file that a rank waited for was made about the limit after it began to wait; or the
process was busy: by its stack, or as the one process on a CPU among equals that idle. Silence alone is none: a hung
save looks alike.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise

from ..evidence import Clock, Evidence, Subject
from ..evidence.job import (
    CollectiveTimeout,
    MarkerFile,
    Phase,
    PhaseTook,
    ProgressBar,
    SchedulerEvent,
    SettingSeen,
    TrainingSteps,
    WatchdogFired,
)
from ..evidence.process import ProcessState
from ..incident import Incident
from . import Finding, Symptom
from ._reports import said, words_of
from ._runs import calendar_s
from .busy_while_silent import rule as busy_while_silent

SHORTEST_DEFAULT_S = 300.0  # of the limits that torch sets where nobody says one: its store's
BYTES = 10**9  # nobody makes so many steps: such a bar counts bytes or rows
UNSAID_S = 600.0  # a limit that nobody says: the default of NCCL's process groups; other backends have 1800 s
NEAR = 0.85
LONGEST = 20  # times the limit: what takes far longer was not under that limit
LATEST = 6  # times the limit: what is made much later is another one of the same name
LONG = ("evaluation", "save", "load", "preprocess", "compile", "download", "epoch-end", "warmup")
BUSY_PERCENT, IDLE_PERCENT = 80.0, 20.0  # of one CPU
FEWEST_PEERS = 2
PROBE_S = 20.0  # a probe's first look and its failures take at least so long
BEFORE_SERVING = ("load", "preprocess", "compile", "download", "warmup")
PREPARES = re.compile(r"\b(?:load|download|fetch|compil|captur|convert|quantiz|shard|checkpoint|warm)", re.I)
# work of the CPUs on data that are there already; a bar of loading or saving may be slow for the volume's sake
OF_DATA = re.compile(
    r"\b(?:tokeniz|group|map|filter|pack|generat|preprocess|pre-process|chunk|concatenat|index|shuffl)", re.I
)
FAR_LONGER = 2.0
DAY_S = 86_400
MOST_OF_IT = 0.75
SHARE = 0.4  # of the limit: for so long at least its pace was seen
LINES = 12  # between what a job says it does now and the bar of that
COUNT = re.compile(r"\b(\d{1,9}) ?(?:/|of) ?(\d{1,9})\b")
TRAINING = re.compile(r"\b(?:epoch|train(?:ing)?|iter(?:ation)?s?|steps?)\b", re.I)
GAVE_UP_WAITING = re.compile(
    r"Socket Timeout|client socket has timed out after \d|waitForInput: .{0,300}timed out after|reached monitoredBarrier, but|[Ww]ait timeout after|Timed out after \d+ seconds waiting for clients|[Tt]imed out initializing process group|barrier.{0,80}timed? ?out",
    re.I,
)
SECONDS = re.compile(
    r"[Tt]imed out after (\d{2,6}) ?s|(?:after|timeout) (\d{4,9}) ?ms|timeout=(\d{1,3}):(\d\d):(\d\d)\b"
)


def rule(incident: Incident) -> Iterator[Finding]:
    """Each phase that reached a limit, with its sign of life."""
    limits = _limits(incident)
    yield from _bars(incident, limits)
    if not limits:
        return
    for begin, end in _phases(incident):
        took = _gap(begin, end)
        for limit_s, fact in limits:
            if took and took >= NEAR * (limit_s or UNSAID_S):
                limit = f"the limit is {limit_s:.0f} s" if limit_s else "the others gave up"
                yield Finding(Subject(), (begin, end, fact), f"{begin.phase} took {took:.0f} s, {limit}")
    yield from _said_to_take(incident, limits)
    yield from _counted(incident, limits)
    yield from _markers(incident, limits)
    yield from _probed(incident)
    last = _last_phase(incident)
    signs = [finding.evidence for finding in busy_while_silent(incident) if finding.present]
    signs += [(row,) for row in _busy_alone(incident)]
    if last and signs and last.edge != "end":
        yield Finding(
            Subject(),
            (last, limits[0][1], *signs[0]),
            f"{last.phase} was under way and busy when the limit struck",
        )


def _said_to_take(incident: Incident, limits: list[tuple[float | None, Evidence]]) -> Iterator[Finding]:
    """Phases that take about the limit or longer by somebody's word: no step of its log came after it, and no other phase was the last."""
    last = _last_phase(incident)
    for told in incident.of(PhaseTook):
        stepped = any(
            s.source.file == told.source.file and s.source.line > told.source.line for s in incident.of(TrainingSteps)
        )
        for limit_s, fact in limits if not stepped and (last is None or last.phase == told.phase) else ():
            if limit_s and NEAR * limit_s <= told.seconds <= LONGEST * limit_s:
                note = f"{told.phase} takes {told.seconds:.0f} s, the limit is {limit_s:.0f} s"
                yield Finding(Subject(), (told, fact), note)
                break


def _counted(incident: Incident, limits: list[tuple[float | None, Evidence]]) -> Iterator[Finding]:
    """Phases that count, 1328/5120 and 2650/5120, with dates: as long as the whole takes at their pace."""
    counts: dict[tuple[str, str, str], list[tuple[int, Phase]]] = defaultdict(list)
    for phase in incident.of(Phase):
        found = COUNT.search(phase.text) if phase.phase in LONG and phase.edge != "end" else None
        if found and phase.stamp:
            counts[phase.source.file, phase.phase, found[2]].append((int(found[1]), phase))
    for (_, name, total), seen in counts.items():
        (first, begin), (last, end) = seen[0], seen[-1]
        took = _gap(begin, end)
        for limit_s, fact in limits if took and last > first else ():
            needs = (took or 0.0) / (last - first) * int(total)
            if limit_s and took and needs >= NEAR * limit_s and took >= SHARE * limit_s:
                note = f"{name} stood at {last} of {total} and takes {needs:.0f} s at its pace, the limit is {limit_s:.0f} s"
                yield Finding(Subject(), (begin, end, fact), note)


def _markers(incident: Incident, limits: list[tuple[float | None, Evidence]]) -> Iterator[Finding]:
    """Files that were made, but later than the limit allows after a rank began to wait for them."""
    files = incident.of(MarkerFile)
    for wait in (each for each in files if each.edge == "awaited" and each.stamp):
        for made in (each for each in files if each.edge == "made" and each.name == wait.name and each.stamp):
            took = made.stamp.seconds - wait.stamp.seconds if made.stamp and wait.stamp else 0.0
            alike = made.stamp and wait.stamp and made.stamp.clock is wait.stamp.clock
            for limit_s, fact in limits if alike else ():
                if limit_s and NEAR * limit_s <= took <= LATEST * limit_s:
                    note = f"a rank waited {took:.0f} s for {wait.name}, the limit is {limit_s:.0f} s"
                    yield Finding(Subject(), (wait, made, fact), note)


def _busy_alone(incident: Incident) -> Iterator[ProcessState]:
    """The one process of a command that runs on a CPU while all its peers idle."""
    peers: dict[str | None, list[ProcessState]] = defaultdict(list)
    for row in incident.of(ProcessState):
        if row.cpu_percent is not None:
            peers[row.subject.comm].append(row)
    for rows in peers.values():
        busy = [row for row in rows if row.state == "R" and (row.cpu_percent or 0.0) >= BUSY_PERCENT]
        idle = [row for row in rows if (row.cpu_percent or 0.0) <= IDLE_PERCENT]
        if len(busy) == 1 and len(idle) == len(rows) - 1 >= FEWEST_PEERS:
            yield busy[0]


def _probed(incident: Incident) -> Iterator[Finding]:
    """Work before the first request that was counting up when the kubelet's probe ended it; a probe's limit is seldom said."""
    kills = [f for f in incident.of(WatchdogFired) if f.watchdog == "kubernetes" and f.action in ("kill", "restart")]
    last = _last_phase(incident)
    if not kills:
        return
    counted = COUNT.search(last.text) if last and last.phase in BEFORE_SERVING else None
    if last and counted and 0 < int(counted[1]) < int(counted[2]):
        yield Finding(
            Subject(), (last, kills[0]), f"{last.phase} stood at {counted[1]} of {counted[2]} when the probe failed"
        )
    for bar in incident.of(ProgressBar):
        done, total = bar.done or 0, bar.total or 0
        if PREPARES.search(bar.label) and 0 < done < total and (bar.elapsed_s or 0.0) >= PROBE_S:
            yield Finding(Subject(), (bar, kills[0]), f"{bar.label} stood at {done} of {total} when the probe failed")


def _limits(incident: Incident) -> list[tuple[float | None, Evidence]]:
    """The limits that struck, in seconds where they were said, each with the fact that says so."""
    found: list[tuple[float | None, Evidence]] = [
        (f.limit_s or f.age_s, f) for f in incident.of(WatchdogFired) if f.action != "alert"
    ]
    found += [(t.limit_s, t) for t in incident.of(CollectiveTimeout)]
    return found + [(_said_limit(fact), fact) for fact in said(incident, GAVE_UP_WAITING)]


def _said_limit(fact: Evidence) -> float | None:
    match = SECONDS.search(words_of(fact))
    if match is None:
        return None
    if match[3]:
        return int(match[3]) * 3600.0 + int(match[4]) * 60 + int(match[5])
    return float(match[1]) if match[1] else float(match[2]) / 1000


def _bars(incident: Incident, limits: list[tuple[float | None, Evidence]]) -> Iterator[Finding]:
    """Unfinished bars of work beside the training that ran as long as what was torn down was allowed to.

    A bar without a label is mostly the training's own, but below the begin of an evaluation it is that one's. One
    that counts to billions counts bytes.
    """
    torn = [
        *limits,
        *((None, e) for e in incident.of(SchedulerEvent) if e.about in ("cancelled", "failed")),
    ]
    waits = [s for s in incident.of(SettingSeen) if "BLOCKING_WAIT" in s.name or "TIMEOUT" in s.name]
    known = [limit for limit, _ in limits if limit]
    enough = NEAR * min(known, default=SHORTEST_DEFAULT_S)
    for bar in incident.of(ProgressBar):
        beside = bool(bar.label) and (not TRAINING.search(bar.label) or OF_DATA.search(bar.label))
        beside = beside or (not bar.label and _is_none_of_training(incident, bar)) or (bar.total or 0) >= BYTES
        if not (torn and beside and _is_unfinished(bar)):
            continue
        needs = (bar.elapsed_s or 0.0) / (bar.done or 1) * (bar.total or 0)
        if (bar.elapsed_s or 0.0) >= enough:
            note = f"{bar.label} stood at {bar.done} of {bar.total or '?'} after {bar.elapsed_s:.0f} s"
            yield Finding(Subject(), (bar, torn[0][1], *waits[:1]), note)
        elif known and needs >= FAR_LONGER * max(known) and OF_DATA.search(bar.label):
            note = f"{bar.label} takes {needs:.0f} s at its pace, the limit is {max(known):.0f} s"
            yield Finding(Subject(), (bar, torn[0][1], *waits[:1]), note)


def _is_none_of_training(incident: Incident, bar: ProgressBar) -> bool:
    """True for a bar below the begin of an evaluation or a preparation, with no step and no other phase between.

    A preparation's bar follows at once: what comes later may be the training's.
    """
    above: list[Evidence] = [*incident.of(Phase, TrainingSteps)]
    above = [each for each in above if each.source.file == bar.source.file and each.source.line < bar.source.line]
    last = max(above, key=lambda each: each.source.line, default=None)
    if not isinstance(last, Phase) or last.edge != "begin":
        return False
    near = bar.source.line - last.source.line <= LINES
    return last.phase == "evaluation" or (last.phase == "preprocess" and near)


def _is_unfinished(bar: ProgressBar) -> bool:
    """True for a bar that was under way; one without a total, when it had a pace."""
    if bar.total is None:
        return (bar.done or 0) > 0 and bar.fastest_s is not None
    return 0 < (bar.done or 0) < bar.total


def _phases(incident: Incident) -> Iterator[tuple[Phase, Phase]]:
    """Begins with the last word of the same phase before the next steps of the same log."""
    phases = [phase for phase in incident.of(Phase) if phase.phase in LONG]
    for index, begin in enumerate(phases):
        if begin.edge == "end":
            continue
        later = [p for p in phases[index + 1 :] if p.phase == begin.phase and p.source.file == begin.source.file]
        steps = [s.source.line for s in incident.of(TrainingSteps) if s.source.line > begin.source.line]
        same = [p for p in later if not steps or p.source.line < min(steps)]
        if same and (same[-1].edge == "end" or _goes_on([begin, *same])):
            yield begin, same[-1]


def _goes_on(lines: Sequence[Phase]) -> bool:
    """True where no pause between a phase's lines makes up most of it: two saves far apart are two."""
    took = _gap(lines[0], lines[-1])
    pauses = [_gap(first, second) for first, second in pairwise(lines)]
    return bool(took) and all(pause is not None and pause <= MOST_OF_IT * (took or 0.0) for pause in pauses)


def _gap(begin: Evidence, end: Evidence) -> float | None:
    """Seconds between two lines of one log; past midnight where it writes no day."""
    if begin.stamp is None or end.stamp is None or begin.source.file != end.source.file:
        return None
    first, second = calendar_s(begin.stamp), calendar_s(end.stamp)
    if first is not None and second is not None:
        return second - first
    if begin.stamp.clock is not end.stamp.clock:
        return None
    gap = end.stamp.seconds - begin.stamp.seconds
    return gap % DAY_S if begin.stamp.clock is Clock.TIME_OF_DAY else gap


def _last_phase(incident: Incident) -> Phase | None:
    phases = [phase for phase in incident.of(Phase) if phase.phase in LONG]
    return phases[-1] if phases else None


SYMPTOM = Symptom(
    title="healthy work outlasts a limit",
    rule=rule,
    leak=0.001,
    because="limits are set with room; work that reaches one by chance is rare",
    command="grep -n -i -E 'timeout|limit' CONFIG; tail -n 100 train.log",
    cost_minutes=2,
)
