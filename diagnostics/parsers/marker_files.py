"""Files by which processes tell each other that something is ready: who waits for one, and who made it.

    08:11:40   DEBUG Waiting for path '/scratch/run/broadcasts/step_96/READY'
    08:23:05    INFO Inference paused, wrote NCCL_READY for step 96
    [rank 3] waiting for file /ckpt/step_400/.done

A made file counts by its name, which must be a marker's: capitals with an underscore, or an ending such as .done.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence.training import MarkerFile
from ..footprint import footprint_of
from ..text import Text
from . import Parser
from ._job_lines import messages

# Waiting for path '/scratch/run/READY'      waiting for marker file /ckpt/.done to appear
WAITS = re.compile(
    r"(?i)\bwait(?:ing|s)? (?:for|until|on) (?:the )?"
    "(?:path|(?:marker |flag |sentinel |signal |ready |done )?file|marker|flag|sentinel)"
    r":? ['\"`]?(?P<path>(?=\S{0,400}[/_.]\w)[\w./-]{1,400}[\w-])"
)
_MARKER = (
    r"(?P<path>(?:[\w.-]{0,60}/){0,20}(?:[A-Z]{2,30}(?:_[A-Z0-9]{2,30}){1,4}|_SUCCESS"
    r"|[\w-]{0,60}\.(?:done|ready|complete|finished|flag|ok)))"
)
# wrote NCCL_READY for step 96      created /ckpt/step_400/.done
MADE = re.compile(
    r"\b(?:[Ww]rote|[Cc]reated|[Tt]ouched|[Pp]ublished|[Dd]ropped) (?:the )?"
    rf"(?:marker |flag |file |path ){{0,2}}['\"`]?{_MARKER}(?![\w/.])"
)
INTERESTING = re.compile(r"(?i)\bwait\w{0,3} (?:for|until|on) |\b(?:wrote|created|touched|published|dropped) ")


def read(text: Text) -> Iterator[MarkerFile]:
    for message in messages(text, INTERESTING):
        for edge, pattern in (("awaited", WAITS), ("made", MADE)):
            if found := pattern.search(message.text):
                path = found["path"]
                yield MarkerFile(**message.facts(text, path=path), name=path.rpartition("/")[2], edge=edge)
                break


PARSER = Parser(
    tool="marker files in job logs",
    medium="job-log",
    footprint=footprint_of(WAITS, MADE),
    read=read,
)
