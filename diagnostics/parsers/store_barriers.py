"""torch.distributed's barrier at the store, where it counts more workers than the world has.

    Waiting in store based barrier to initialize process group for rank: 2, key: store_based_barrier_key:1 (world_size=2, worker_count=3, timeout=0:30:00)

Fewer workers are on their way or missing, and say nothing here. The first line of each key is told.
"""  # noqa: E501

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Severity
from ..evidence.collective import WorldMismatch
from ..footprint import footprint_of
from ..text import Text
from . import Parser
from ._job_lines import Words, messages

COUNTED = re.compile(
    r"\bstore based barrier\b.{0,120}\brank: (?P<rank>\d{1,6}), key: (?P<key>\S{1,80}) \(world_size="
    r"(?P<world>\d{1,6}), worker_count=(?P<count>\d{1,6})\b"
)


def read(text: Text) -> Iterator[WorldMismatch]:
    told: set[str] = set()
    for message in messages(text, Words("store based barrier")):
        found = COUNTED.search(message.text)
        if found and found["key"] not in told and int(found["count"]) > int(found["world"]):
            told.add(found["key"])
            yield WorldMismatch(
                **message.facts(text),
                severity=Severity.CRITICAL,
                world_size=int(found["world"]),
                workers=int(found["count"]),
            )


PARSER = Parser(
    tool="torch.distributed's store barrier",
    medium="settings",
    footprint=footprint_of(COUNTED),
    read=read,
)
