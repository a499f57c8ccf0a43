"""Tables of trials with a heading: rows with their outcome last, grids of outcomes, and what was measured.

    card  machine  slot   result
    A     m1       3b     CUDA error: unspecified launch failure
    B     m1       3b     20/20 runs ok

    node    idle 24 h   full load          power bar
    z1-1    ok          ok                 PDU-A
    z1-2    ok          reboots in 4 min   PDU-B

    workers   mode    time to step 1
    0         eager   2.1 s
    4         eager   hangs

    Metric          Expected    Actual
    AllReduce 1GB   50 ms       370 ms

    cluster  op         size  busbw(GB/s)
    A        AllReduce  1GB   5.1
    B        AllReduce  1GB   25.4

    start method: fork
    job    n31 in the job   outcome
    8812   yes              hangs
    8813   no               clean, 400 steps

    parent reads the bucket before it forks   child reads the bucket
    no                                        returns
    yes                                       never returns

    run   hosts                        load until hang
    41    14 hosts + n12               6 min
    42    n12 replaced by n77          none in 9 h 20 min

The last but one is a table of one switch, which a title may head. A row's condition is made of the names of the columns
and what stands in them. Under a heading with two or more columns of outcomes each cell is a trial of its row under its
column. Rows whose outcome is none of the known words are skipped. Of what was measured, less than half of what was
expected, or of the best, is slow.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence.people import Trial
from ..places import SITES
from ..rates import speed
from ..text import Line, Text
from . import Parser
from ._trial_words import FEWEST_ROWS, OUTCOME, SAID, outcome_of, pace, short_lines, trial

# card  machine  slot   result
HEADING = re.compile(
    r"^(?:[A-Za-z][\w ,/-]{0,30}?[ \t]{2,40}){1,6}(?:results?|outcome|status|verdict)[ \t]{0,40}$", re.I
)
CELLS = re.compile(r"[ \t]{2,}")
# what the first column of a grid tells apart, where a bare "A" would not say
SITE = re.compile(rf"(?:{SITES})$", re.I)
LASTED = re.compile(r"^~?\d{1,6}(?:\.\d{1,4})? ?(?:m?s|sec(?:onds?)?|min(?:utes?)?|h)$", re.I)
# busbw(GB/s)      bandwidth [Gbit/s]      time(ms)      ~25 GB/s      370 ms
MEASURED = re.compile(r"^[\w ]{1,30}[(\[](?:(?P<rate>[GMK]i?B(?:/s|ps)|[GM]bit/s|[GM]bps)|m?s|us|sec)[)\]]$", re.I)
AMOUNT = re.compile(
    r"^~?(?P<value>\d{1,9}(?:\.\d{1,6})?) ?(?P<unit>[GMK]i?B(?:/s|ps)|[GM]bit/s|[GM]bps|m?s|us|sec)$", re.I
)
NUMBER = re.compile(r"~?(\d{1,9}(?:\.\d{1,6})?)")
# parent reads the bucket before it forks      yes (once)
SENTENCE = re.compile(r"^[A-Za-z]\S{1,30}(?: \S{1,40}){2,12}$")
SWITCHED = re.compile(r"^(?:yes|no|on|off|true|false|with|without|enabled|disabled)\b", re.I)
# gb-n14 in allocation: no        n3 took part: -
LEFT_OUT = re.compile(
    r"^[a-z][\w.-]{0,40}\d[\w.-]{0,20} (?:in (?:the )?(?:allocation|job|set|run)|took part|used|included|present) "
    r"(?:no|not|without|-|absent)\b",
    re.I,
)
# full load until freeze      time to the first crash
UNTIL = re.compile(
    r"\b(?:until|till|before|(?:time|hours|minutes|steps) to) (?:(?:the|a|it) )?(?:first )?"
    r"(?P<end>freezes?|hangs?|stalls?|crash(?:es)?|fail(?:s|ures?)?|errors?|faults?|nan|xid)$",
    re.I,
)
CAME = re.compile(r"[<~]? ?\d{1,6}(?:\.\d{1,3})? ?(?:s|sec|min|minutes?|h|hours?|days?|steps?|iterations?)\b", re.I)
CAME_NOT = re.compile(r"(?:none|never|no \w{1,12})\b(?: (?:in|after|within|for) .{1,40})?$|> ?\d", re.I)
HOPED = re.compile(r"(?:expected|expectation|target|reference|theoretical|should be|spec|nominal)$", re.I)
GOT = re.compile(r"(?:actual|measured|observed|got|real|now|found)$", re.I)


def read(text: Text) -> Iterator[Trial]:
    for reader in (_under_a_heading, _until, _grid, _last_column, _switch, _measured):
        if rows := list(reader(text)):
            yield from rows if len(rows) >= FEWEST_ROWS else ()
            return


def _under_a_heading(text: Text) -> Iterator[Trial]:
    names: list[str] = []
    for line in short_lines(text):
        if HEADING.match(line.text):
            names = CELLS.split(line.text.strip())
            continue
        cells = CELLS.split(line.text.strip(), maxsplit=max(len(names) - 1, 0))
        if len(cells) == len(names):
            if _says_outcome(cells[-1]):
                yield trial(text, line, _condition(names, cells), cells[-1], outcome_of(cells[-1]))
        elif line.text.strip():
            names = []


def _until(text: Text) -> Iterator[Trial]:
    """A table that says in one column how long it took until it failed, and where it did not."""
    heading, body = _table(text)
    column, end = next(
        ((at, found["end"]) for at, name in enumerate(heading) if (found := UNTIL.search(name))), (0, "")
    )
    told = [bool(CAME.match(cells[column])) for _, cells in body]
    if not end or not 0 < sum(told) < len(body):
        return
    if not all(came or CAME_NOT.match(cells[column]) for came, (_, cells) in zip(told, body, strict=True)):
        return
    for came, (line, cells) in zip(told, body, strict=True):
        rest = [f"{name} {cell}" for name, cell in zip(heading, cells, strict=True) if cell not in (cells[column], "-")]
        yield trial(text, line, " ".join(rest), f"{end} {cells[column]}", outcome_of(end) if came else "ok")


def _table(text: Text) -> tuple[list[str], list[tuple[Line, list[str]]]]:
    """The cells of the heading and of the rows; nothing where some row has more or fewer than the heading."""
    rows = [(line, CELLS.split(line.text.strip())) for line in short_lines(text)]
    rows = [(line, cells) for line, cells in rows if any(cells)]
    even = len(rows) > FEWEST_ROWS and len({len(cells) for _, cells in rows}) == 1
    return (rows[0][1], rows[1:]) if even else ([], [])


def _grid(text: Text) -> Iterator[Trial]:
    """A table in which several columns say how it went."""
    heading, body = _table(text)
    if len(heading) < 3:
        return
    said = [all(_says_outcome(cells[column]) for _, cells in body) for column in range(len(heading))]
    if sum(said) < FEWEST_ROWS or said[0]:
        return
    for line, cells in body:
        for column, name in enumerate(heading):
            if said[column]:
                where = f"{heading[0]} {cells[0]}" if SITE.match(heading[0]) else cells[0]
                yield trial(text, line, f"{where} {name}", cells[column], outcome_of(cells[column]))


def _last_column(text: Text) -> Iterator[Trial]:
    """A table whose last column says how long each trial took, or that it came to nothing."""
    heading, body = _table(text)
    if len(heading) < 2:
        return
    ill = [_says_outcome(cells[-1]) for _, cells in body]
    told = all(bad or LASTED.match(cells[-1]) for bad, (_, cells) in zip(ill, body, strict=True))
    if not told or not 0 < sum(ill) < len(body):
        return
    for bad, (line, cells) in zip(ill, body, strict=True):
        yield trial(text, line, _condition(heading, cells), cells[-1], outcome_of(cells[-1]) if bad else "ok")


def _switch(text: Text) -> Iterator[Trial]:
    """A table of two columns: what was switched, which its heading says in words, and how it went."""
    rows = [(line, CELLS.split(line.text.strip())) for line in short_lines(text) if line.text.strip()]
    if rows and len(rows[0][1]) == 1:
        rows = rows[1:]
    even = len(rows) > FEWEST_ROWS and all(len(cells) == 2 for _, cells in rows)
    if not even or not SENTENCE.match(rows[0][1][0]):
        return
    (_, heading), *body = rows
    if all(SWITCHED.match(cells[0]) and _says_outcome(cells[1]) for _, cells in body):
        outcomes = [outcome_of(cells[1]) for _, cells in body]
        for outcome, (line, cells) in zip(outcomes, body, strict=True) if len(set(outcomes)) > 1 else ():
            yield trial(text, line, f"{heading[0]} {cells[0]}", f"{heading[1]} {cells[1]}", outcome)


def _measured(text: Text) -> Iterator[Trial]:
    """A table of what was measured against what was expected, or of one piece of work measured at several places."""
    heading, body = _table(text)
    hoped = next((column for column, name in enumerate(heading) if HOPED.match(name)), None)
    got = next((column for column, name in enumerate(heading) if GOT.match(name)), None)
    if hoped is None or got is None:
        yield from _at_sites(text, heading, body)
        return
    for line, cells in body:
        pair = AMOUNT.match(cells[hoped]), AMOUNT.match(cells[got])
        if pair[0] and pair[1] and pair[0]["unit"].lower() == pair[1]["unit"].lower():
            best, reached = (speed(float(each["value"]), each["unit"]) for each in pair if each)
            yield trial(text, line, f"{cells[0]} {heading[hoped]}", cells[hoped], "ok")
            yield trial(text, line, f"{cells[0]} {heading[got]}", cells[got], pace(reached, best))


def _at_sites(text: Text, heading: list[str], body: list[tuple[Line, list[str]]]) -> Iterator[Trial]:
    last = MEASURED.match(heading[-1]) if len(heading) > 2 else None
    work = [column for column, name in enumerate(heading) if column and not MEASURED.match(name)]
    if not last or not SITE.match(heading[0]) or len({tuple(cells[each] for each in work) for _, cells in body}) > 1:
        return
    numbers = [NUMBER.fullmatch(cells[-1]) for _, cells in body]
    speeds = [speed(float(each[1]), last["rate"] or "s") for each in numbers if each]
    for (line, cells), reached in zip(body, speeds, strict=True) if len(speeds) == len(body) else ():
        condition = " ".join((heading[0], *cells[:1], *(cells[each] for each in work), heading[-1]))
        yield trial(text, line, condition, cells[-1], pace(reached, max(speeds)))


def _says_outcome(cell: str) -> bool:
    return OUTCOME.match(f": {cell}", 2) is not None


def _condition(heading: list[str], cells: list[str]) -> str:
    named = zip(heading[:-1], cells[:-1], strict=True)
    return " ".join(f"without {name}" if LEFT_OUT.match(f"{name} {cell}") else f"{name} {cell}" for name, cell in named)


PARSER = Parser(
    tool="a table of trials with a heading",
    medium="trials",
    footprint=(
        rf"(?i)[ \t]{{2}}{SAID}|{HEADING.pattern}"
        r"|^\S[^\n]{0,60}[ \t]{2}(?:expected|target|reference|theoretical)[ \t]{2,40}"
        r"(?:actual|measured|observed)[ \t]{0,20}$"
        rf"|{UNTIL.pattern.removesuffix('$')}(?:[ \t]{{2}}|$)"
        rf"|^(?:{SITES})[ \t]{{2}}[^\n]{{1,100}}(?:GB|MB|[GM]bit)/s[)\]]$"
    ),
    read=read,
)
