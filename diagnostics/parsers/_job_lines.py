"""Lines of job logs, as the parsers of this folder read them: one message at a time, out of all its wrapping.

A progress bar rewrites its line with carriage returns, so one line of the file may hold many messages; and
launchers, Ray, kubectl and the loggers of the training libraries each put their own prefix before a message.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from typing import Any, NamedTuple, cast

from ..envelope import Envelope, unwrap
from ..envelope.times import iso_stamp
from ..evidence import Clock, Source, Stamp, Subject
from ..footprint import IGNORES_CASE, best_words, split_alternatives, unnamed
from ..text import Line, Text

MONTHS_OF_A_YEAR = 12
LIMIT = 4096  # characters of one message that are looked at: what follows is a dump, not a message


# TRAIN Batch 3/1100 loss 2.104412 grad_norm 0.811204 rank 0
RANK_LAST = re.compile(r"\d[ ,|]{1,3}rank[ :=](\d{1,5})$")


class Message(NamedTuple):
    """One message: where it stands, what it says, and what its prefixes said of its writer."""

    line: Line
    text: str
    stamp: Stamp | None
    host: str | None
    rank: int | None
    pid: int | None
    level: str | None
    program: str | None

    def facts(self, text: Text, **subject: Any) -> dict[str, Any]:
        """The fields that every fact made from this message shares; `subject` adds to what the prefixes said."""
        known = {"host": self.host, "rank": self.rank, "pid": self.pid, **subject}
        return {
            "source": Source(text.name, self.line.number, self.line.quote),
            "subject": Subject(**known),
            "stamp": self.stamp,
        }


class Words:
    """Tells by plain words whether a line is worth a closer look; it stands in for a pattern that is slower by far.

    Parameters
    ----------
    words : in lower case, separated by |
    start : a pattern for lines that are worth it by how they start
    """

    def __init__(self, words: str, start: str = "(?!)") -> None:
        self.words = tuple(words.split("|"))
        self.start = re.compile(start)

    @classmethod
    def of(cls, patterns: Iterable[re.Pattern[str]], start: str = "(?!)") -> Words:
        """The words that any line must hold in which one of the patterns is found, as few as there are.

        Raises ValueError for an alternative that needs no word and is not told by its start.
        """
        needed = {word for pattern in patterns for part in alternatives(pattern) for word in _needed(part, start)}
        short = (word for word in needed if not any(other in word for other in needed - {word}))
        return cls("|".join(sorted(short)), start)

    def search(self, line: str) -> bool:
        """True when the line holds one of the words."""
        low = line.lower()
        return any(word in low for word in self.words) or self.start.match(line) is not None


SHORTEST = 2  # letters of a word that is looked for
# a message may begin below a prefix: [rank0] text      12:03:11 text      name: text      2024-01-01T10:00:00Z text
# 12:03:11 INFO text     2024-01-01T10:00:00Z stdout F text     "MESSAGE": "text
BEGINS = r"(?:^|[\d\]Z:,|>-] |\": ?\"|\bstd(?:out|err) [FP] |\b(?:INFO|WARN|WARNING|ERROR|DEBUG) {1,4})"


def alternatives(pattern: re.Pattern[str]) -> list[str]:
    """The alternatives of a pattern, without its flag."""
    return split_alternatives(pattern.pattern.removeprefix(IGNORES_CASE))


def footprint_of_messages(patterns: Iterable[re.Pattern[str]]) -> str:
    """The footprint of messages: a line in which, below its prefixes, one of the patterns is found."""
    parts = (unnamed(part) for pattern in patterns for part in alternatives(pattern))
    return IGNORES_CASE + "|".join(re.sub(r"(?<![\[\\])\^", lambda _: BEGINS, part) for part in parts)


def _needed(part: str, start: str) -> frozenset[str]:
    words = best_words(IGNORES_CASE + part, SHORTEST)
    if not words and part != start:
        raise ValueError(f"no word tells a line in which this may be found: {part}")
    return words


DIRECTIVES = ("#SBATCH", "#PBS", "#BSUB", "#!/")


def messages(text: Text, pattern: re.Pattern[str] | Words | None = None) -> Iterator[Message]:
    """The messages of an artefact; with a pattern or words only those of lines in which it is found."""
    return of_lines(text.matching(cast("re.Pattern[str]", pattern)) if pattern else text.lines())


def of_lines(lines: Iterable[Line]) -> Iterator[Message]:
    """The messages of some lines. What a batch script tells its scheduler happened nowhere."""
    for line in lines:
        if line.text.startswith(DIRECTIVES):
            continue
        for part in line.text.split("\r") if "\r" in line.text else (line.text,):
            if part and not part.isspace():
                yield message(line, part)


def message(line: Line, part: str | None = None) -> Message:
    """One line (or a part of it that a carriage return ended), out of its wrapping."""
    found = peel((line.text if part is None else part)[:LIMIT].lstrip("\0"))
    rank = found.rank
    if rank is None and (last := RANK_LAST.search(found.message[-16:])):
        rank = int(last[1])
    return Message(line, found.message, found.stamp, found.host, rank, found.pid, found.level, found.program)


def peel(text: str) -> Envelope:
    """What `unwrap` peels, and the prefixes that only job logs have."""
    found = unwrap(text)
    for _ in range(4):
        peeled = next((peeled for each in _PEELS if (peeled := each(found)) is not None), None)
        if peeled is None:
            return found
        again = unwrap(peeled.message)
        found = peeled._replace(
            message=again.message,
            stamp=peeled.stamp or again.stamp,
            rank=again.rank if peeled.rank is None else peeled.rank,
            level=again.level or peeled.level,
            host=peeled.host or again.host,
            pid=again.pid if peeled.pid is None else peeled.pid,
        )
    return found


# [rank1]:[E1104 02:23:41.118402771 ProcessGroupNCCL.cpp:632] text   W0304 07:47:36.114000 21380 torch/x.py:897] text
# with a word beside the thread, and a part of the program for its file: I1104 02:23:41.118 4711 r0 loop] text
# with the year: W20260309 10:02:11.310442   733 util_rdma.h:618] text
_GLOG = re.compile(
    r"^\[?([IWEFVDC])(?:(20\d\d)(?=\d{4} ))?(\d{1,2}?)(\d\d) (\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))? +"
    r"(?:(\d{1,8}) )?(?:[\w/-]{1,20} )?([\w./-]{1,200}(?::\d{1,6})?)\] ?(.*)$"
)
# [E ProcessGroupNCCL.cpp:821] text      E tensorflow/stream_executor/cuda/cuda_driver.cc:1033] text
_SHORT_GLOG = re.compile(r"^\[?([IWEFVDC]) [\w./-]{1,200}:\d{1,6}\] ?(.*)$")
_GLOG_LEVELS = {"I": "INFO", "W": "WARNING", "E": "ERROR", "F": "FATAL", "V": "DEBUG", "D": "DEBUG", "C": "FATAL"}
# (RayTrainWorker pid=21660, ip=192.0.2.6) text      (Worker_TP0 pid=3040) text
_RAY = re.compile(r"^\([^()]{0,80}?\bpid=(\d{1,8})(?:, ip=([\w.:-]{1,60}))?\) ?(.*)$")
# [1,0]<stdout>:text      [3]<stderr>:text
_MPIRUN = re.compile(r"^\[(?:\d{1,8},)?(\d{1,6})\]<std(?:out|err)>: ?(.*)$")
# 3: Traceback (most recent call last):      12:   File "train.py", line 3, in main      (srun --label: a task, and only
# before what is a traceback's)
_SRUN = re.compile(
    r"^\s{0,5}(\d{1,5}): ((?:Traceback \(most recent call last\):| {2}File \"| {4}\S"
    r"|(?:[A-Za-z_]\w{0,60}\.){0,6}[A-Z]\w{0,60}(?:Error|Exception|Interrupt)(?::|$)).*)$"
)
# (raylet) text     (raylet, ip=192.0.2.6) text     (autoscaler +1m2s) text
_RAY_PART = re.compile(r"^\((?:raylet|autoscaler|gcs_server)(?: \+[\dhms]{1,12})?(?:, ip=([\w.:-]{1,60}))?\) ?(.*)$")
# [2026-02-01 10:11:12,121 E 4121 4150] (raylet) node_manager.cc:111: text
_RAYLET = re.compile(
    r"^\[(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3}) ([IWEFDC]) (\d{1,8}) \d{1,8}\] (?:\(\w{1,40}\) )?"
    r"(?:[\w./-]{1,200}:\d{1,6}: ?)?(.*)$"
)
# what Ray's loggers put behind the level: services.py:1922 -- text
_RAY_SOURCE = re.compile(r"^[\w./-]{1,120}\.py:\d{1,6} -- ?(.*)$")
# [pod/train-0/main] text
_KUBECTL = re.compile(r"^\[pod/([\w.-]{1,120})/[\w.-]{1,120}\] ?(.*)$")
# INFO 03-04 07:12:09 [loggers.py:127] text
_VLLM = re.compile(
    r"^(DEBUG|INFO|WARNING|ERROR|CRITICAL) (\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)(?:\.\d+)? \[?[^\[\]]{1,120}\] ?(.*)$"
)
# 12/11 08:12:23 - mmengine - INFO - text      [12/27 15:03:41 d2.utils.events]: text
_MONTH_DAY = re.compile(
    r"^\[?(\d\d)/(\d\d) (\d\d):(\d\d):(\d\d)(?: - [\w.-]{1,60} - ([A-Z]{4,8}) - | [\w.]{1,80}\]:? ?)(.*)$"
)
# 12/06/2024 08:11:20 - INFO - trainer - text      [12/06/2024-08:11:20] text      the month first, unless it is none
_DAY_OF_YEAR = re.compile(
    r"^\[?(\d\d)/(\d\d)/(20\d\d)[ -](\d\d:\d\d:\d\d)(?:[.,](\d{1,6}))?\]?"
    r"(?: - ([A-Z]{4,8}) - (?:[\w.]{1,60} - )?|[ :-]{1,4}(?=\S))(.*)$"
)
# 17:02:11Z text     17:17:32.549Z text     12:47:49 text
_TIME_OF_DAY = re.compile(r"^\[?(\d\d):(\d\d):(\d\d)(?:[.,](\d{1,6}))?Z?\]?[ :]+(\S.*)$")
# [titan] text   [logging.py:68:log_dist] text   [finetune.py] text   root - INFO - text
_TAG = re.compile(r"^\[(?:titan|[\w-]{1,60}\.py(?::\d{1,6}(?::\w{1,60})?)?)\] ?(.*)$")
_DASHED = re.compile(r"^(?:[\w.]{1,60} - )?(DEBUG|INFO|WARNING|ERROR|CRITICAL) - (.*)$")


def _no_year(month: str, day: str, hour: str, minute: str, second: str, fraction: str | None = None) -> Stamp | None:
    try:
        moment = datetime(1972, int(month), int(day), int(hour), int(minute), min(int(second), 59), tzinfo=UTC)
    except ValueError:
        return None
    return Stamp(Clock.NO_YEAR, moment.timestamp() + (float(f"0.{fraction}") if fraction else 0.0))


def _peel_glog(line: Envelope) -> Envelope | None:
    if found := _GLOG.match(line.message):
        level, year, month, day, hour, minute, second, fraction, pid, _, rest = found.groups()
        stamp = line.stamp or (
            iso_stamp(f"{year}-{month}-{day} {hour}:{minute}:{second}" + (f".{fraction}" if fraction else ""))
            if year
            else _no_year(month, day, hour, minute, second, fraction)
        )
        return line._replace(message=rest, stamp=stamp, level=_GLOG_LEVELS[level], pid=int(pid) if pid else line.pid)
    if found := _SHORT_GLOG.match(line.message):
        return line._replace(message=found[2], level=_GLOG_LEVELS[found[1]])
    return None


def _peel_ray(line: Envelope) -> Envelope | None:
    found = _RAY.match(line.message)
    return line._replace(message=found[3], pid=int(found[1]), host=found[2] or line.host) if found else None


def _peel_ray_part(line: Envelope) -> Envelope | None:
    found = _RAY_PART.match(line.message)
    return found and line._replace(message=found[2], host=found[1] or line.host)


def _peel_raylet(line: Envelope) -> Envelope | None:
    found = _RAYLET.match(line.message)
    return found and line._replace(
        message=found[4],
        stamp=line.stamp or iso_stamp(found[1]),
        level=_GLOG_LEVELS[found[2]],
        pid=int(found[3]),
    )


def _peel_ray_source(line: Envelope) -> Envelope | None:
    found = _RAY_SOURCE.match(line.message)
    return found and line._replace(message=found[1])


def _peel_kubectl(line: Envelope) -> Envelope | None:
    found = _KUBECTL.match(line.message)
    return line._replace(message=found[2], host=line.host or found[1]) if found else None


def _peel_mpirun(line: Envelope) -> Envelope | None:
    found = _MPIRUN.match(line.message)
    return found and line._replace(message=found[2], rank=int(found[1]))


def _peel_srun(line: Envelope) -> Envelope | None:
    found = _SRUN.match(line.message)
    return found and line._replace(message=found[2], rank=int(found[1]) if line.rank is None else line.rank)


def _peel_vllm(line: Envelope) -> Envelope | None:
    found = _VLLM.match(line.message)
    return found and line._replace(message=found[7], level=found[1], stamp=line.stamp or _no_year(*found.groups()[1:6]))


def _peel_day_of_year(line: Envelope) -> Envelope | None:
    if not (found := _DAY_OF_YEAR.match(line.message)):
        return None
    first, second, year, clock, fraction, level, rest = found.groups()
    month, day = (second, first) if int(first) > MONTHS_OF_A_YEAR else (first, second)
    stamp = line.stamp or iso_stamp(f"{year}-{month}-{day} {clock}" + (f".{fraction}" if fraction else ""))
    return line._replace(message=rest, level=level or line.level, stamp=stamp)


def _peel_month_day(line: Envelope) -> Envelope | None:
    found = _MONTH_DAY.match(line.message)
    return found and line._replace(
        message=found[7], level=found[6] or line.level, stamp=line.stamp or _no_year(*found.groups()[:5])
    )


def _peel_time_of_day(line: Envelope) -> Envelope | None:
    found = _TIME_OF_DAY.match(line.message)
    if not found or line.stamp:
        return None
    seconds = int(found[1]) * 3600 + int(found[2]) * 60 + int(found[3]) + float(f"0.{found[4] or 0}")
    return line._replace(message=found[5], stamp=Stamp(Clock.TIME_OF_DAY, seconds))


def _peel_tag(line: Envelope) -> Envelope | None:
    found = _TAG.match(line.message)
    return found and line._replace(message=found[1])


def _peel_dashed(line: Envelope) -> Envelope | None:
    found = _DASHED.match(line.message)
    return found and line._replace(message=found[2], level=found[1])


_PEELS: tuple[Callable[[Envelope], Envelope | None], ...] = (
    _peel_glog,
    _peel_ray,
    _peel_ray_part,
    _peel_raylet,
    _peel_ray_source,
    _peel_kubectl,
    _peel_mpirun,
    _peel_srun,
    _peel_vllm,
    _peel_day_of_year,
    _peel_month_day,
    _peel_time_of_day,
    _peel_tag,
    _peel_dashed,
)
