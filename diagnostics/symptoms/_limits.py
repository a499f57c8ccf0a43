"""The limits that struck a job, and the work that was under way when they did."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Evidence
from ..evidence.collective import CollectiveTimeout
from ..evidence.job import PythonException, SettingSeen
from ..evidence.kernel import OomKill, Xid
from ..evidence.supervisor import LauncherFailure, ProcessEnded, WatchdogFired
from ..evidence.training import Phase, ProgressBar
from ..incident import Incident
from ..setting_names import GROUP_LIMIT
from ..text import whole_number
from ._reports import LAUNCHERS, said, words_of

NEAR = 0.85
LONG = ("evaluation", "save", "load", "preprocess", "compile", "download", "epoch-end", "warmup")
# 1328/5120      13 of 30
COUNT = re.compile(r"\b(\d{1,9}) ?(?:/|of) ?(\d{1,9})\b")
ABORTED = (-6, 134)  # SIGABRT, by which a watchdog ends its own rank
USUAL_S = (600.0, 900.0, 1800.0, 3600.0, 5400.0, 7200.0)  # limits of process groups, by default or as people set them
EXACT = 0.01  # of a limit that nobody says: of bars that end in two hours, one in twenty is so near to one by chance
OF_GROUPS = re.compile(rf"(?i)^{GROUP_LIMIT}")  # ddp_timeout, distributed_timeout_minutes
# work of the CPUs on data that are there already; a bar of loading or saving may be slow for the volume's sake
OF_DATA = re.compile(
    r"\b(?:tokeniz|group|map|filter|pack|generat|preprocess|pre-process|chunk|concatenat|index|shuffl|scann|verif)",
    re.I,
)
GAVE_UP_WAITING = re.compile(
    r"Socket Timeout|client socket has timed out after \d|waitForInput: .{0,300}timed out after"
    r"|reached monitoredBarrier, but|[Ww]ait timeout after|Timed out after \d+ seconds waiting for clients"
    r"|[Tt]imed out initializing process group|barrier.{0,80}timed? ?out",
    re.I,
)
SECONDS = re.compile(
    r"[Tt]imed out after (\d{2,6}) ?s|(?:after|timeout) (\d{4,9}) ?ms|timeout=(\d{1,3}):(\d\d):(\d\d)\b"
)


def limits(incident: Incident) -> list[tuple[float | None, Evidence]]:
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


def aborted_at_limit(incident: Incident) -> Iterator[tuple[ProgressBar, float, Evidence]]:
    """Unfinished bars of preparing data that are as old as a limit to the percent, and the SIGABRT that ended a rank,
    where no word of a time-out was kept.

    The limit is one that the configuration says, else a usual one. An error or a report that tells of another end
    speaks against it.
    """
    ends: list[Evidence] = [failure for failure in incident.of(LauncherFailure) if failure.exit_code in ABORTED]
    ends += [end for end in incident.of(ProcessEnded) if end.signal == "SIGABRT" or end.status in ABORTED]
    errors = [each for each in incident.of(PythonException) if each.type.rpartition(".")[2] not in LAUNCHERS]
    reports: list[Evidence] = [*errors, *incident.of(OomKill, Xid)]
    if not ends or reports or limits(incident):
        return
    configured = [seconds for seconds in map(_configured_s, incident.of(SettingSeen)) if seconds]
    for bar in incident.of(ProgressBar):
        elapsed = bar.elapsed_s or 0.0
        at = next((limit for limit in (configured or USUAL_S) if abs(elapsed - limit) <= EXACT * limit), None)
        if at and OF_DATA.search(bar.label) and 0 < (bar.done or 0) < (bar.total or 0):
            yield bar, at, ends[0]


def _configured_s(setting: SettingSeen) -> float | None:
    """The limit of a process group that a setting says, in seconds."""
    if not OF_GROUPS.match(setting.name) or (limit := whole_number(setting.value)) is None:
        return None
    return float(limit) * (60 if re.search(r"_min(?:utes)?$", setting.name, re.I) else 1)


def last_phase(incident: Incident, struck: Evidence | None = None) -> Phase | None:
    """The last work beside the training that a log tells of; with a limit that struck, a log of its machine."""
    beside = incident.links.may_be_beside
    phases = [p for p in incident.of(Phase) if p.phase in LONG and (struck is None or beside(struck, p))]
    return phases[-1] if phases else None
