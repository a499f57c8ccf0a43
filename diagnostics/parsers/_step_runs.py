"""Step lines as columns: collected in any order, divided into runs, one `TrainingSteps` for each run on each rank.

Of a log with very many steps only some rows are kept (`_step_thinning.py`): memory does not grow with the log.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ..evidence import Evidence, Severity, Source, Subject
from ..evidence.training import NonFiniteValue, TrainingSteps
from ..step_line import BAR, MEASURED, NAN, Span
from ._job_lines import Message
from ._step_thinning import cited, thinned

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

ALWAYS = ("line", "place", "rank", "count", "step", "seconds", "epoch")
MOST = 100_000  # rows of one log that are kept ...
HELD = 4  # ... and this many times as many are held before some are dropped
LAG = 3  # steps: ranks that share a log without a prefix are not quite abreast


class Writer:
    """Whose steps they are: what a line's prefix says of its writer, and its first stamp."""

    def __init__(self, message: Message) -> None:
        self.rank, self.host, self.pid = message.rank, message.host, message.pid
        self.stamp = message.stamp


class Steps:
    """The step lines of one file.

    Parameters
    ----------
    file : name of the artefact
    quote : gives the raw line with a number
    """

    def __init__(self, file: str, quote: Callable[[int], str]) -> None:
        self.file = file
        self.quote = quote
        self._single: dict[str, array[float]] = {name: array("d") for name in (*ALWAYS, *MEASURED)}
        self._parts: list[dict[str, Numbers]] = []
        self._lines = self._rows = 0
        self._enough = HELD * MOST
        self._writers: dict[float, Writer] = {}
        self._starts: list[int] = []
        self._bars: dict[int | None, float] = {}
        self._not_finite: dict[str, list[Numbers]] = {name: [] for name in MEASURED}

    def start_run(self, message: Message) -> None:
        """The log says that a run begins."""
        self._starts.append(message.line.number)

    def watch_bar(self, message: Message) -> None:
        """Keep where a progress bar stands: some trainers print a step's numbers without its step."""
        if found := BAR.search(message.text):
            self.bar_stands(message.rank, float(found[1]))

    def bar_stands(self, rank: int | None, step: float) -> None:
        """The progress bar of a rank stands at a step."""
        self._bars[rank] = step

    def add(self, message: Message, numbers: Mapping[str, Span], place: float = 0.0) -> None:
        """Add one line, or the one of the messages of a line that has this place among all messages."""
        values = {"step": self._bars.get(message.rank, NAN), "line": float(message.line.number), "count": 1.0}
        values["place"] = place
        values |= {name: span.value(message.text) for name, span in numbers.items()}
        values["rank"] = _number(message.rank)
        writer = self.writer(message)
        if message.stamp and writer.stamp and message.stamp.clock is writer.stamp.clock:
            values["seconds"] = message.stamp.seconds
        for name, column in self._single.items():
            column.append(values.get(name, NAN))
        self._count(1)
        self._note_not_finite(values, array("d", [values["line"]]))

    def add_many(self, message: Message, columns: dict[str, Numbers], fixed: Mapping[str, float]) -> None:
        """Add lines of one writer, who wrote `message`; `fixed` are the values that are alike in all of them."""
        import numpy as np

        self.writer(message)
        lines = columns["line"]
        self._count(len(lines))
        fixed = {**fixed, "rank": _number(message.rank), "count": 1.0}
        self._parts.append(columns | {name: np.broadcast_to(value, lines.shape) for name, value in fixed.items()})
        self._note_not_finite(fixed, lines)

    def writer(self, message: Message) -> Writer:
        """The writer of a line; a rank's first line tells its clock."""
        return self._writers.setdefault(_number(message.rank), Writer(message))

    def _note_not_finite(self, values: Mapping[str, float], lines: Any) -> None:
        for name, strange in self._not_finite.items():
            if not math.isfinite(values.get(name, 0.0)):
                strange.append(lines)

    def _count(self, lines: int) -> None:
        self._lines += lines
        self._rows += lines

    def thin(self) -> None:
        """Drop rows when there are very many; for when every step line up to some line has been added."""
        if self._rows > self._enough:
            self._thin()

    def _thin(self) -> None:
        stride = 1 << math.ceil(math.log2(self._lines / MOST))
        not_finite: dict[str, list[Numbers]] = {name: [] for name in MEASURED}
        parts = []
        for _, _, columns in self._groups(self._joined()):
            strange = self._first_not_finite(columns["line"])
            for name, at in strange.items():
                not_finite[name].append(columns["line"][at : at + 1])
            parts.append(thinned(columns, strange.values(), stride))
        self._parts, self._not_finite = parts, not_finite
        self._rows = sum(len(part["line"]) for part in parts)
        self._enough = HELD * max(MOST, self._rows)

    def facts(self) -> Iterator[Evidence]:
        """What the columns say, run by run."""
        if self._rows < self._lines:
            self._thin()  # the latest rows too, lest they count for more than the others
        if self._rows:
            for run, rank, columns in self._groups(self._joined()):
                yield from self._run(run, rank, columns)

    def _groups(self, columns: dict[str, Numbers]) -> Iterator[tuple[int, float, dict[str, Numbers]]]:
        """The number of each run, a rank and the run's rows on it, in the order of their first lines."""
        import numpy as np

        runs = np.searchsorted(list(_bounds(columns, self._starts)), columns["line"], side="right")
        ranks = columns["rank"]
        keys = runs * (ranks.max() + 2) + ranks + 1
        order = np.argsort(keys, kind="stable")
        groups = np.split(order, np.flatnonzero(np.diff(keys[order])) + 1)
        for rows in sorted(groups, key=lambda rows: int(rows[0])):
            mine = columns if len(groups) == 1 else {name: column[rows] for name, column in columns.items()}
            yield int(runs[rows[0]]), float(ranks[rows[0]]), mine

    def _joined(self) -> dict[str, Numbers]:
        """The whole columns in the order of the lines; those that nothing was logged for are left out."""
        import numpy as np

        if self._single["line"]:
            self._parts.append({name: np.asarray(column) for name, column in self._single.items()})
            self._single = {name: array("d") for name in self._single}
        said = {name for part in self._parts for name, column in part.items() if _holds(column)}
        for name, strange in self._not_finite.items():
            if strange:
                said.add(name)
                strange[:] = [np.unique(np.concatenate(strange))]
        shapes = [part["line"].shape for part in self._parts]
        lines = np.concatenate([part["line"] for part in self._parts])
        order: Any = slice(None)
        if not bool((lines[1:] > lines[:-1]).all()):
            order = np.lexsort((np.concatenate([part["place"] for part in self._parts]), lines))
        columns = {}
        for name in (*ALWAYS, *MEASURED):
            parts = [
                part.pop(name, np.broadcast_to(NAN, shape)) for part, shape in zip(self._parts, shapes, strict=True)
            ]
            if name in said or name in ALWAYS:
                columns[name] = np.concatenate(parts)[order]
        return columns

    def _run(self, run: int, rank: float, columns: dict[str, Numbers]) -> Iterator[Evidence]:
        lines = columns["line"]
        strange = self._first_not_finite(lines)
        quotable = sorted({int(lines[at]) for at in (*cited(columns), *strange.values())})
        quotes = {line: self.quote(line) for line in quotable}
        first, ends = self._common(rank, columns, 0, quotes), (_step(columns, 0), _step(columns, -1))
        steps = int(columns["count"].sum())
        merged = steps - len(lines)
        not_finite = [
            NonFiniteValue(
                **self._common(rank, columns, at, quotes),
                severity=Severity.CRITICAL if name == "loss" else Severity.WARNING,
                quantity=name,
                step=_step(columns, at),
            )
            for name, at in strange.items()
        ]
        used = {"line", "step", *strange, *(["count"] if merged else [])}
        kept = [
            name
            for name in columns
            if name in used or (name not in ("place", "rank", "count") and _holds(columns[name]))
        ]
        plain = {name: _plain(columns.pop(name)) for name in kept}
        yield TrainingSteps(
            **first,
            columns=plain,
            quotes=quotes,
            run=run,
            steps=steps,
            merged=merged,
            first_step=ends[0],
            last_step=ends[1],
        )
        yield from not_finite

    def _first_not_finite(self, lines: Numbers) -> dict[str, int]:
        """Where in some lines a column first held a NaN or an infinity that the log spells out."""
        import numpy as np

        found = {}
        for name, parts in self._not_finite.items():
            strange = parts[0] if parts else lines[:0]  # one part, since the columns were joined
            near = strange[slice(*strange.searchsorted([lines[0], lines[-1] + 1]))]  # a log may hold thousands of runs
            if len(near) and (inside := np.intersect1d(near, lines)[:1].tolist()):
                found[name] = int(lines.searchsorted(inside[0]))
        return dict(sorted(found.items(), key=lambda item: item[1]))

    def _common(self, rank: float, columns: dict[str, Numbers], at: int, quotes: Mapping[int, str]) -> dict[str, Any]:
        writer, line, seconds = self._writers[rank], int(columns["line"][at]), float(columns["seconds"][at])
        return {
            "source": Source(self.file, line, quotes[line]),
            "subject": Subject(host=writer.host, rank=writer.rank, pid=writer.pid),
            "stamp": writer.stamp._replace(seconds=seconds) if writer.stamp and seconds == seconds else None,
        }


def _holds(column: Numbers) -> bool:
    return bool((column == column).any())


def _plain(column: Numbers) -> array[float]:
    plain = array("d")
    plain.frombytes(column.data.cast("B"))
    return plain


def _number(rank: int | None) -> float:
    return -1.0 if rank is None else float(rank)


def _step(columns: Mapping[str, Numbers], at: int) -> int | None:
    step = columns["step"][at]
    return int(step) if step == step else None


def _bounds(columns: Mapping[str, Numbers], starts: list[int]) -> Iterator[float]:
    """The lines at which another run begins: the log says so after a step, or the step of a rank falls back.

    Steps that count within epochs fall back without being another run; and when one rank has fallen back, the
    others follow in the same run. A row that stands for several lines may lag as much at each of them.
    """
    import numpy as np

    lines, step, epoch, rank = (columns[name] for name in ("line", "step", "epoch", "rank"))
    order = np.argsort(rank, kind="stable")
    before = np.empty_like(order)  # the row before on the same rank; of a rank's first row, the row itself
    before[order[1:]] = order[:-1]
    before[order[:1]] = order[:1]
    before = np.where(rank[before] == rank, before, np.arange(len(lines)))
    fell = np.flatnonzero((step[before] - step > LAG * columns["count"]) & ~(epoch > epoch[before]))
    events: list[tuple[float, int]] = sorted(
        [*((float(start), -1) for start in starts), *((float(lines[at]), int(at)) for at in fell)]
    )
    bound = -1.0
    for line, fallen in events:
        after_bound = int(lines.searchsorted(bound))
        said = after_bound < len(lines) and lines[after_bound] < line
        if said if fallen < 0 else lines[before[fallen]] >= bound:
            bound = line
            yield line
