"""What probes of a volume came back with, beside the same questions to the local disk."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from ..evidence.probe import Outcome, ProbeAnswer

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .canvas import Picture

LATENCY = "How long a volume takes to answer (the local disk in grey)"
LADDER = "Writing files of growing size, and reading them back"
POINTS = (("p50_s", "o", "median"), ("p99_s", "D", "99th percentile"), ("max_s", "x", "worst"))
SMALLEST_S = 1e-6


def plot_latency(answers: Iterable[ProbeAnswer]) -> Picture:
    """A row per question: median, 99th percentile and worst on a logarithmic axis; silence is an arrow."""
    from .canvas import BLUE, GREY, label, nothing, picture

    of_mounts = [each for each in answers if each.subject.mount]
    rows = [each for each in of_mounts if each.outcome is not Outcome.ANSWERED or "p50_s" in each.values]
    if not rows:
        return nothing(LATENCY, "no probe that measures latency was asked")
    with picture(10, 1.6 + 0.36 * len(rows)) as (figure, (axes,)):
        axes.set_xscale("log")
        for row, each in enumerate(rows):
            if each.outcome is Outcome.ANSWERED:
                _draw_spread(axes, row, each.values, BLUE)
                _draw_spread(axes, row + 0.28, each.control, GREY)
            else:
                _draw_no_answer(axes, row, each)
        for _, marker, name in POINTS:
            axes.scatter([], [], 30, marker=marker, color=BLUE, label=name)
        axes.set_yticks(range(len(rows)), [label(_question(each), 48) for each in rows])
        axes.set_ylim(len(rows) - 0.4, -0.6)
        axes.xaxis.set_major_formatter(lambda value, _: format_seconds(value))
        axes.xaxis.set_minor_formatter("")
        axes.set_title(LATENCY)
        axes.legend(loc="upper left", bbox_to_anchor=(1, 1), borderaxespad=0.2)
        silent = sum(each.outcome is Outcome.SILENT for each in rows)
        refused = sum(each.outcome is Outcome.REFUSED for each in rows)
        figure.says = f"{len(rows)} questions: {silent} without an answer, {refused} refused"
    return figure


def _question(answer: ProbeAnswer) -> str:
    workers = answer.values.get("workers")
    return f"{answer.probe}{f' x{workers:g}' if workers else ''}  {answer.subject.mount}"


def _draw_spread(axes: Axes, row: float, known: Mapping[str, float], colour: str) -> None:
    found = [(max(known[name], SMALLEST_S), marker) for name, marker, _ in POINTS if name in known]
    if found:
        axes.plot([value for value, _ in found], [row] * len(found), color=colour, linewidth=1.2)
    for value, marker in found:
        axes.scatter([value], [row], 30, marker=marker, color=colour, zorder=3)


def _draw_no_answer(axes: Axes, row: int, answer: ProbeAnswer) -> None:
    from .canvas import BLACK, VERMILLION, label

    silent = answer.outcome is Outcome.SILENT
    where = max(answer.elapsed_s, SMALLEST_S)
    axes.scatter([where], [row], 60, marker=">" if silent else "X", color=VERMILLION if silent else BLACK, zorder=4)
    said = f"silent after {format_seconds(answer.elapsed_s)}" if silent else f"refused: {answer.error or answer.text}"
    axes.annotate(
        label(said, 46), (where, row), xytext=(-8, 0), textcoords="offset points", ha="right", va="center", fontsize=8.5
    )


def plot_write_ladder(answers: Iterable[ProbeAnswer]) -> Picture:
    """Size against seconds for every file written; a rung whose bytes came back different is crossed out."""
    from .canvas import BLUE, GREY, ORANGE, VERMILLION, label, nothing, picture

    written = [each for each in answers if each.probe.startswith("write-")]
    rungs = [each for each in written if each.values.get("size_bytes") and each.values.get("bytes_per_s")]
    failed = [each for each in written if each.outcome is not Outcome.ANSWERED]
    if not written:
        return nothing(LADDER, "no probe that writes was asked")
    with picture(9, 4.2) as (figure, (axes,)):
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        looks = (("write-file", BLUE, "o", "one file"), ("write-chunks", ORANGE, "s", "four files"))
        for name, colour, marker, words in looks:
            mine = [each for each in rungs if each.probe == name]
            if mine:
                axes.plot(*_points(mine, "values"), color=colour, marker=marker, label=words)
        local = [each for each in rungs if each.control.get("bytes_per_s") and each.probe == "write-file"]
        if local:
            axes.plot(*_points(local, "control"), color=GREY, marker="o", linestyle="--", label="local disk")
        bad = [each for each in rungs if each.values.get("different_bytes")]
        if bad:
            axes.scatter(
                *_points(bad, "values"),
                190,
                marker="x",
                color=VERMILLION,
                linewidths=2.5,
                zorder=5,
                label="bytes differ",
            )
        axes.xaxis.set_major_formatter(lambda value, _: format_size(value))
        axes.yaxis.set_major_formatter(lambda value, _: format_seconds(value))
        axes.yaxis.set_minor_formatter("")
        axes.set_xlabel("size")
        axes.set_title(LADDER)
        for number, each in enumerate(failed[:4]):
            said = label(f"{each.probe} {each.outcome.value}: {each.error or each.text}", 90)
            axes.text(0.02, 0.95 - 0.07 * number, said, color=VERMILLION, transform=axes.transAxes, va="top")
        if rungs:
            axes.legend(loc="lower right")
        figure.says = f"{len(rungs)} sizes written, {len(bad)} came back different, {len(failed)} not answered"
    return figure


def _points(answers: Sequence[ProbeAnswer], where: str) -> tuple[list[float], list[float]]:
    values = [getattr(each, where) for each in answers]
    sizes = [each.values["size_bytes"] for each in answers]
    return sizes, [max(size / value["bytes_per_s"], SMALLEST_S) for size, value in zip(sizes, values, strict=True)]


def format_seconds(value: float) -> str:
    """A time in the unit in which people say it."""
    for unit, factor in (("s", 1.0), ("ms", 1e3), ("µs", 1e6)):
        if value * factor >= 0.9995:
            return f"{value * factor:.3g} {unit}"
    return f"{value * 1e9:.3g} ns"


def format_size(value: float) -> str:
    """A size in binary units."""
    for unit in ("B", "KiB", "MiB", "GiB"):
        if value < 1024:
            return f"{value:g} {unit}"
        value /= 1024
    return f"{value:g} TiB"
