"""The main thread waits for a lock file of compiled code that another process is to build, and nothing builds it.

FileBaton of torch's extension builds, the file locks of inductor and Triton caches, numba's and JAX's: whoever finds
the file waits until it is gone. A listing with that lock in a cache folder is the second sign. Or the log ends with the
begin of a build, and the lock in the folder of the build is older by an hour or more than what the build has written
there; or a log ends by saying that a build's lock exists, which is as old by the clock, or with the begin of a build
beside such a lock in a builder's folder in which nothing was built since. Or the last word of a process is that it
waits for such a lock: for two hours and more by that word, or two or more wait for one and a trial is told to have
hung. ABSENT where the builder is at work.
"""

from __future__ import annotations

import math
import re
from calendar import isleap
from collections import defaultdict
from collections.abc import Iterator
from datetime import UTC, datetime

from ..evidence import Evidence, Subject
from ..evidence.job import LogLine, PythonException
from ..evidence.kernel import ClockReading
from ..evidence.people import Trial
from ..evidence.process import PythonStack
from ..evidence.storage import FileEntry, ToolError
from ..evidence.supervisor import ProcessEnded
from ..evidence.training import BuildLockWait, Phase, RunFinished, TrainingSteps
from ..incident import Incident
from ._caches import CACHE, waits_for_builder
from ._compilers import compilers, waits_for_child
from ._symptom import Finding, Symptom
from ._waits import compiles, main_stacks

# Lock file exists in build directory: '/home/u/.cache/torch_extensions/x/lock'      Waited on lock file "/x/lock" for
# at least 30 s
EXISTS = re.compile(
    r"(?i)\b(?:lock ?file (?:already )?exists\b|wait(?:ed|ing) (?:on|for) (?:the |a )?(?:file |build )?lock"
    r"(?: ?file)?\b|\bdetected\b.{0,60}\block ?file during initialization\b.{0,60}\bDelete )[^/]{0,80}"
    r"(?P<path>/[^\s'\"]{1,400})"
)
# kill: (19746) - No such process
KILLED = re.compile(r"\bkill: \(?(?P<pid>\d{1,10})\)?[ :-]{1,4}No such process")
OLD_S = 3600.0
LONG_WAIT_S = 7200.0  # of a process that waits while another one builds: a whole model may take an hour
YEAR_AFTER_1972 = datetime(1973, 1, 1, tzinfo=UTC).timestamp()  # 1972 stands for a year that a listing does not tell
RECIPES = frozenset({"build.ninja", ".ninja_log", ".ninja_deps", "CMakeCache.txt", "Makefile", "setup.py"})
BUILT = re.compile(r"\.(?:so(?:\.\d{1,3})*|o|cuda\.o|cubin|ptx|pyd|dylib|a|hsaco)$")
LOCK_FILE = re.compile(r"(?:^|/)(?:[\w.-]{0,200}\.)?lock$")


def rule(incident: Incident) -> Iterator[Finding]:
    """Each thread that waits for such a lock, with the lock file where it was listed."""
    at_work = [
        *compilers(incident),
        *(stack for stack in main_stacks(incident) if compiles(stack) and waits_for_child(stack)),
    ]
    locks = [entry for entry in incident.of(FileEntry) if _is_cache_lock(entry)]
    for stack in incident.of(PythonStack):
        if not waits_for_builder(stack):
            continue
        if at_work:
            yield Finding(Subject(), (stack, *at_work[:2]), "whoever holds the lock is compiling", present=False)
        else:
            note = f"{stack.thread} waits in {stack.frames[0].function} for a build of another process"
            yield Finding(Subject(pid=stack.subject.pid), (stack, *locks[:2]), note)
    yield from _said_to_exist(incident) if not at_work else ()
    yield from _last_words(incident) if not at_work else ()
    begun = None if at_work else _last_word(incident)
    if begun is None:
        return
    for lock, age_s in _deserted_locks(incident):
        note = f"the log ends with the begin of a build, {lock.subject.path} is {age_s / 3600:.0f} h old"
        yield Finding(Subject(), (begun, lock), note)
    for lock, newer in _left_locks(incident):
        note = (
            f"the log ends with the begin of a build, and its lock is of {lock.modified}, older than {newer.modified}"
        )
        yield Finding(Subject(), (begun, lock, newer), note)


def _last_words(incident: Incident) -> Iterator[Finding]:
    """Each lock for which processes wait by their last word, for long or beside a trial that hung."""
    waits: dict[str | None, list[BuildLockWait]] = defaultdict(list)
    for wait in incident.of(BuildLockWait):
        waits[wait.subject.path].append(wait)
    hung = [trial for trial in incident.of(Trial) if trial.outcome == "hang"]
    gone = _gone(incident)
    for wait in (each for told in waits.values() for each in told if each.owner in gone):
        note = f"the last word of a process is that it waits for process {wait.owner}, which is gone"
        yield Finding(Subject(), (wait, gone[wait.owner or 0]), note)
    for path, told in waits.items():
        long = [wait for wait in told if (wait.waited_s or 0.0) >= LONG_WAIT_S]
        if long or (len(told) > 1 and hung):
            note = f"the last word of {len(told)} processes is that they wait for {path}"
            yield Finding(Subject(), (*(long or told)[:3], *hung[:1]), note)


def _gone(incident: Incident) -> dict[int, Evidence]:
    """The processes that somebody looked for and did not find."""
    found: dict[int, Evidence] = {
        end.subject.pid: end for end in incident.of(ProcessEnded) if end.subject.pid and end.status is None
    }
    for error in incident.of(ToolError):
        if error.error == "ESRCH" and (named := KILLED.search(error.text)):
            found[int(named["pid"])] = error
    return found


def _said_to_exist(incident: Incident) -> Iterator[Finding]:
    """Each last word of a log about a lock of a build that a listing shows, an hour old or more by the clock."""
    ends: list[Evidence] = [*incident.of(TrainingSteps, PythonException, RunFinished)]
    now_s = _now_s(incident)
    locks = {entry.subject.path: entry for entry in incident.of(FileEntry) if _is_cache_lock(entry)}
    for note in incident.of(LogLine) if now_s else ():
        found = EXISTS.search(note.text)
        lock = locks.get(found["path"]) if found else None
        later = any(e.source.file == note.source.file and e.source.line > note.source.line for e in ends)
        if lock and now_s and not later and _age_s(lock.modified, now_s) >= OLD_S:
            age_h = _age_s(lock.modified, now_s) / 3600
            yield Finding(
                Subject(), (note, lock), f"the log ends at {found['path'] if found else ''}, {age_h:.0f} h old"
            )


def _deserted_locks(incident: Incident) -> Iterator[tuple[FileEntry, float]]:
    """Each old lock of a builder's folder that shows nothing built, or written since, with its age."""
    now_s = _now_s(incident)
    entries = [entry for entry in incident.of(FileEntry) if entry.subject.path]
    for lock in entries if now_s else ():
        folder, _, name = str(lock.subject.path).rpartition("/")
        beside = [
            entry
            for entry in entries
            if entry.source.file == lock.source.file and str(entry.subject.path).startswith(f"{folder}/")
        ]
        names = {str(entry.subject.path).rpartition("/")[2] for entry in beside}
        if LOCK_FILE.search(name) and names & RECIPES and not any(map(BUILT.search, names)):
            ages = [_age_s(entry.modified, now_s or 0.0) for entry in beside]
            if all(age_s >= OLD_S for age_s in ages):
                yield lock, _age_s(lock.modified, now_s or 0.0)


def _now_s(incident: Incident) -> float | None:
    """What a clock showed last, in the zone of the listings."""
    stamps = [each.stamp for each in incident.of(ClockReading) if each.stamp]
    return max(((stamp.wall or stamp).seconds for stamp in stamps), default=None)


def _age_s(modified: str | None, now_s: float) -> float:
    """How old a listing's time is by a clock of the same place; one without a year is of the year before at most."""
    moment_s = _moment_s(modified)
    if moment_s < YEAR_AFTER_1972:
        now = datetime.fromtimestamp(now_s, UTC)
        ages = [now_s - datetime.fromtimestamp(moment_s, UTC).replace(year=year).timestamp()
                for year in (now.year, now.year - 1) if _exists(moment_s, year)]  # fmt: skip
        return next((age_s for age_s in ages if age_s >= 0), math.nan)
    return now_s - moment_s


def _exists(moment_s: float, year: int) -> bool:
    """False for the 29th of February in other years."""
    day = datetime.fromtimestamp(moment_s, UTC)
    return (day.month, day.day) != (2, 29) or isleap(year)


def _last_word(incident: Incident) -> Phase | None:
    """The begin of a build after which its log tells of nothing else."""
    told: list[Evidence] = [*incident.of(Phase, TrainingSteps, PythonException, RunFinished)]
    last = {fact.source.file: fact for fact in sorted(told, key=lambda fact: fact.source.line)}
    begun = [fact for fact in last.values() if isinstance(fact, Phase) and fact.phase == "compile"]
    return next((fact for fact in begun if fact.edge == "begin"), None)


def _left_locks(incident: Incident) -> Iterator[tuple[FileEntry, FileEntry]]:
    """Each lock of a builder's folder with the builder's own file, where that is newer by an hour or more."""
    entries = [entry for entry in incident.of(FileEntry) if entry.subject.path and entry.modified]
    for built in entries:
        folder, _, name = str(built.subject.path).rpartition("/")
        for lock in entries if name in ("build.ninja", ".ninja_log", ".ninja_deps") else ():
            beside, _, lock_name = str(lock.subject.path).rpartition("/")
            if beside == folder and lock.source.file == built.source.file and LOCK_FILE.search(lock_name):
                older_s = _moment_s(built.modified) - _moment_s(lock.modified)
                if older_s >= OLD_S:
                    yield lock, built


def _moment_s(modified: str | None) -> float:
    """A listing's time on a clock of its own style; NaN where it has none, since such times compare to nothing."""
    short = (modified or "")[:16].strip()
    for said, style in ((f"1972 {short}", "%Y %b %d %H:%M %z"), (short, "%Y-%m-%d %H:%M %z")):
        try:
            return datetime.strptime(f"{said} +0000", style).timestamp()
        except ValueError:
            continue
    return math.nan


def _is_cache_lock(entry: FileEntry) -> bool:
    path = entry.subject.path or ""
    return bool(LOCK_FILE.search(path) and CACHE.search(path))


SYMPTOM = Symptom(
    title="a process waits for the lock file of a compile cache and nobody builds",
    rule=rule,
    leak=0.0003,
    because="such a lock is held while its owner compiles; without an owner nobody will remove it",
    command="py-spy dump --nonblocking --pid JOB_PID; ls -la ~/.cache/torch_extensions/*/*; ps -ef | grep -E "
    "'nvcc|ninja|cc1plus'",
    cost_minutes=2,
)
