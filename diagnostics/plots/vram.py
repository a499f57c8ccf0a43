"""Who owns the memory of each GPU, and how much nobody owns."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ..evidence.gpu import GpuProcess, GpuStatus
from ..incident import Incident

if TYPE_CHECKING:
    from .canvas import Picture

TITLE = "GPU memory by owner"
SLACK_MIB = 700.0  # what the driver and an empty context take; less than this needs no owner


class Share(NamedTuple):
    """A part of one GPU's memory: `kind` is "process", "vanished", "nobody" or "free"."""

    kind: str
    owner: str
    mib: float


def shares(incident: Incident) -> dict[int, list[Share]]:
    """The memory of every GPU by owner, as last seen.

    "vanished": the driver names a process that no longer exists here; "nobody": in use, and no process of the
    list accounts for it.
    """
    last = {gpu.subject.gpu: gpu for gpu in incident.of(GpuStatus) if gpu.subject.gpu is not None}
    owners: dict[int, dict[int | None, GpuProcess]] = {}
    for process in incident.of(GpuProcess):
        if process.subject.gpu is not None:
            owners.setdefault(process.subject.gpu, {})[process.subject.pid] = process
    found: dict[int, list[Share]] = {}
    for gpu, status in sorted(last.items()):
        if status.memory_used_mib is None or status.memory_total_mib is None:
            continue
        mine = [_share(process) for process in owners.get(gpu, {}).values() if process.memory_mib]
        unowned = status.memory_used_mib - sum(share.mib for share in mine)
        if unowned > SLACK_MIB:
            mine.append(Share("nobody", "nobody", unowned))
        free = status.memory_total_mib - status.memory_used_mib
        found[gpu] = [*mine, Share("free", "free", max(free, 0.0))]
    return found


def _share(process: GpuProcess) -> Share:
    vanished = "not found" in process.name.lower()
    return Share(
        "vanished" if vanished else "process", f"{process.name} {process.subject.pid}", process.memory_mib or 0
    )


def plot_vram(incident: Incident) -> Picture:
    """A bar per GPU, split by owner, in GiB."""
    from .canvas import BLUE, PALE, VERMILLION, YELLOW, label, nothing, picture

    by_gpu = shares(incident)
    if not by_gpu:
        return nothing(TITLE, "no GPU tool's report of memory was read")
    looks = {"process": (BLUE, ""), "vanished": (YELLOW, "..."), "nobody": (VERMILLION, "///"), "free": (PALE, "")}
    named: set[str] = set()
    with picture(9.5, 1.4 + 0.42 * len(by_gpu)) as (figure, (axes,)):
        for row, (_, parts) in enumerate(by_gpu.items()):
            left = 0.0
            for part in parts:
                colour, hatch = looks[part.kind]
                axes.barh(
                    row,
                    part.mib / 1024,
                    0.66,
                    left=left / 1024,
                    color=colour,
                    hatch=hatch,
                    edgecolor="#404040",
                    linewidth=0.5,
                    label=part.kind if part.kind not in named else None,
                )
                named.add(part.kind)
                if part.kind != "free" and part.mib / 1024 > 8:
                    axes.text(
                        (left + part.mib / 2) / 1024,
                        row,
                        label(f"{part.owner}, {part.mib / 1024:.1f} GiB", 40),
                        ha="center",
                        va="center",
                        fontsize=8,
                        bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.0},
                    )
                left += part.mib
        axes.set_yticks(range(len(by_gpu)), [f"GPU {gpu}" for gpu in by_gpu])
        axes.set_ylim(len(by_gpu) - 0.5, -0.5)
        axes.set_xlabel("GiB")
        axes.set_title(TITLE)
        axes.legend(loc="upper left", bbox_to_anchor=(1, 1), borderaxespad=0.2)
        lost = sum(part.mib for parts in by_gpu.values() for part in parts if part.kind in ("nobody", "vanished"))
        figure.says = f"{len(by_gpu)} GPUs, {lost / 1024:.1f} GiB in use that no living process owns"
    return figure
