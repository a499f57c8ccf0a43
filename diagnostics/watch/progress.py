"""What a run's usual step time is, and when its silence is no longer usual.

A step later than the usual time by `factor`, and later than anything seen lately, is a stall. Before the
usual time is known (imports, compilation, the first batches) only `startup_s` counts.
"""

from __future__ import annotations

import itertools
import statistics
from collections import deque

from ..step_line import step_of

KEPT = 50
WARM_UP = 2  # the first intervals hold compilation and cache misses
COLLAPSE = 5.0
MARGIN = 1.5  # over the longest interval of late: a save or an evaluation comes again


class Progress:
    """The steps of one run as they are printed; all times in seconds of the caller's clock.

    Parameters
    ----------
    now : when the watch began
    factor : how many usual step times make a stall
    least_s : a shorter silence is never a stall
    startup_s : the silence allowed before three steps were seen
    """

    def __init__(self, now: float, *, factor: float = 6.0, least_s: float = 5.0, startup_s: float = 300.0) -> None:
        self.factor, self.least_s, self.startup_s = factor, least_s, startup_s
        self.last_step: float = -1
        self.last_step_at = self.last_output_at = now
        self.intervals: deque[float] = deque(maxlen=KEPT)
        self.seen = 0
        self._rest = b""

    def feed(self, data: bytes, now: float) -> None:
        """Take in what the run printed."""
        if not data:
            return
        self.last_output_at = now
        *lines, self._rest = (self._rest + data).replace(b"\r", b"\n").split(b"\n")
        self._rest = self._rest[-8192:]
        steps = [step for line in lines if (step := step_of(line[:2000].decode("utf-8", "replace"))) is not None]
        new = [step for before, step in itertools.pairwise([self.last_step, *steps]) if step != before]
        for step in new:
            self._step(step, (now - self.last_step_at) / len(new))
        if new:
            self.last_step_at = now

    def _step(self, number: float, took_s: float) -> None:
        """Count a step; several that were read at once share the time since the last."""
        self.seen += 1
        if self.seen > 1 + WARM_UP and number > self.last_step:
            self.intervals.append(took_s)
        self.last_step = number

    @property
    def usual_s(self) -> float | None:
        """The median step time, once three are known."""
        return statistics.median(self.intervals) if len(self.intervals) >= 3 else None

    @property
    def limit_s(self) -> float:
        """How long a silence is still usual."""
        if self.usual_s is None:
            return self.startup_s
        return max(self.least_s, self.factor * self.usual_s, MARGIN * max(self.intervals))

    def quiet_s(self, now: float) -> float:
        """Seconds since the last step, or since the last output while no step time is known."""
        return now - (self.last_output_at if self.usual_s is None else self.last_step_at)

    def stalled(self, now: float) -> str:
        """Why the run counts as stalled, or ""."""
        quiet = self.quiet_s(now)
        if quiet <= self.limit_s:
            return ""
        if self.usual_s is None:
            return f"no output for {quiet:.0f} s, and no step so far"
        return f"no step after {self.last_step:.0f} for {quiet:.1f} s, usually one takes {self.usual_s:.2g} s"

    def collapsed(self) -> str:
        """Why the run counts as far slower than it was, or ""."""
        if len(self.intervals) < 15:
            return ""
        rows = list(self.intervals)
        before, lately = statistics.median(rows[:-3]), min(rows[-3:])
        if lately > COLLAPSE * before and lately > 2.0:
            return f"steps take {lately:.1f} s, they took {before:.2g} s"
        return ""
