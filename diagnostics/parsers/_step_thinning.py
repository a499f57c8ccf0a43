"""Fewer rows of many steps: which may go, so that what is worked out from the others stays the same.

A run on one rank is cut into strides of equally many step lines, and the last row of each stays, with the number of
lines that it stands for as its "count"; a time between two rows is divided by it. Always kept are the first and last
`ENDS` rows, what a rule is likely to cite (the slowest steps by each measure) and the first value that is not finite.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

ENDS = 100  # rows


def thinned(columns: Mapping[str, Numbers], also: Iterable[int], stride: int) -> dict[str, Numbers]:
    """One row for each `stride` lines of one run on one rank, and those that are always kept, `also` among them."""
    import numpy as np

    until = np.cumsum(columns["count"], dtype=np.int64)
    keep = np.append(np.diff((until - 1) // stride) > 0, True)
    keep[:ENDS] = keep[-ENDS:] = True
    keep[[*cited(columns), *also]] = True
    return {name: column[keep] for name, column in columns.items()} | {
        "count": np.diff(until[keep], prepend=0).astype(float)
    }


def cited(columns: Mapping[str, Numbers]) -> Iterator[int]:
    """The rows that a rule is likely to cite: the first and last, and the slowest by each measure with the one
    before.
    """
    import numpy as np

    yield from (0, len(columns["line"]) - 1)
    gaps = np.diff(columns["seconds"], prepend=np.nan) / columns["count"]
    rate = columns.get("tokens_per_s")
    for slowness in (gaps, columns.get("step_s"), None if rate is None else -rate):
        if slowness is not None and not np.isnan(slowness).all():
            at = int(np.nanargmax(slowness))
            yield from (at, max(0, at - 1))
