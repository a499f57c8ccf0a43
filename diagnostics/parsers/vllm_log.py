"""vLLM's engine: its throughput lines.

    INFO 03-04 07:12:09 [loggers.py:127] Engine 000: Avg prompt throughput: 2210.4 tokens/s, Avg generation throughput: 96.2 tokens/s, Running: 1 reqs, Waiting: 0 reqs, GPU KV cache usage: 4.1%

Its workers' exceptions are read as Python's.
"""  # noqa: E501

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Evidence
from ..evidence.network import Benchmark
from ..footprint import footprint_of
from ..text import Text
from . import Parser
from ._job_lines import messages

RATE = re.compile(r"\bAvg (prompt|generation) throughput: (\d{1,12}(?:\.\d{1,6})?) tokens/s")
REQUESTS = re.compile(r"\b(Running|Waiting|Pending|Swapped): (\d{1,9}) reqs")


def read(text: Text) -> Iterator[Evidence]:
    for message in messages(text, RATE):
        for what, value in RATE.findall(message.text):
            yield Benchmark(**message.facts(text), name=f"{what} throughput", value=float(value), unit="tokens/s")
        for what, value in REQUESTS.findall(message.text):
            yield Benchmark(**message.facts(text), name=f"requests {what.lower()}", value=float(value), unit="requests")


PARSER = Parser(tool="vLLM", medium="job-log", footprint=footprint_of(RATE), read=read)
