"""A rank that the world it is to join does not have, in a call or a command that says both numbers.

    dist.init_process_group(backend='nccl', init_method=opt.dist_url, world_size=1, rank=1)
    torchrun --nnodes=2 --node_rank=2 --nproc_per_node=8 train.py

Ranks count from 0. A rank within its world says nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Severity, Source
from ..evidence.collective import WorldMismatch
from ..footprint import footprint_of
from ..text import Text
from . import Parser

# world_size=1, rank=1
CALL = re.compile(
    r"\bworld_size ?[=:] ?(?P<size>\d{1,6})\b[^\n]{0,80}?\brank ?[=:] ?(?P<rank>\d{1,6})\b"
    r"|\brank ?[=:] ?(?P<rank2>\d{1,6})\b[^\n]{0,80}?\bworld_size ?[=:] ?(?P<size2>\d{1,6})\b"
)
# --nnodes=2 --node_rank=2      --num_machines 2 --machine_rank 2
COMMAND = re.compile(
    r"--(?:nnodes|num_machines)[= ](?P<size>\d{1,6})\b(?!:)[^\n]{0,300}?--(?:node[_-]rank|machine[_-]rank)[= ]"
    r"(?P<rank>\d{1,6})\b"
    r"|--(?:node[_-]rank|machine[_-]rank)[= ](?P<rank2>\d{1,6})\b[^\n]{0,300}?--(?:nnodes|num_machines)[= ]"
    r"(?P<size2>\d{1,6})\b(?!:)"
)


def read(text: Text) -> Iterator[WorldMismatch]:
    told: set[tuple[int, int]] = set()
    for line in text.matching(PARSER.pattern):
        found = CALL.search(line.text[:2000]) or COMMAND.search(line.text[:2000])
        if not found:
            continue
        size, rank = int(found["size"] or found["size2"]), int(found["rank"] or found["rank2"])
        if rank >= size > 0 and (size, rank) not in told:
            told.add((size, rank))
            source = Source(text.name, line.number, line.quote)
            yield WorldMismatch(source=source, severity=Severity.CRITICAL, world_size=size, rank=rank)


PARSER = Parser(tool="ranks and their world", medium="settings", footprint=footprint_of(CALL, COMMAND), read=read)
