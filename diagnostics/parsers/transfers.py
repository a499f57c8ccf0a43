"""How much was read, written or copied in how long, as jobs and people write it.

    process 117: waiting for next batch (read 214 MB in 328 s)
    Copied 4.2 GiB in 611 seconds

Less than 64 MiB or than five seconds measures no volume, and a download measures the way to its server.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..durations import seconds
from ..evidence import Evidence
from ..evidence.network import Benchmark
from ..footprint import footprint_of
from ..sizes import size_bytes
from ..text import Text
from . import Parser
from ._job_lines import messages

_SIZE = r"(\d{1,12}(?:\.\d{1,6})?) ?([KMGT])i?B\b"
MOVED = re.compile(
    rf"(?i)\b(read|loaded|wrote|written|saved|copied|synced|transferred):? {_SIZE}.{{0,80}}? in:? "
    rf"(\d{{1,9}}(?:\.\d{{1,6}})? ?(?:s|secs?|seconds?|min|minutes?|h|hours?)\b)"
)
NAMES = {
    "loaded": "read",
    "wrote": "write",
    "written": "write",
    "saved": "write",
    "synced": "copy",
    "copied": "copy",
    "transferred": "copy",
}
LEAST_BYTES, LEAST_S = 64 << 20, 5.0


def read(text: Text) -> Iterator[Evidence]:
    for message in messages(text, PARSER.pattern):
        found = MOVED.search(message.text)
        size = size_bytes(found[2] + found[3].upper(), 1) if found else None
        lasted = seconds(found[4]) if found else None
        if found and size and lasted and size >= LEAST_BYTES and lasted >= LEAST_S:
            verb = found[1].lower()
            yield Benchmark(
                **message.facts(text, host=None), name=NAMES.get(verb, verb), value=size / lasted, unit="bytes/s"
            )


PARSER = Parser(
    tool="a transfer's line",
    medium="benchmarks",
    footprint=footprint_of(MOVED),
    read=read,
)
