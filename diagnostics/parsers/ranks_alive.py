"""Which ranks of a job are still alive, as somebody lists them: a row or a line for each.

    host   rank   pid    alive   last line
    n04    0      3310   yes     11:02:40 step 512
    n05    1      3307   no      11:02:37 step 511

    rank 0 (n04, pid 3310): running
    rank 1 (n05, pid 3307): gone, last line 11:02:37 step 511

Read is the one rank that is gone while others live. Where several are gone nothing says which was first, and one whose
last word is that it has finished did what it should.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ..evidence import Severity, Source, Subject
from ..evidence.supervisor import ProcessEnded
from ..footprint import footprint_of
from ..text import Line, Text, whole_number
from . import Parser

_LIVES = r"yes|y|alive|running|up|true|present|waiting|hung|stuck"
_GONE = (
    r"no|n|dead|gone|exited|died|killed|down|false|missing|absent|not running|no longer running|no (?:such )?process"
)
# host   rank   pid    alive   last line
HEADING = re.compile(
    r"^\s{0,8}\|?\s{0,4}(?=[^\n]{0,80}\brank\b)(?:\w{1,20}[ \t|]{1,20}){1,8}"
    r"(?:alive|running|up|state|status|process)\??(?=[ \t|]|$)",
    re.I,
)
# rank 1 (n05, pid 3307): gone      rank=1 host=n05 pid=3307 alive=no
SAID = re.compile(
    r"^\s{0,8}[-*]?\s{0,2}\[?rank[ =:]?(?P<rank>\d{1,6})\]?(?: ?\((?P<who>[^()\n]{1,80})\))?"
    r"(?P<more>(?: {1,4}(?:host|node|pid)[ =:]\S{1,80}){0,2})[ :=,|-]{1,4}(?:is |process (?:is )?)?"
    rf"(?:alive[=: ]{{1,2}}(?:(?P<yes>{_LIVES})|(?P<no>{_GONE}))|(?P<lives>alive|running|up|hung|stuck)"
    r"|(?P<gone>dead|gone|exited|died|killed|down|not running|no longer running|no (?:such )?process))"
    r"(?=\s{0,8}$|\s?[,;.(]|\s-)",
    re.I,
)
LIVES, GONE = re.compile(rf"(?:{_LIVES})$", re.I), re.compile(rf"(?:{_GONE})$", re.I)
HOST = re.compile(r"\b(?:host|node)[ =:](\S{1,80})|^([A-Za-z][\w.-]{1,60})(?=,|$)")
PID = re.compile(r"\bpid[ =:]{1,2}(\d{1,8})\b", re.I)
ENDED_WELL = re.compile(
    r"\b(?:training|run|job|all steps) (?:is |was )?(?:finished|complete[d]?|done)\b|\bfinished\b"
    r"|\bexit(?:ed)?(?: with)?(?: code| status)?[ (=:]{1,2}0\b",
    re.I,
)
MOST = 5000  # rows of one list


class Rank(NamedTuple):
    """What a list says of one rank."""

    line: Line
    rank: int
    lives: bool
    host: str | None
    pid: int | None


def read(text: Text) -> Iterator[ProcessEnded]:
    ranks = {each.rank: each for each in (*_rows(text), *_lines(text))}
    gone = [each for each in ranks.values() if not each.lives]
    if len(gone) != 1 or len(ranks) < 2 or ENDED_WELL.search(gone[0].line.text[:500]):
        return
    one = gone[0]
    yield ProcessEnded(
        source=Source(text.name, one.line.number, one.line.quote),
        subject=Subject(rank=one.rank, host=one.host, pid=one.pid),
        severity=Severity.CRITICAL,
        status=None,
        text=one.line.text.strip()[:500],
    )


def _rows(text: Text) -> Iterator[Rank]:
    """The rows below a heading, whose first columns are single words."""
    for heading in text.matching(HEADING):
        found = HEADING.match(heading.text[:300])
        names = _words(found[0]) if found else []
        for line in text.after(heading, MOST) if "rank" in names else ():
            cells = dict(zip(names, _words(line.text[:500]), strict=False))
            rank, state = whole_number(cells.get("rank", "")), cells.get(names[-1], "")
            if rank is None or not (LIVES.match(state) or GONE.match(state)):
                break
            host = cells.get("host") or cells.get("node")
            yield Rank(line, rank, LIVES.match(state) is not None, host, whole_number(cells.get("pid", "")))


def _words(row: str) -> list[str]:
    return row.replace("|", " ").lower().rstrip("?").split()


def _lines(text: Text) -> Iterator[Rank]:
    for line in text.matching(SAID):
        if found := SAID.match(line.text[:300]):
            who = f"{found['who'] or ''}{found['more'] or ''}"
            host, pid = HOST.search(who.strip()), PID.search(who)
            yield Rank(
                line,
                int(found["rank"]),
                (found["lives"] or found["yes"]) is not None,
                (host[1] or host[2]) if host else None,
                int(pid[1]) if pid else None,
            )


PARSER = Parser(tool="ranks that are alive", medium="notes", footprint=footprint_of(HEADING, SAID), read=read)
