"""Tokens per second and loss of every run, with the moments at which something failed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from ..evidence import Evidence
from ..evidence.collective import CollectiveTimeout
from ..evidence.gpu import GpuToolError
from ..evidence.job import PythonException
from ..evidence.kernel import OomKill, Xid
from ..evidence.supervisor import ProcessEnded, WatchdogFired, WorkerKilled
from ..evidence.training import NonFiniteValue, TrainingSteps
from ..incident import Incident
from ..timeline import named_zone

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

    from .canvas import Picture

TITLE = "Throughput and loss"
MAX_MOMENTS = 12
FAILURES = (
    WatchdogFired,
    ProcessEnded,
    NonFiniteValue,
    PythonException,
    WorkerKilled,
    CollectiveTimeout,
    OomKill,
    Xid,
    GpuToolError,
)
RATES = (("tokens_per_s", "tokens/s"), ("samples_per_s", "samples/s"), ("step_s", "seconds a step"))


class Moment(NamedTuple):
    """A failure to draw: when, and what in two words."""

    at: datetime
    what: str


def plot_throughput(incident: Incident) -> Picture:
    """One line per run and rank over time, or over the step where the log gives no times."""
    from .canvas import dates, nothing, picture

    runs = [run for run in incident.of(TrainingSteps) if run.steps]
    if not runs:
        return nothing(TITLE, "no training log with steps was read")
    timed = all(incident.timeline.at(run) for run in runs)
    rate, unit = next(((name, unit) for name, unit in RATES if any(_has(run, name) for run in runs)), ("", ""))
    panels = [(name, unit) for name, unit in ((rate, unit), ("loss", "loss")) if any(_has(run, name) for run in runs)]
    if not panels:
        return nothing(TITLE, "the training log gives neither a rate nor a loss")
    moments = failures(incident) if timed else []
    with picture(11, 1.0 + 2.2 * len(panels), rows=len(panels), sharex=True) as (figure, axes):
        for each, (name, unit) in zip(axes, panels, strict=True):
            _draw_runs(each, incident, runs, name, timed)
            each.set_ylabel(unit)
            if name != "loss":
                each.set_ylim(bottom=0)
            for number, moment in enumerate(moments, start=1):
                _draw_moment(each, moment, number if each is axes[0] else None)
        axes[0].set_title(TITLE, pad=16)
        if timed:
            dates(axes[-1], named_zone([*map(incident.timeline.at, runs), *(moment.at for moment in moments)]))
        else:
            axes[-1].set_xlabel("step (the log gives no times)")
        key = [f"{number}  {moment.at:%T} {moment.what}" for number, moment in enumerate(moments, start=1)]
        axes[0].legend(
            *_handles(axes[0], key), loc="upper left", bbox_to_anchor=(1, 1), borderaxespad=0.2, handlelength=1.6
        )
        figure.says = f"{len(runs)} runs, steps {runs[0].first_step} to {runs[-1].last_step}; " + (
            ", ".join(f"{moment.what} {moment.at:%T}" for moment in moments) or "no failure with a time"
        )
    return figure


def failures(incident: Incident) -> list[Moment]:
    """The moments at which something failed, earliest first; one mark for what happened in the same second."""
    found: dict[tuple[str, str], Moment] = {}
    for at, fact in incident.timeline.ordered:
        if isinstance(fact, FAILURES) and (what := _what(fact)):
            found.setdefault((f"{at:%F %T}", what), Moment(at, what))
    return list(found.values())[:MAX_MOMENTS]


def _what(fact: Evidence) -> str:
    from .canvas import label

    match fact:
        case WatchdogFired():
            return f"watchdog: {label(fact.action, 12)}"
        case ProcessEnded(status=0, signal=None):
            return ""
        case ProcessEnded():
            return f"ended: {label(fact.signal or f'status {fact.status}', 16)}"
        case NonFiniteValue():
            return f"{label(fact.quantity, 16)} not finite"
        case PythonException():
            return label(fact.type.rpartition(".")[2], 28)
        case Xid():
            return f"Xid {fact.code}"
        case OomKill():
            return "out-of-memory kill"
    return fact.kind.replace("_", " ")


def _has(run: TrainingSteps, name: str) -> bool:
    return any(value == value for value in run.columns.get(name, ()))


def _draw_runs(axes: Axes, incident: Incident, runs: Iterable[TrainingSteps], name: str, timed: bool) -> None:
    from .canvas import BLUE, GREEN, ORANGE, PURPLE, SKY

    looks = [(BLUE, "-", "o"), (ORANGE, "--", "s"), (GREEN, "-.", "^"), (PURPLE, ":", "v"), (SKY, "-", "D")]
    for number, run in enumerate(runs):
        if not _has(run, name):
            continue
        colour, line, marker = looks[number % len(looks)]
        x, y = _points(run, name, incident if timed else None)
        few = len(x) <= 60
        who = f"run {run.run + 1}" + (f", rank {run.subject.rank}" if run.subject.rank is not None else "")
        axes.plot(x, y, line, color=colour, marker=marker if few else "", markersize=3.5, linewidth=1.3, label=who)


def _points(run: TrainingSteps, name: str, incident: Incident | None) -> tuple[list[float], list[float]]:
    if incident is None:
        return [float(step) for step in run.columns["step"]], [float(value) for value in run.columns[name]]
    from .canvas import numbers

    stamp = run.stamp
    pairs = [
        (moment, float(value))
        for seconds, value in zip(run.columns.get("seconds", ()), run.columns[name], strict=False)
        if stamp is not None
        and seconds == seconds
        and (moment := incident.timeline.at(run, stamp._replace(seconds=float(seconds))))
    ]
    return numbers(moment for moment, _ in pairs), [value for _, value in pairs]


def _draw_moment(axes: Axes, moment: Moment, number: int | None) -> None:
    from .canvas import VERMILLION, numbers

    x = numbers([moment.at])[0]
    axes.axvline(x, color=VERMILLION, linewidth=1.0, linestyle=(0, (4, 2)), zorder=1)
    if number is not None:
        axes.annotate(str(number), (x, 1.0), xycoords=("data", "axes fraction"), ha="center", va="bottom", fontsize=8)


def _handles(axes: Axes, key: Iterable[str]) -> tuple[list[Artist], list[str]]:
    """The runs' lines, then one entry a numbered moment."""
    from matplotlib.lines import Line2D

    from .canvas import VERMILLION

    handles, labels = axes.get_legend_handles_labels()
    marks = list(key)
    dashes: Iterator[Line2D] = (Line2D([], [], color=VERMILLION, linestyle=(0, (4, 2))) for _ in marks)
    return [*handles, *dashes], [*labels, *marks]
