"""PyTorch's NCCL flight recorder as JSON (the debug handler, TORCH_FR_DUMP as JSON, or a converted pickle).

    {"version": "2.9", "pg_config": {...}, "pg_status": {...}, "entries": [{"collective_seq_id": 42806, ...}]}

The same facts as of the pickle.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from ..evidence.collective import CollectiveProgress
from ..text import Text
from . import Parser
from ._flight_recorder import progress


def read(text: Text) -> Iterator[CollectiveProgress]:
    try:
        dump = json.loads(text.plain.lstrip("\ufeff"))
    except (ValueError, RecursionError):
        return
    yield from progress(dump, text.name)


PARSER = Parser(
    tool="NCCL flight recorder (JSON)",
    medium="collectives",
    footprint=r'"(pg_config|pg_status|collective_seq_id|last_enqueued_collective)"[ \t]*:',
    read=read,
)
