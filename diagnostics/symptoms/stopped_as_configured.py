"""The run says that it ended by its own setting (a time limit of its own, the last step or epoch), or only waits in
the scheduler's queue; nothing failed before.

Only in incidents where somebody missed the job: a watchdog speaks of it after its end, or the queue of what waits to
follow it. That the scheduler, too, says that it completed is no alarm.

Or the run's last word is that it stopped early, for want of progress or for a time limit of its own, and no step
follows; not where another rank still waits in a collective, or was ended for it. That it came to its last step is no
alarm where the loss had gone wrong before.

Or it ended with status 0, or said that it was done, short of its last epoch, without any exception, and an early stop
is configured.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ..evidence import Evidence, Subject
from ..evidence.collective import CollectiveTimeout
from ..evidence.job import PythonException, SettingSeen
from ..evidence.supervisor import SchedulerEvent, WatchdogFired
from ..evidence.training import ProgressBar, RunFinished, RunStarted, TrainingSteps
from ..incident import Incident
from ..runs import job_ends
from ..text import whole_number
from ._ranks import positions
from ._registry import findings_of
from ._symptom import Finding, Symptom

EARLY = re.compile(r"(?i)early[-_ ]?stop")
# Epoch 00091: early stopping     Ran out of patience. Stopping training.     Time limit reached. [...] Signaling
# Trainer to stop.
SHORT_OF_ITS_END = re.compile(
    r"(?i)early[-_ ]?stopp|\bstop(?:ping|ped)? (?:the )?(?:training )?early\b|\bout of patience\b|\bearly stop\b"
    r"|\bimproved?\b.{0,60}\b(?:stopp?ing|terminating) (?:the )?train|\bsignaling trainer to stop\b"
    r"|exiting program after [\d.]+ minutes|\bcumulative_training_time\b|\btime[- ]?limit\b|\bbudget\b"
    r"|\bexit_duration\b|\bmax(?:imum)?[_ ]?(?:train(?:ing)?[_ ]?)?time\b|\btimeout of\b.{0,30}\bstopping\b"
    # `Trainer.fit` stopped: `max_steps=400000` reached.     Skipping training since max_steps has already saved.
    r"|\bmax(?:imum)?[_ ](?:train(?:ing)?[_ ])?steps\b.{0,40}\b(?:reached|already saved)\b"
    r"|\breached early[- ]?stopping criteri|\bpatience (?:is |was |has been )?"
    r"(?:triggered|exhausted|exceeded|reached|used up)\b"
)
LAST_STEP = re.compile(r"(?i)\bmax(?:imum)?[_ ](?:train(?:ing)?[_ ])?steps\b")
FAREWELL = 12  # lines: what a run says while it ends
UNDER_WAY = 2  # steps that end after the word
EPOCH = re.compile(r"(?i)\bepoch {1,4}(\d{1,7}) ?(?:/|of) ?(\d{1,7})\b")

# Epoch 9, where a setting says how many there are to be: max_epochs=20
ALONE = re.compile(r"(?i)^epoch {1,4}(\d{1,7}):? (\d{1,7})$")
MOST = re.compile(r"(?i)^(?:\w{1,30}\.)?(?:max_|num_|n_)?(?:train_)?epochs$")


def rule(incident: Incident) -> Iterator[Finding]:
    """The run's own last word, with the alarm that came after it."""
    yield from _stopped_early(incident)
    yield from _said_so(incident)
    finished = incident.of(RunFinished)
    waits = [event for event in incident.of(SchedulerEvent) if event.about == "pending"]
    alarms: list[Evidence] = [
        fact for fact in incident.of(WatchdogFired) if fact.action == "alert" and not _before(incident, fact, finished)
    ]
    failed = any(_after(finished, error) for error in incident.of(PythonException))
    if finished and (alarms or waits) and not failed:
        yield Finding(
            finished[-1].subject, (finished[-1], *alarms[:2], *waits[:2]), f"the run said: {finished[-1].text[:120]}"
        )


def _before(incident: Incident, alarm: WatchdogFired, finished: Sequence[RunFinished]) -> bool:
    """True for an alarm that was raised before the run had said its last word."""
    raised, ended = incident.timeline.at(alarm), incident.timeline.at(finished[-1]) if finished else None
    return bool(raised and ended and raised < ended)


def _said_so(incident: Incident) -> Iterator[Finding]:
    """The last word of a log: the run stopped short of its end by its own rule."""
    badly = any(end.status not in (0, None) or end.signal for end in job_ends(incident)) or _others_wait(incident)
    diverged = any(finding.present for finding in findings_of(incident, "loss-not-finite"))
    last = {word.source.file: word.source.line for word in incident.of(RunFinished)}
    for word in incident.of(RunFinished):
        if last[word.source.file] - word.source.line > FAREWELL:
            continue
        if diverged and LAST_STEP.search(word.text):
            continue
        if SHORT_OF_ITS_END.search(word.text) and not badly and not _went_on(incident, word):
            yield Finding(word.subject, (word,), f"the run said: {word.text[:120]}")


def _others_wait(incident: Incident) -> bool:
    """True where one rank stopped and others did not: they are in a collective, or were killed for their silence."""
    killed = any(fact.action == "kill" for fact in incident.of(WatchdogFired))
    return (
        killed
        or bool(incident.of(CollectiveTimeout))
        or any(position.in_collective for position in positions(incident))
    )


def _went_on(incident: Incident, word: RunFinished) -> bool:
    """True where an exception, another run or more than the step under way stand below the word."""
    below = [
        each
        for each in incident.of(RunStarted, PythonException)
        if each.source.file == word.source.file and each.source.line > word.source.line
    ]
    steps = [
        line
        for each in incident.of(TrainingSteps)
        if each.source.file == word.source.file
        for line in each.columns["line"]
        if line > word.source.line
    ]
    return bool(below) or len(steps) > UNDER_WAY


def _stopped_early(incident: Incident) -> Iterator[Finding]:
    """A good end in the middle of the epochs, where the run may stop early."""
    asked = [fact for fact in incident.of(SettingSeen) if EARLY.search(f"{fact.name} {fact.value}")]
    ended: list[Evidence] = [end for end in job_ends(incident) if end.status == 0]
    ended += incident.of(RunFinished)
    most = next(
        (s.value for s in incident.of(SettingSeen) if MOST.match(s.name) and whole_number(s.value) is not None), ""
    )
    labels = [(bar, EPOCH.search(bar.label) or ALONE.match(f"{bar.label} {most}")) for bar in incident.of(ProgressBar)]
    counted = [(bar, found) for bar, found in labels if found]
    if not (asked and ended and counted) or incident.of(PythonException):
        return
    bar, found = max(counted, key=lambda each: each[0].source.line)
    if bar.done == bar.total and int(found[1]) + 1 < int(found[2]):
        note = f"a good end after epoch {found[1]} of {found[2]}, and an early stop is configured"
        yield Finding(Subject(), (bar, ended[-1], asked[0]), note)


def _after(finished: list[RunFinished], error: Evidence) -> bool:
    return any(f.source.file == error.source.file and error.source.line > f.source.line for f in finished)


SYMPTOM = Symptom(
    title="the run ended as configured and somebody missed it",
    rule=rule,
    leak=0.001,
    because="the words are the program's own; an alarm after them is about the gap, not about a fault",
    command="tail -n 50 train.log; squeue -u $USER; sacct -j JOB",
)
