"""The section on impact: what each run lost, and what that comes to."""

from __future__ import annotations

from ..diagnosis import Diagnosis
from ..hypothesis import Verdict
from .document import DIAGNOSIS, Blank, Block, Bullets, Item, Plot, Rates, Said, Section, Table
from .impact import Run, format_hours, workers_of


def impact_section(diagnosis: Diagnosis, runs: list[Run], rates: Rates) -> Section:
    """The section on what was lost: a row per run, then time and money."""
    blocks: list[Block] = []
    if runs:
        head = ("run", "steps", "last checkpoint", "steps lost", "idle before its end", "ended by")
        blocks.append(Table(head, tuple(_run_row(run) for run in runs)))
    blocks.append(Bullets(tuple(_cost(diagnosis, runs, rates))))
    blocks.append(Plot("throughput", "Throughput and loss"))
    return Section("impact", "Impact", tuple(blocks))


def _run_row(run: Run) -> tuple[Item, ...]:
    steps = run.steps
    kept = run.kept
    if kept is None:
        begins = f"none in this log, which begins at step {steps.first_step}"
        saved = Said(begins if run.is_excerpt else "none was saved before", (run.last_source,))
    else:
        known = {"ok": "verified", "": "nobody verified its content"}.get(kept.verdict, kept.verdict)
        sources = (kept.event.source, *((kept.verdict_source,) if kept.verdict_source else ()))
        saved = Said(f"step {kept.step} ({known})", sources)
    ended = run.ended_by
    end: Item
    if run.finished_by:
        end = Said("it finished", (run.finished_by.source,))
    elif ended is None:
        end = Blank(f"run-{run.number}-end", "what ended this run")
    else:
        end = Said(ended.kind.replace("_", " "), (ended.source,))
    idle = run.idle_s
    return (
        Said(str(run.number), (steps.source,)),
        Said(f"{steps.first_step} to {steps.last_step}", (steps.source, run.last_source)),
        saved,
        Said(run.lost, (run.last_source,)),
        Said("unknown" if idle is None else f"{idle:.0f} s", (run.last_source, *((ended.source,) if ended else ()))),
        end,
    )


def _cost(diagnosis: Diagnosis, runs: list[Run], rates: Rates) -> list[Item]:
    count, word, sources = (rates.gpus, "GPU", ()) if rates.gpus else workers_of(diagnosis.incident)
    wasted = [run.wasted for run in runs]
    hours = sum(each.total_seconds() for each in wasted if each) / 3600
    if diagnosis.verdict is Verdict.HEALTHY:
        return [Said("No run was harmed.", basis=DIAGNOSIS)]
    items: list[Item] = []
    known = bool(runs) and all(each is not None for each in wasted)
    if known and count:
        lost = f"{format_hours(hours * count, word)} of work lost, on {count} {word}{'s' if count > 1 else ''}"
        items.append(Said(lost, (*(run.last_source for run in runs[:3]), *sources)))
    else:
        items.append(Blank("gpu-hours", "GPU-hours lost"))
    if known and count and rates.usd_per_gpu_hour is not None:
        price = rates.usd_per_gpu_hour
        each = "" if word == "GPU" else ", one GPU a rank"
        said = f"{hours * count * price:.2f} USD at {price:.2f} USD per GPU-hour{each}"
        items.append(Said(said, basis="the given rate"))
    else:
        items.append(Blank("cost", "what it cost, and at which rate"))
    items.append(Blank("impact-people", "who waited for it, and what it delayed"))
    return items
