"""Calls that a piece of a training script makes on one rank alone: what stands below a test of the rank.

    1323: if accelerator.is_main_process and global_step % args.checkpointing_steps == 0:
    1325:     accelerator.save_state(save_path)

    if self.world_rank == 0:
        self.log("val/ap", ap, sync_dist=True)

Each call's bare name is told. A test for the others (rank != 0) guards as well; a line of a log is none of code. What
the other ranks call too, in the branch below or under a test of their own, is not told. A number of steps that the
test, or one around it, names (step % 500 == 0) is told as `called on one rank every`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from ..evidence import Source
from ..evidence.job import SettingSeen
from ..footprint import footprint_of
from ..text import Line, Text
from . import Parser

# 31     if rank == 0:
NUMBERED = r"^(?:\s{0,6}\d{1,6}[:|]?(?=\s))?"
GUARD = re.compile(
    NUMBERED + r"(?P<indent>\s{0,60})(?:el)?if (?=[^#\n]{0,200}"
    r"(?:\b(?:is_main_process|is_global_zero|is_rank_zero|is_master|is_chief|is_local_main_process"
    r"|is_world_process_zero)\b"
    r"|\b(?:\w{1,20}[._])?rank(?:\(\))?\s?(?:==|!=|>)\s?0\b"
    r"|\bget_rank\(\)\s?(?:==|!=|>)\s?0\b))[^#\n]{1,200}:\s{0,4}(?P<rest>[^#\n]{0,200})(?:#.{0,200})?$"
)
CODE = re.compile(NUMBERED + r"(?P<indent>\s{0,60})(?P<body>\S.{0,300})$")
CALL = re.compile(r"(?<![\w])(?P<name>[A-Za-z_]\w{1,60})\(")
NO_CALLS = frozenset(
    "print range len str int float isinstance super join format info warning debug open makedirs exists".split()
)
FEW_LINES, BRANCH = 12, 60  # lines of which the calls are told, and in which the other branch may begin
ELSE = re.compile(NUMBERED + r"(?P<indent>\s{0,60})else:\s{0,4}(?P<rest>[^#\n]{0,200})(?:#.{0,200})?$")
# if global_step % 500 == 0:
EVERY = re.compile(NUMBERED + r"(?P<indent>\s{0,60})(?:el)?if [^#\n]{1,200}% ?(?P<steps>\d{1,7})\)? ?== ?0\b")
OF_OTHERS = re.compile(r"\bnot (?:\w{1,20}\.){0,4}is_|rank(?:\(\))?\s?(?:!=|>)\s?0\b")


def read(text: Text) -> Iterator[SettingSeen]:
    calls: dict[str, Line] = {}
    every: list[tuple[Line, str, str]] = []
    sides: dict[str, set[bool]] = defaultdict(set)
    around: re.Match[str] | None = None
    for line in text.lines():
        found = GUARD.match(line.text[:600])
        around = EVERY.match(line.text[:600]) or (around if around and _is_inside(line, around) else None)
        if around and found and _depth(around) <= _depth(found):
            every.append((line, "called on one rank every", around["steps"]))
            around = None
        if not found:
            continue
        first = OF_OTHERS.search(line.text[:600]) is None
        below = list(text.after(line, BRANCH))
        inside = _inside(found["indent"], below)
        end = below[len(inside)] if len(inside) < len(below) else None
        other = ELSE.match(end.text[:400]) if end else None
        for each, body in ((line, found["rest"]), *inside[:FEW_LINES]):
            for call in CALL.finditer(body):
                if call["name"] not in NO_CALLS:
                    calls.setdefault(call["name"], each)
                    sides[call["name"]].add(first)
        if end and other and other["indent"].expandtabs() == found["indent"].expandtabs():
            branch = [other["rest"], *(body for _, body in _inside(other["indent"], text.after(end, BRANCH)))]
            for call in (call for body in branch for call in CALL.finditer(body)):
                sides[call["name"]].add(not first)
    told = [(line, "called on one rank", call) for call, line in calls.items() if len(sides[call]) == 1]
    for line, name, value in sorted([*every, *told], key=lambda each: each[0].number):
        yield SettingSeen(source=Source(text.name, line.number, line.quote), name=name, value=value)


def _depth(found: re.Match[str]) -> int:
    return len(found["indent"].expandtabs())


def _is_inside(line: Line, around: re.Match[str]) -> bool:
    code = CODE.match(line.text[:400])
    return code is None or _depth(code) > _depth(around)


def _inside(indent: str, below: Iterable[Line]) -> list[tuple[Line, str]]:
    """The lines that stand deeper than an indent, up to the first that does not."""
    inside = []
    for line in below:
        code = CODE.match(line.text[:400])
        if line.text.strip() and (not code or _depth(code) <= len(indent.expandtabs())):
            break
        inside.append((line, code["body"] if code else ""))
    return inside


PARSER = Parser(
    tool="a script's calls on one rank",
    medium="settings",
    footprint=footprint_of(GUARD),
    read=read,
)
