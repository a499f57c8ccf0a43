"""The section on impact: what each run lost, and what that comes to."""

from __future__ import annotations

from ..diagnosis import Diagnosis
from ..hypothesis import Verdict
from .document import DIAGNOSIS, Blank, Block, Bullets, Item, Plot, Rates, Said, Section, Table
from .impact import Loss, format_hours, workers_of


def impact_section(diagnosis: Diagnosis, losses: list[Loss], rates: Rates) -> Section:
    """The section on what was lost: a row per run, then time and money."""
    blocks: list[Block] = []
    if losses:
        head = ("run", "steps", "last checkpoint", "steps lost", "idle before its end", "ended by")
        blocks.append(Table(head, tuple(_row(loss) for loss in losses)))
    blocks.append(Bullets(tuple(_cost(diagnosis, losses, rates))))
    blocks.append(Plot("throughput", "Throughput and loss"))
    return Section("impact", "Impact", tuple(blocks))


def _row(loss: Loss) -> tuple[Item, ...]:
    run, kept, ended, idle = loss.run, loss.kept, loss.ended_by, loss.idle_s
    steps, last = run.steps, run.steps.last_source
    if kept is None:
        begins = f"none in this log, which begins at step {steps.first_step}"
        saved = Said(begins if run.is_excerpt else "none was saved before", (last,))
    else:
        known = {"ok": "verified", "": "nobody verified its content"}.get(kept.verdict, kept.verdict)
        sources = (kept.event.source, *((kept.verdict_source,) if kept.verdict_source else ()))
        saved = Said(f"step {kept.step} ({known})", sources)
    end: Item
    if run.finished:
        end = Said("it finished", (run.finished.source,))
    elif ended is None:
        end = Blank(f"run-{loss.number}-end", "what ended this run")
    else:
        end = Said(ended.kind.replace("_", " "), (ended.source,))
    return (
        Said(str(loss.number), (steps.source,)),
        Said(f"{steps.first_step} to {steps.last_step}", (steps.source, last)),
        saved,
        Said(loss.told, (last,)),
        Said("unknown" if idle is None else f"{idle:.0f} s", (last, *((ended.source,) if ended else ()))),
        end,
    )


def _cost(diagnosis: Diagnosis, losses: list[Loss], rates: Rates) -> list[Item]:
    count, word, sources = (rates.gpus, "GPU", ()) if rates.gpus else workers_of(diagnosis.incident)
    times = [loss.time for loss in losses]
    hours = sum(each.total_seconds() for each in times if each) / 3600
    if diagnosis.verdict is Verdict.HEALTHY:
        return [Said("No run was harmed.", basis=DIAGNOSIS)]
    items: list[Item] = []
    least = "at least " if any(loss.is_least for loss in losses) else ""
    known = bool(losses) and all(each is not None for each in times)
    if known and count:
        lost = f"{least}{format_hours(hours * count, word)} of work lost, on {count} {word}{'s' if count > 1 else ''}"
        items.append(Said(lost, (*(loss.run.steps.last_source for loss in losses[:3]), *sources)))
    else:
        items.append(Blank("gpu-hours", "GPU-hours lost"))
    if known and count and rates.usd_per_gpu_hour is not None:
        price = rates.usd_per_gpu_hour
        each = "" if word == "GPU" else ", one GPU a rank"
        said = f"{least}{hours * count * price:.2f} USD at {price:.2f} USD per GPU-hour{each}"
        items.append(Said(said, basis="the given rate"))
    else:
        items.append(Blank("cost", "what it cost, and at which rate"))
    items.append(Blank("impact-people", "who waited for it, and what it delayed"))
    return items
