"""The garbage collector of cycles, at rest while many facts are at work.

A large incident holds half a million small objects. Each full collection walks over all of them, and finds nothing:
facts and findings refer to what was there before them, so they form no cycles and are freed without it.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def no_collection() -> Iterator[None]:
    """Collect no cycles inside the block; afterwards the collector is as it was, whatever the block raised."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
