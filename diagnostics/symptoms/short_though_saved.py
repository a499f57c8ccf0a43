"""A checkpoint is short, although its writer had said that it was saved and then worked on to a good end.

Whoever is stopped in the middle of a save says nothing of the kind: what is missing was lost by what kept the file.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence.storage import FileEntry
from ..evidence.training import CheckpointEvent
from ..incident import Incident
from ..runs import Run
from ._registry import findings_of
from ._symptom import Finding, Symptom


def rule(incident: Incident) -> Iterator[Finding]:
    """Each short file whose save was reported as done."""
    saved = [event for event in incident.of(CheckpointEvent) if event.event in ("saved", "copied")]
    for short in findings_of(incident, "checkpoint-truncated") if saved else ():
        entry = next((fact for fact in short.evidence if isinstance(fact, FileEntry)), None)
        if not short.present or entry is None or not entry.subject.path:
            continue
        for event in saved:
            run = next((run for run in incident.runs if _worked_on(run, event)), None)
            if run and run.finished and _is_the_same(event.subject.path, entry.subject.path):
                note = f"{entry.subject.path} is short; it was reported as saved, and the run went on to its end"
                yield Finding(short.subject, (event, entry, run.finished), note)
                break


def _worked_on(run: Run, saved: CheckpointEvent) -> bool:
    """True where a run has reached its own good end below the word of the save in its log, and no other one began
    between.
    """
    if run.finished is None or run.finished.source.file != saved.source.file:
        return False
    raised = run.failed and run.failed.source.line < run.finished.source.line
    return not (run.ended_badly or raised) and run.steps.source.line <= saved.source.line <= run.finished.source.line


def _is_the_same(said: str | None, listed: str) -> bool:
    """True for one path, or one name where the log or the listing gives no more of it."""
    if not said:
        return False
    return said == listed or (
        said.rpartition("/")[2] == listed.rpartition("/")[2] and not (said[0] == listed[0] == "/")
    )


SYMPTOM = Symptom(
    title="a checkpoint is short that was reported as saved",
    rule=rule,
    leak=0.0005,
    because="who writes on to a good end was not stopped in the middle of its save",
    tells_apart=("mount",),
    command="ls -l --full-time CHECKPOINTS; grep -nE 'sav(ed|ing)' train.log | tail",
)
