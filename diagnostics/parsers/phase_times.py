r"""How long a phase of a job takes: its own word, or a row that somebody measured.

    Getting full model state dict took 812.41 secs
    checkpoint done after 898 s
    [rank 0] val 28/30 elapsed 3577 s
    global_step_400 sync write, detector off : 11m09s, 16 of 16 shards complete

A line that speaks of a limit, a time-out or a wait tells how long somebody waited, and one of a pace how long a step
takes: neither is read. The first call of what is compiled takes more than the compilation: `first_calls` reads it where
it is known how much.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..durations import seconds
from ..evidence.training import PhaseTook
from ..footprint import footprint_of
from ..text import Text
from . import Parser
from ._job_lines import Words, messages
from .first_calls import read as first_calls

PHASES = (
    ("save", "sav(?:e|ing)|checkpoint(?:ing)?|ckpt|(?:sync|async|checkpoint|shards?) write|consolidated"
        "|consolidating|export(?:ing|ed)?|full model state dict"),
    ("evaluation", r"evaluat\w{2,4}|eval|validat\w{2,4}|val"),
    ("compile", r"compil\w{1,6}|autotun\w{1,4}|first call|jit"),
    ("preprocess", r"preprocess\w{0,3}|tokeniz\w{1,5}|packing|indexing"),
    ("load", r"load(?:ing|ed)?|\w{0,20}load_weights"),
)  # fmt: skip
ANY = "|".join(words for _, words in PHASES)
# 812.41 secs     11m09s     3577 s     34 min     00:29:41
AMOUNT = (
    r"(?P<amount>\d{1,7}(?:\.\d{1,6})? ?(?:s|secs?|seconds?|min|mins|minutes?|h|hours?)|\d{1,4}m\d{1,2}s"
    r"|\d{1,3}h\d{1,2}m?|\d{1,3}:\d\d:\d\d)"
)
TOOK = re.compile(
    rf"(?i)^.{{0,160}}?(?<![\w.])(?P<phase>{ANY})(?![\w.=])[^|=]{{0,90}}?"
    rf"(?:\b(?:took|takes|in|after|elapsed|wall)[ =:]{{1,3}}|[^\s:] ?: |\w {{2,}})~?{AMOUNT}(?![\w/.:]|\s?/|\s?per\b)"
)
NO_PHASE = re.compile(
    r"(?i)time[sd]?[- ]?out|\blimit\b|\bwait|\bevery\b|\binterval\b|\bretry|\bage\b|\bago\b|\beta\b"
    r"|\blast (?:step|batch)\b|\bstep_time\b|\bper (?:step|batch|sample|shard|file)\b|\bkilled\b|\berror\b|\bfail"
    r"|\bno (?:output|progress)|\bstuck\b|\bhang"
)
BEFORE_HANG = re.compile(r"(?i)\b(?:hang|stall) ?(?:detector|monitor) off\b|\bdetector off\b")
SHORTEST_S = 20.0
INTERESTING = Words("took|takes|in |after|elapsed|wall|: |  ")


def read(text: Text) -> Iterator[PhaseTook]:
    told = {fact.source.line for fact in first_calls(text)}
    for message in messages(text, INTERESTING):
        said = message.text[:300]
        found = TOOK.match(said)
        if found is None or message.line.number in told or NO_PHASE.search(BEFORE_HANG.sub("", said)):
            continue
        took = seconds(found["amount"])
        if took is not None and took >= SHORTEST_S:
            yield PhaseTook(**message.facts(text), phase=_phase(found["phase"]), seconds=took, text=said)


def _phase(word: str) -> str:
    return next(name for name, words in PHASES if re.fullmatch(words, word, re.I))


PARSER = Parser(
    tool="times of phases",
    medium="notes",
    footprint=footprint_of(TOOK),
    read=read,
)
