"""A process did not find a named semaphore or segment that its parent had made for it.

By Python's own multiprocessing: the file that is not there is the object. The parent may have ended before, or somebody
removed the object.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence.job import PythonException
from ..incident import Incident
from ._shared_memory import is_gone
from ._symptom import Finding, Symptom


def rule(incident: Incident) -> Iterator[Finding]:
    for fact in incident.of(PythonException):
        if is_gone(fact):
            yield Finding(fact.subject, (fact,), f"{fact.frames[0]}: {fact.type}: {fact.text}"[:160])


SYMPTOM = Symptom(
    title="a named semaphore or segment is gone",
    rule=rule,
    leak=0.001,
    because="a parent that ends too soon, or whose main module is not guarded, leaves its children the same error",
    command="ls -la /dev/shm; loginctl show-user USER --property=Linger",
)
