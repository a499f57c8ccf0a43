"""PyTorch's NCCL flight recorder, one dump a rank, as the pickle that a time-out leaves.

    /tmp/nccl_trace_rank_12

Every process group of the dump is one fact: how far this rank came in it. Which ranks never joined can only
be said when the dumps are compared. The pickle is read as plain data; one that is more is refused and reported.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence.collective import CollectiveProgress
from ..text import Text
from . import Parser
from ._flight_recorder import progress
from ._plain_pickle import NotPlain, load_plain


def read(text: Text) -> Iterator[CollectiveProgress]:
    try:
        dump = load_plain(text.data)
    except NotPlain:
        return  # reported by the parser of pickles
    yield from progress(dump, text.name)


PARSER = Parser(
    tool="NCCL flight recorder",
    medium="collectives",
    footprint=r"\A\x80[\x02-\x05](?s:.){0,60000}?(?:pg_config|pg_status|nccl_version|collective_seq_id|profiling_name)",
    read=read,
    binary=True,
)
