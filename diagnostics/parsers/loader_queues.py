"""How full the queue between a loader and its trainer is.

step 41034 loss 2.121 3.04 s/step loader queue 9/32
I0316 09:00:59.149740  2416 blocking_queue.cpp:50] Data layer prefetch queue empty
[0821 10:11:12 @monitor.py:467] QueueInput/queue_size: 0.4312
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Evidence
from ..evidence.training import LoaderQueue
from ..footprint import footprint_of
from ..text import Text
from . import Parser
from ._job_lines import messages

OF = re.compile(
    r"(?i)\b(?:data|loader|dataloader|prefetch|batch|input)(?:[ _]\w{1,12})?[ _](?:queue|buffer)"
    r"(?: size| depth)?[ :=]{1,3}(\d{1,6}) ?/ ?(\d{1,6})\b"
)
EMPTY = re.compile(
    r"(?i)\b(?:data|loader|dataloader|prefetch|batch)(?:[ _]\w{1,12}){0,2}[ _](?:queue|buffer)(?: is|:)? "
    r"(?:empty|drained|starved)\b"
)
TENSORPACK = re.compile(r"\bQueueInput/queue_size: (\d{1,6}(?:\.\d{1,6})?)")


def read(text: Text) -> Iterator[Evidence]:
    for message in messages(text, PARSER.pattern):
        if found := OF.search(message.text):
            yield LoaderQueue(**message.facts(text), held=float(found[1]), size=int(found[2]))
        elif EMPTY.search(message.text):
            yield LoaderQueue(**message.facts(text), held=0.0)
        elif found := TENSORPACK.search(message.text):
            yield LoaderQueue(**message.facts(text), held=float(found[1]))


PARSER = Parser(
    tool="a loader's queue",
    medium="job-log",
    footprint=footprint_of(OF, EMPTY, TENSORPACK),
    read=read,
)
