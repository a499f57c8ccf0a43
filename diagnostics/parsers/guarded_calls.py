"""Calls that a piece of a training script makes on one rank alone: what stands below a test of the rank.

    1323: if accelerator.is_main_process and global_step % args.checkpointing_steps == 0:
    1325:     accelerator.save_state(save_path)

    if self.world_rank == 0:
        self.log("val/ap", ap, sync_dist=True)

Each call's bare name is told. A test for the others (rank != 0) guards as well; a line of a log is none of code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Source
from ..evidence.job import SettingSeen
from ..footprint import footprint_of
from ..text import Text
from . import Parser

# 31     if rank == 0:
NUMBERED = r"^(?:\s{0,6}\d{1,6}[:|]?(?=\s))?"
GUARD = re.compile(
    NUMBERED
    + r"(?P<indent>\s{0,60})(?:el)?if (?=[^#\n]{0,200}(?:\b(?:is_main_process|is_global_zero|is_rank_zero|is_master|is_chief|is_local_main_process|is_world_process_zero)\b"
    r"|\b(?:\w{1,20}[._])?rank(?:\(\))?\s?(?:==|!=|>)\s?0\b|\bget_rank\(\)\s?(?:==|!=|>)\s?0\b))[^#\n]{1,200}:\s{0,4}(?P<rest>[^#\n]{0,200})(?:#.{0,200})?$"
)
CODE = re.compile(NUMBERED + r"(?P<indent>\s{0,60})(?P<body>\S.{0,300})$")
CALL = re.compile(r"(?<![\w])(?P<name>[A-Za-z_]\w{1,60})\(")
NO_CALLS = frozenset(
    "print range len str int float isinstance super join format info warning debug open makedirs exists".split()
)
FEW_LINES = 12


def read(text: Text) -> Iterator[SettingSeen]:
    told: set[str] = set()
    for line in text.lines():
        found = GUARD.match(line.text[:600])
        if not found:
            continue
        inside = [(line, found["rest"])]
        for below in text.after(line, FEW_LINES):
            code = CODE.match(below.text[:400])
            if not code or len(code["indent"].expandtabs()) <= len(found["indent"].expandtabs()):
                break
            inside.append((below, code["body"]))
        for each, body in inside:
            for call in CALL.finditer(body):
                if call["name"] not in NO_CALLS and call["name"] not in told:
                    told.add(call["name"])
                    source = Source(text.name, each.number, each.quote)
                    yield SettingSeen(source=source, name="called on one rank", value=call["name"])


PARSER = Parser(
    tool="a script's calls on one rank",
    medium="settings",
    footprint=footprint_of(GUARD),
    read=read,
)
