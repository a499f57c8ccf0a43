"""A copy or a save was begun and never reported done before its process ended.

The job announced it ("saving", "copying") and the next word about that run is its end: by a signal, by the
scheduler's hand, or, dated by another source, a boot of the machine or a kill for memory before the log's next
word. Or a checkpoint is short, and its name bears the step at which somebody ended the run by Ctrl-C; or the newest
is bad and was last written in the minute in which the scheduler ended the job. Or somebody ended a copy or a
download by Ctrl-C, and what it brought is bad. Or the scheduler ended the job, and a file says of itself that its
writer never closed it. ABSENT where each announced write was reported done.
"""

from __future__ import annotations

import contextlib
import itertools
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from ..evidence import Evidence, Subject
from ..evidence.job import LogLine, PythonException
from ..evidence.kernel import ClockReading, KernelBoot, OomKill
from ..evidence.process import OpenFile
from ..evidence.storage import CommandOutcome, FileEntry
from ..evidence.supervisor import ProcessEnded, SchedulerEvent
from ..evidence.training import CheckpointEvent, Phase, TrainingSteps
from ..incident import Incident
from ..runs import job_ends
from ._checkpoints import CHECKPOINT, LEFT_OPEN
from ._errors import errors
from ._places import place
from ._registry import findings_of
from ._symptom import Finding, Symptom

BEGUN = ("saving", "copying")
TAKEN = frozenset({"time-limit", "preempted", "cancelled", "node-failed", "oom-killed", "evicted"})
# the job's own word that it was asked to end: Received SIGTERM: 15
ASKED_TO_END = re.compile(r"\bSIG(?:TERM|INT|HUP|XCPU)\b|\bsignal 15\b")
STOPPED = "Stopping container"  # Kubernetes ends a pod, for whatever reason
MINUTE_S = 60.0
WITHIN_S = 900.0  # a write that was begun longer before is done, or another matter

BAD = ("checkpoint-truncated", "checkpoint-unreadable")


def rule(incident: Incident) -> Iterator[Finding]:
    """Each write that was cut off; else the writes that were completed."""
    logs: dict[str, list[Evidence]] = defaultdict(list)
    taken = [event for event in incident.of(SchedulerEvent) if event.about in TAKEN]
    told = [line for line in incident.of(LogLine) if ASKED_TO_END.search(line.text)]
    raised = [error for error in incident.of(PythonException) if error.type != "KeyboardInterrupt"]
    kinds: list[Evidence] = [*incident.of(CheckpointEvent), *incident.of(Phase), *job_ends(incident), *taken, *told]
    kinds += raised  # a write that an exception of the job follows was left, and not cut off from outside
    for fact in kinds:
        logs[fact.source.file].append(fact)
    found = False
    for facts in logs.values():
        facts.sort(key=lambda fact: fact.source.line)
        for finding in (*_cut_off(incident, facts), *_cut_by_machine(incident, facts)):
            found = True
            yield finding
    for finding in _broken_off(incident):
        found = True
        yield finding
    stopped = [event for event in incident.of(SchedulerEvent) if STOPPED in event.text]
    for finding in (*_cut_by_hand(incident), *_cut_in_its_minute(incident, [*taken, *stopped])):
        found = True
        yield finding
    for finding in _left_open(incident, taken):
        found = True
        yield finding
    done = [event for event in incident.of(CheckpointEvent) if event.event in ("saved", "copied")]
    if done and not found:
        yield Finding(Subject(), tuple(done[-3:]), "every announced write was reported done", present=False)


def _cut_off(incident: Incident, facts: Sequence[Evidence]) -> Iterator[Finding]:
    """The writes of one log that an end by a signal follows with nothing of the run in between."""
    for event, after in itertools.pairwise(_by_line(facts)):
        end = next((fact for fact in after if isinstance(fact, ProcessEnded | SchedulerEvent)), None)
        begun = next((fact for fact in event if isinstance(fact, CheckpointEvent) and fact.event in BEGUN), None)
        told = next((fact for fact in after if isinstance(fact, LogLine)), None)
        if begun and told and not _completed(facts, told):
            subject = place(incident, begun.subject.path, begun)
            yield Finding(
                subject, (begun, told), f"{begun.event} {begun.subject.path} was under way when it was asked to end"
            )
        if begun and end and (isinstance(end, SchedulerEvent) or end.signal or end.status is None):
            subject = place(incident, begun.subject.path, begun)
            yield Finding(subject, (begun, end), f"{begun.event} {begun.subject.path} was cut off")


def _broken_off(incident: Incident) -> Iterator[Finding]:
    """Commands that somebody ended by Ctrl-C, where a file was found to be cut, unreadable or empty."""
    stopped = [command for command in incident.of(CommandOutcome) if command.outcome == "interrupted"]
    bad = [each for each in findings_of(incident, *BAD) if each.present] if stopped else []
    empty = [entry for entry in incident.of(FileEntry) if entry.size == 0]
    for command in stopped if bad or empty else ():
        subject = bad[0].subject if bad else place(incident, empty[0].subject.path, empty[0])
        what = bad[0].evidence[:1] if bad else tuple(empty[:1])
        yield Finding(subject, (command, *what), f"`{command.command[:100]}` was ended by a Ctrl-C")


def _completed(facts: Sequence[Evidence], told: Evidence) -> bool:
    """True where a write was reported done, or the job went on to write another, after the word that it should end."""
    later = (fact for fact in facts if fact.source.line > told.source.line)
    return any(isinstance(fact, CheckpointEvent) for fact in later)


def _cut_by_hand(incident: Incident) -> Iterator[Finding]:
    """Short checkpoints of the step at which a Ctrl-C ended the run: it came while the handler of another one saved."""
    ends = [error for error in incident.of(PythonException) if error.type == "KeyboardInterrupt"]
    for end in ends:
        last = [run.last_step for run in incident.of(TrainingSteps) if run.source.file == end.source.file]
        step = last[-1] if last else None
        for short in findings_of(incident, "checkpoint-truncated"):
            name = (short.subject.path or "").rpartition("/")[2]
            numbers = {int(number) for number in re.findall(r"\d{1,12}", name)}
            if short.present and step and numbers & {step, step + 1}:
                yield Finding(
                    short.subject, (*short.evidence[:1], end), f"{name} was cut off by a Ctrl-C at step {step}"
                )


def _cut_in_its_minute(incident: Incident, taken: Sequence[SchedulerEvent]) -> Iterator[Finding]:
    """The newest checkpoint, where it is bad and was last written in the minute in which the scheduler ended the
    job.
    """
    bad = [each for each in findings_of(incident, *BAD) if each.present]
    listed = [entry for entry in incident.of(FileEntry) if CHECKPOINT.search(entry.subject.path or "")]
    for event in taken if bad else ():
        end = _second(incident, event)
        near = [(written, entry) for entry in listed if end and (written := _written(entry, end))]
        written, newest = max(near, key=lambda each: each[0], default=(0.0, None))
        if newest and end and -MINUTE_S < end - written < 2 * MINUTE_S:
            note = f"{newest.subject.path} was last written when the job was ended"
            yield Finding(place(incident, newest.subject.path, newest), (newest, event, *bad[0].evidence[:1]), note)


def _left_open(incident: Incident, taken: Sequence[SchedulerEvent]) -> Iterator[Finding]:
    """Files that say that their writer never closed them, where the scheduler ended a job and nobody has them open."""
    for said in errors(incident) if taken and not incident.of(OpenFile) else ():
        if LEFT_OPEN.search(said.text):
            yield Finding(
                place(incident, said.path, said.fact), (said.fact, taken[0]), "the writer was ended before it closed it"
            )


def _written(entry: FileEntry, near: float) -> float | None:
    """When a file was last written, as a listing says it: to the minute, and mostly without the year."""
    year = datetime.fromtimestamp(near, UTC).year
    for layout, said in (
        ("%Y-%m-%d %H:%M", (entry.modified or "")[:16]),
        ("%Y %b %d %H:%M", f"{year} {entry.modified}"),
    ):
        with contextlib.suppress(ValueError):
            return datetime.strptime(" ".join(said.split()), layout).replace(tzinfo=UTC).timestamp()
    return None


def _cut_by_machine(incident: Incident, facts: Sequence[Evidence]) -> Iterator[Finding]:
    """The writes in whose course another source dates the end of the machine or of a process."""
    ends: list[Evidence] = [*incident.of(KernelBoot), *incident.of(ClockReading), *incident.of(OomKill)]
    for event, after in itertools.pairwise([*_by_line(facts), []]):
        begun = next((fact for fact in event if isinstance(fact, CheckpointEvent) and fact.event in BEGUN), None)
        start = _second(incident, begun) if begun else None
        if begun is None or start is None or any(isinstance(fact, ProcessEnded | SchedulerEvent) for fact in after):
            continue
        following = [second for fact in after if (second := _second(incident, fact))]
        stop = min([start + WITHIN_S, *following])
        end = next((fact for fact in ends if (at := _second(incident, fact)) and start <= at <= stop), None)
        if end:
            subject = place(incident, begun.subject.path, begun)
            yield Finding(subject, (begun, end), f"the machine or the process ended while {begun.event} was under way")


def _second(incident: Incident, fact: Evidence) -> float | None:
    """When a fact was, in seconds since the epoch."""
    if isinstance(fact, ClockReading):
        return fact.boot_s
    moment = incident.timeline.at(fact)
    return moment.timestamp() if moment else None


def _by_line(facts: Sequence[Evidence]) -> Iterator[list[Evidence]]:
    """A line about a checkpoint is a phase too: facts of one line together."""
    for _, group in itertools.groupby(facts, key=lambda fact: fact.source.line):
        yield list(group)


SYMPTOM = Symptom(
    title="a copy or save was cut off in the middle",
    rule=rule,
    leak=0.005,
    because="saves take a small part of a run, so an end that falls into one by chance is rare",
    tells_apart=("mount",),
    command="tail -n 50 train.log; ls -l --full-time CHECKPOINTS",
)
