"""Pictures of plain objects, one file each; every function returns a matplotlib figure that says what it shows.

They are deterministic, told apart without colour, and read no string of an incident as mathematics.
matplotlib is loaded by the first call.
"""

from __future__ import annotations

from .chain import plot_chain
from .checkpoints import plot_checkpoints
from .posterior import plot_posterior
from .probes import plot_latency, plot_write_ladder
from .throughput import plot_throughput
from .timeline import plot_timeline
from .vram import plot_vram
from .weights import plot_weights

__all__ = [
    "plot_chain",
    "plot_checkpoints",
    "plot_latency",
    "plot_posterior",
    "plot_throughput",
    "plot_timeline",
    "plot_vram",
    "plot_weights",
    "plot_write_ladder",
]
