"""What tools, the job and its runtime said went wrong, and where: one view of all the kinds that carry an error."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from ..evidence import Evidence
from ..evidence.collective import NcclMessage
from ..evidence.job import LogLine, PythonException
from ..evidence.storage import ToolError
from ..evidence.supervisor import LauncherFailure, SchedulerEvent
from ..footprint import Footprint
from ..haystack import Haystack
from ..incident import Incident
from ._once import once_per_incident

MANY = 1000  # errors; of fewer each pattern is simply looked for

# a path in a message stands in quotes or after a blank or colon
PATH = re.compile(r"(?:^|[\s'\"(=:])(/[^\s'\":,;)]{1,400})")


class Said(NamedTuple):
    """One error as somebody reported it; `error` is the errno's name where known."""

    fact: Evidence
    text: str
    error: str | None

    @property
    def path(self) -> str | None:
        """The file that it is about, where the report names one."""
        if self.fact.subject.path:
            return self.fact.subject.path
        found = PATH.search(self.text)
        return found[1] if found else None


@once_per_incident
def errors(incident: Incident) -> tuple[Said, ...]:
    """Every error that was reported, in reading order within a kind."""
    return tuple(_errors(incident))


def _errors(incident: Incident) -> Iterator[Said]:
    for fact in incident.of(PythonException):
        text = "\n".join((f"{fact.type}: {fact.text}", *fact.causes))
        yield Said(fact, text, fact.error)
    for tool in incident.of(ToolError):
        yield Said(tool, tool.text, tool.error)
    for line in incident.of(LogLine):
        yield Said(line, line.text, None)
    for message in incident.of(NcclMessage):
        if message.level == "WARN":
            yield Said(message, message.text, None)
    for failure in incident.of(LauncherFailure):
        if failure.error_text:
            yield Said(failure, failure.error_text, None)


def matching(incident: Incident, pattern: re.Pattern[str], *names: str, orchestrator: bool = False) -> Iterator[Said]:
    """The errors whose errno is one of `names` or whose text matches; with the orchestrator's own where asked for."""
    events = [Said(event, event.text, None) for event in incident.of(SchedulerEvent)] if orchestrator else []
    reported, texts = errors(incident), _texts(incident)
    if texts and not _footprint(pattern).may_match(texts):
        reported = tuple(said for said in reported if said.error in names) if names else ()
    for said in (*reported, *events):
        if said.error in names or pattern.search(said.text):
            yield said


@once_per_incident
def _texts(incident: Incident) -> Haystack | None:
    """The texts of many errors, to tell at once which patterns none of them can match; None of few."""
    reported = errors(incident)
    return Haystack("\n".join({said.text for said in reported})) if len(reported) > MANY else None


@cache
def _footprint(pattern: re.Pattern[str]) -> Footprint:
    return Footprint(("(?i)" if pattern.flags & re.IGNORECASE else "") + pattern.pattern.removeprefix("(?i)"))
