"""Healthy work took longer than a limit on it allows: an evaluation, save, load, preparation or compilation was still
going on when a watchdog or a time-out of the others struck.

"Going on" needs a sign of life. The job or somebody who measured it says how long the phase takes; or the phase's end
is dated about the limit after its begin; or it counts what it has done and at that pace reaches the limit. Or the file
that a rank waited for was made about the limit after it began to wait. Or the process was busy: by its stack, or as the
one process on a CPU among equals that idle. Or the longest of the batches that did come took almost as long as a
loader waits for one. Or its count goes on below the words of the time-out: whoever counts was not there. Or what a save
writes was still growing evenly when the limit struck.

Silence alone is none: a hung save looks alike. A progress bar and a probe's kill are symptoms of their own.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise

from ..evidence import Evidence, Subject
from ..evidence.collective import CollectiveTimeout
from ..evidence.process import ProcessState
from ..evidence.storage import SizeSeen
from ..evidence.supervisor import ProcessEnded, WatchdogFired
from ..evidence.training import CountedOn, MarkerFile, Phase, PhaseTook, TrainingSteps
from ..incident import Incident
from ._limits import COUNT, LONG, NEAR, OF_DATA, last_phase, limits
from ._registry import findings_of
from ._reports import said, words_of
from ._symptom import Finding, Symptom

UNSAID_S = 600.0  # a limit that nobody says: the default of NCCL's process groups; other backends have 1800 s
LONGEST = 20  # times the limit: what takes far longer was not under that limit
LATEST = 6  # times the limit: what is made much later is another one of the same name
BUSY_PERCENT, IDLE_PERCENT = 80.0, 20.0  # of one CPU
FEWEST_PEERS = 2
DAY_S = 86_400
MOST_OF_IT = 0.75
# RuntimeError: DataLoader timed out after 60 seconds
OF_A_LOADER = re.compile(
    r"\b(?:data ?loader|loader|batch|shard|sample)\b.{0,60}?\btimed? ?out after (\d{1,5}(?:\.\d{1,3})?) ?s", re.I
)
# 22:15:00      /mnt/ckpt/run/global_step_400
CLOCK = re.compile(r"(\d\d):(\d\d)(?::(\d\d))?$")
SAVED = re.compile(
    r"(?i)check[-_]?point|ckpt|(?:^|[/_-])(?:global_)?step[-_]?\d|snapshot|\.(?:pt|pth|distcp|safetensors)\b"
)
EVEN = 0.3  # of the usual rise, the smallest one
OF_THE_VOLUME = ("save", "load", "copy", "resume")  # a volume that hung for a while makes these long
OF_TRAINING = re.compile(r"(?i)\b(?:epochs?|iter(?:ation)?s?|(?:global_?)?steps?|loss|lr)\b")
# index: block 432/1300, 15.2 s
OWN_S = re.compile(r"[,;] {0,2}\(?(\d{1,7}(?:\.\d{1,3})?) ?s(?:ec(?:onds)?)?\)?$")
SHARE = 0.4  # of the limit: for so long at least its pace was seen


def rule(incident: Incident) -> Iterator[Finding]:
    """Each phase that reached a limit, with its sign of life."""
    yield from _batches(incident)
    yield from _alarms(incident)
    struck = limits(incident)
    if not struck:
        return
    for begin, end in _phases(incident):
        took = _gap(incident, begin, end)
        for limit_s, fact in struck:
            if took and took >= NEAR * (limit_s or UNSAID_S):
                limit = f"the limit is {limit_s:.0f} s" if limit_s else "the others gave up"
                yield Finding(Subject(), (begin, end, fact), f"{begin.phase} took {took:.0f} s, {limit}")
    yield from _said_to_take(incident, struck)
    yield from _counted(incident, struck)
    yield from _counted_on(incident)
    yield from _markers(incident, struck)
    yield from _growing(incident, struck)
    last = last_phase(incident, struck[0][1])
    signs = [finding.evidence for finding in findings_of(incident, "busy-while-silent") if finding.present]
    signs += [(row,) for row in _busy_alone(incident)]
    beside = incident.links.may_be_beside
    signs = [(one, *more) for one, *more in signs if not isinstance(one, Evidence) or beside(struck[0][1], one)]
    if last and signs and last.edge != "end":
        yield Finding(
            Subject(),
            (last, struck[0][1], *signs[0]),
            f"{last.phase} was under way and busy when the limit struck",
        )


def _alarms(incident: Incident) -> Iterator[Finding]:
    """Work that came to its end, and a watchdog that only raised an alarm about it meanwhile."""
    alarms = [fact for fact in incident.of(WatchdogFired) if fact.action == "alert" and fact.limit_s]
    for begin, end in _phases(incident) if alarms else ():
        since, until = incident.timeline.at(begin), incident.timeline.at(end)
        took = _gap(incident, begin, end)
        if not (since and until and took) or end.edge != "end" or begin.phase in OF_THE_VOLUME:
            continue
        for alarm in alarms:
            moment = incident.timeline.at(alarm)
            if moment and since < moment <= until and took >= (alarm.limit_s or took):
                note = f"{begin.phase} took {took:.0f} s and ended, the limit of the alarm is {alarm.limit_s:.0f} s"
                yield Finding(Subject(), (begin, end, alarm), note)
                break


def _batches(incident: Incident) -> Iterator[Finding]:
    """Loaders that gave up on a batch at a limit that others had come near to."""
    for told in (each for each in incident.of(PhaseTook) if each.phase == "batch"):
        for fact in said(incident, OF_A_LOADER):
            found = OF_A_LOADER.search(words_of(fact))
            limit_s = float(found[1]) if found else 0.0
            if NEAR * limit_s <= told.seconds <= LATEST * limit_s:
                note = f"a batch took up to {told.seconds:.0f} s, the loader waits {limit_s:.0f} s for one"
                yield Finding(Subject(), (told, fact), note)
                break


def _said_to_take(incident: Incident, struck: list[tuple[float | None, Evidence]]) -> Iterator[Finding]:
    """Phases that take about the limit or longer by somebody's word: no step of its log came after it, and no other
    phase was the last.
    """
    last = last_phase(incident)
    for told in (each for each in incident.of(PhaseTook) if each.phase != "batch"):  # of a loader's limit alone
        stepped = any(
            s.source.file == told.source.file and s.source.line > told.source.line for s in incident.of(TrainingSteps)
        )
        for limit_s, fact in struck if not stepped and (last is None or last.phase == told.phase) else ():
            if limit_s and NEAR * limit_s <= told.seconds <= LONGEST * limit_s:
                note = f"{told.phase} takes {told.seconds:.0f} s, the limit is {limit_s:.0f} s"
                yield Finding(Subject(), (told, fact), note)
                break


def _counted(incident: Incident, struck: list[tuple[float | None, Evidence]]) -> Iterator[Finding]:
    """Phases that count, 1328/5120 and 2650/5120, with dates or their own seconds: as long as the whole takes at their
    pace. One that had ceased to count well before the limit struck hung.
    """
    counts: dict[tuple[str, str, str], list[tuple[int, Phase]]] = defaultdict(list)
    for phase in incident.of(Phase):
        found = COUNT.search(phase.text) if phase.phase in LONG and phase.edge != "end" else None
        if found and (phase.stamp or OWN_S.search(phase.text)):
            counts[phase.source.file, phase.phase, found[2]].append((int(found[1]), phase))
    for (_, name, total), seen in counts.items():
        (first, begin), (last, end) = seen[0], seen[-1]
        took = _counting(incident, begin, end)
        pauses = [_counting(incident, one, other) or 0.0 for (_, one), (_, other) in pairwise(seen)]
        for limit_s, fact in struck if took and last > first else ():
            needs = (took or 0.0) / (last - first) * int(total)
            strike = _dated(incident, fact)
            silent = incident.timeline.elapsed_s(end, strike) or 0.0
            before = (incident.timeline.elapsed_s(begin, strike) or 0.0) < 0
            if not limit_s or before or silent > 2 * max(pauses):
                continue
            if took and needs >= NEAR * limit_s and took >= SHARE * limit_s:
                note = (
                    f"{name} stood at {last} of {total} and takes {needs:.0f} s at its pace, the limit is "
                    f"{limit_s:.0f} s"
                )
                yield Finding(Subject(), (begin, end, fact), note)


def _counting(incident: Incident, begin: Phase, end: Phase) -> float | None:
    """Seconds between two counts, by their dates or else by the seconds that they say themselves."""
    said = [OWN_S.search(each.text) for each in (begin, end)]
    return _gap(incident, begin, end) or (float(said[1][1]) - float(said[0][1]) if said[0] and said[1] else None)


def _dated(incident: Incident, struck: Evidence) -> Evidence:
    """A limit that struck, or where that has no date the end of the rank that it struck."""
    rank = struck.subject.rank
    ends = [each for each in incident.of(ProcessEnded) if rank is not None and each.subject.rank == rank]
    return next((each for each in (struck, *ends) if each.stamp), struck)


def _counted_on(incident: Incident) -> Iterator[Finding]:
    """Work beside the training that was counting when a collective of the others timed out, and counts on below it."""
    gave_up = {fact.source.file: fact for fact in reversed(incident.of(CollectiveTimeout))}
    for work in incident.of(CountedOn):
        if not OF_TRAINING.search(work.label) or OF_DATA.search(work.label):
            note = f"{work.label[-60:].strip()} stood at {work.before} when the others gave up, went on to {work.done}"
            yield Finding(Subject(), (work, gave_up[work.source.file]), note)


def _markers(incident: Incident, struck: list[tuple[float | None, Evidence]]) -> Iterator[Finding]:
    """Files that were made, but later than the limit allows after a rank began to wait for them."""
    files = incident.of(MarkerFile)
    for wait in (each for each in files if each.edge == "awaited" and each.stamp):
        for made in (each for each in files if each.edge == "made" and each.name == wait.name and each.stamp):
            took = incident.timeline.elapsed_s(wait, made) or 0.0
            for limit_s, fact in struck:
                if limit_s and NEAR * limit_s <= took <= LATEST * limit_s:
                    note = f"a rank waited {took:.0f} s for {wait.name}, the limit is {limit_s:.0f} s"
                    yield Finding(Subject(), (wait, made, fact), note)


def _growing(incident: Incident, struck: list[tuple[float | None, Evidence]]) -> Iterator[Finding]:
    """Checkpoints that grew from look to look up to the moment at which a limit struck, and no slower at the end."""
    last = last_phase(incident)
    paths: dict[str, list[tuple[float, SizeSeen]]] = defaultdict(list)
    for row in incident.of(SizeSeen):
        at = CLOCK.match(row.at) if row.name.startswith("/") else None
        if at:
            paths[row.name].append((int(at[1]) * 3600.0 + int(at[2]) * 60 + int(at[3] or 0), row))
    for path, looks in paths.items():
        saves = (last is not None and last.phase == "save" and last.edge != "end") or SAVED.search(path)
        waits = [(later[0] - first[0]) % DAY_S for first, later in pairwise(looks)]
        rises = [later[1].size - first[1].size for first, later in pairwise(looks)]
        if not saves or len(rises) < FEWEST_PEERS or min(waits) <= 0 or min(rises) <= 0:
            continue
        took, pace = sum(waits), sum(rises) / sum(waits)
        even = all(rise >= EVEN * pace * wait for rise, wait in zip(rises, waits, strict=True))
        for limit_s, fact in struck if even else ():
            since = (fact.stamp.seconds - looks[-1][0]) % DAY_S if fact.stamp else DAY_S  # looks have a time of day
            since = min(since, DAY_S - since)  # the last look may come as the limit strikes
            if took >= SHARE * (limit_s or UNSAID_S) and since <= 2 * max(waits):
                grew = f"from {looks[0][1].size / 2**30:.3g} to {looks[-1][1].size / 2**30:.3g} GiB"
                note = f"{path} grew evenly {grew} up to the moment at which the limit of {limit_s or 0:.0f} s struck"
                yield Finding(Subject(), (looks[0][1], looks[-1][1], fact), note)
                break


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


def _phases(incident: Incident) -> Iterator[tuple[Phase, Phase]]:
    """Begins with the last word of the same phase before the next steps of the same log."""
    phases = [phase for phase in incident.of(Phase) if phase.phase in LONG]
    for index, begin in enumerate(phases):
        if begin.edge == "end":
            continue
        later = [p for p in phases[index + 1 :] if p.phase == begin.phase and p.source.file == begin.source.file]
        runs = [s.source.line for s in incident.of(TrainingSteps) if s.source.file == begin.source.file]
        steps = [line for line in runs if line > begin.source.line]
        same = [p for p in later if not steps or p.source.line < min(steps)]
        if same and (same[-1].edge == "end" or _goes_on(incident, [begin, *same])):
            yield begin, same[-1]


def _goes_on(incident: Incident, lines: Sequence[Phase]) -> bool:
    """True where no pause between a phase's lines makes up most of it: two saves far apart are two."""
    took = _gap(incident, lines[0], lines[-1])
    pauses = [_gap(incident, first, second) for first, second in pairwise(lines)]
    return bool(took) and all(pause is not None and pause <= MOST_OF_IT * (took or 0.0) for pause in pauses)


def _gap(incident: Incident, begin: Evidence, end: Evidence) -> float | None:
    """Seconds between two lines of one log."""
    return incident.timeline.elapsed_s(begin, end) if begin.source.file == end.source.file else None


SYMPTOM = Symptom(
    title="healthy work outlasts a limit",
    rule=rule,
    leak=0.001,
    because="limits are set with room; work that reaches one by chance is rare",
    command="grep -n -i -E 'timeout|limit' CONFIG; tail -n 100 train.log",
    cost_minutes=2,
)
