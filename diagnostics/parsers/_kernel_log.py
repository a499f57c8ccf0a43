"""What every parser of a kernel log needs: messages without their wrapping, boots, and whole reports.

A report is what one printk caller printed in one go: a header, a call trace, registers. Other CPUs print in
between; where the log names callers ([T31], [C3]) their lines are told apart by it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property
from operator import itemgetter

from ..envelope import Envelope, unwrap
from ..envelope.layer import LEVELS
from ..evidence import Clock, Source, Stamp, Subject
from ..text import Line, Text

# Linux version 6.8.0-45-generic (buildd@lcy02-amd64-080) (gcc 13.2.0) #45-Ubuntu SMP
# (journalctl) -- Boot 8f3d... --    -- Reboot --
BOOT = re.compile(r"Linux version \d+\.\d+|^-- (?:Boot [0-9a-f]{32}|Reboot) --")
# "time":   604.118402,
_JSON_TIME = re.compile(r'^\s*"(?:time|timestamp)" ?: *"?(\d{1,16}(?:\.\d{1,9})?)')
_JSON_LEVEL = re.compile(r'^\s*"pri" ?: *(\d{1,3})')
_FURTHER_BACK = 100_000  # lines
_BOOTING_S = 300.0  # the drivers of a large node load for minutes


class KernelLog:
    """A text seen as a kernel log."""

    def __init__(self, text: Text) -> None:
        self.text = text
        self._moments: dict[int, Stamp] = {}  # line number -> its time, where lines only say what has elapsed

    @cached_property
    def _boots(self) -> list[tuple[int, Stamp | None]]:
        """The lines at which a boot begins, with their time; `-- Boot --` and the `Linux version` just after it are
        one.

        The first message begins a boot too, unless it is such a line.
        """
        found: list[tuple[int, Stamp | None]] = []
        for line in self.text.looked_for(BOOT):
            if not found and any(unwrap(above.text).stamp for above in self.text.before(line, limit=3)):
                found.append((0, None))
            if not found or found[-1][0] == 0 or line.number > found[-1][0] + 3:
                found.append((line.number, unwrap(line.text).stamp))
        return found

    def message(self, line: Line) -> Envelope:
        """A line without its layers; uptime stamps carry the boot they count from."""
        found = unwrap(line.text)
        if found.stamp is None:
            found = found._replace(stamp=self._elapsed(line, found) if found.elapsed_s is not None else None)
            if found.message is not line.text and found.stamp is None and line.text.lstrip().startswith('"'):
                found = self._json_neighbours(line, found)
        if found.stamp and found.stamp.clock is Clock.UPTIME:
            found = found._replace(stamp=found.stamp._replace(boot=self.boot(line)))
        return found

    def boot(self, line: Line) -> int:
        """The number of the boot that a line belongs to, from 0 in each file."""
        return max(0, self._boots_until(line) - 1)

    def _boots_until(self, line: Line) -> int:
        return bisect_right(self._boots, line.number, key=itemgetter(0))

    def is_booting(self, line: Line, found: Envelope) -> bool:
        """True when a message is known to come from the first minutes of a boot, while drivers load."""
        if found.uptime:
            return found.uptime.seconds < _BOOTING_S
        booted = self._boots[self._boots_until(line) - 1][1] if self._boots_until(line) else None
        if booted is None or found.stamp is None or booted.clock is not found.stamp.clock:
            return False
        return found.stamp.seconds - booted.seconds < _BOOTING_S

    def matching(self, pattern: re.Pattern[str]) -> Iterator[tuple[Line, Envelope]]:
        """The lines in which a pattern is found, with their messages."""
        return ((line, self.message(line)) for line in self.text.matching(pattern))

    def report(self, line: Line, limit: int = 150) -> Iterator[tuple[Line, Envelope]]:
        """The lines after a header that the same caller printed (all, where callers are not named)."""
        caller = unwrap(line.text).caller
        for other in self.text.after(line, limit):
            found = unwrap(other.text)
            if caller is None or found.caller is None or found.caller == caller:
                yield other, found

    def source(self, line: Line) -> Source:
        return Source(self.text.name, line.number, line.quote)

    def _elapsed(self, line: Line, found: Envelope) -> Stamp | None:
        """`dmesg -H` and `-d` say how long after the line before each line came: add up to the last full time."""
        steps = [(line.number, found.elapsed_s or 0.0)]
        start: Stamp | None = None
        for other in self.text.before(line, limit=_FURTHER_BACK):
            if other.number in self._moments:
                start = self._moments[other.number]
                break
            earlier = unwrap(other.text)
            if earlier.stamp is not None:
                start = earlier.stamp
                break
            if earlier.elapsed_s is not None:
                steps.append((other.number, earlier.elapsed_s))
        if start is None:
            return None
        for number, seconds in reversed(steps):
            start = start._replace(seconds=start.seconds + seconds)
            self._moments[number] = start
        return start

    def _json_neighbours(self, line: Line, found: Envelope) -> Envelope:
        """Time and level of an object printed over several lines stand beside its message."""
        near = [*self.text.before(line, limit=4), *self.text.after(line, limit=3)]
        stamp, level = found.stamp, found.level
        for other in near:
            if stamp is None and (time := _JSON_TIME.match(other.text)):
                seconds = float(time[1])
                stamp = Stamp(Clock.UPTIME, seconds) if seconds < 1e9 else Stamp(Clock.UTC, _epoch(seconds))
            elif level is None and (number := _JSON_LEVEL.match(other.text)):
                level = LEVELS[int(number[1]) & 7]
        return found._replace(stamp=stamp, level=level)


def _epoch(number: float) -> float:
    return next(number / unit for unit in (1e9, 1e6, 1e3, 1.0) if number / unit >= 1e9)


def kernel_log(text: Text) -> KernelLog:
    """The text as a kernel log; what was worked out once is shared by all parsers."""
    return text.worked_out(KernelLog)


def subject(found: Envelope, **known: str | int | None) -> Subject:
    """A subject on the host that the line names."""
    return Subject.of({"host": found.host, **known})
