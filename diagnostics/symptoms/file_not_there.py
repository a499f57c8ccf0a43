"""A file that the run wanted to open is not there, which ended it.

A wrong path of the job's own says so in the same words as a volume that is not mounted, a folder that another process
removed, a damaged directory or a save that was cut. Where the file is of the machinery (a cache, a semaphore, a segment
of shared memory, a part of a checkpoint) it is another symptom.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence.job import PythonException
from ..incident import Incident
from ._builds import NO_TOOLS
from ._caches import CACHE
from ._checkpoints import PART_MISSING, UNREADABLE
from ._exceptions import SETUP
from ._places import place
from ._runs import went_on_after
from ._shared_memory import SHARED, is_gone
from ._symptom import Finding, Symptom

MACHINERY = (CACHE, PART_MISSING, UNREADABLE, SETUP, NO_TOOLS, SHARED)


def rule(incident: Incident) -> Iterator[Finding]:
    """Each exception about a missing file that nothing went on after."""
    for fact in incident.of(PythonException):
        aside = any("_bootstrap_inner" in frame or "__del__" in frame for frame in fact.frames)  # it ends no run
        if fact.error != "ENOENT" or aside or is_gone(fact) or went_on_after(incident, fact):
            continue
        text = f"{fact.type}: {fact.text}"
        around = f"{text} {' '.join(fact.frames[:4])}"
        if not any(pattern.search(around) for pattern in MACHINERY):
            yield Finding(place(incident, fact.subject.path, fact), (fact,), text.splitlines()[0][:160])


SYMPTOM = Symptom(
    title="a file that the run needs is not there",
    rule=rule,
    leak=0.01,
    because="files are moved, renamed and cleaned away by people",
    command="ls -ld FILE FOLDER; findmnt -T FOLDER; grep -n -A 40 Traceback train.log",
)
