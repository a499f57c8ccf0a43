r"""Tables of trials, as people write them down while they narrow a fault.

    1 node  x 8 GPU : ok
    3+ nodes x 8 GPU: hang
    nodes=40 layers=40 100B   hang after iteration 1
    GPU 0 RTX 3090 under load      : host off at once

    card  machine  slot   result
    A     m1       3b     CUDA error: unspecified launch failure
    B     m1       3b     20/20 runs ok

    --data_dir=/share/imagenet     311 images/sec
    synthetic data               : 1606 images/sec throughout

    cuda:0 -> cpu -> cuda:1   equal: True
    cuda:0 -> cuda:1          equal: False

    node    idle 24 h   full load          power bar
    z1-1    ok          ok                 PDU-A
    z1-2    ok          reboots in 4 min   PDU-B

    Metric          Expected    Actual
    AllReduce 1GB   50 ms       370 ms

    cluster  op         size  busbw(GB/s)
    A        AllReduce  1GB   5.1
    B        AllReduce  1GB   25.4

    1 node          : samples_per_second_per_gpu 30
    2 nodes         : samples_per_second_per_gpu 10

Under a heading with two or more columns of outcomes each cell is a trial of its row under its column.
Of rates, one below half of the best is slow, and the others are well. Rows of steps and of ranks are no conditions.

With a heading, a row's condition is made of the names of the columns and what stands in them. A row is a short condition and an outcome in plain words. Rows whose outcome is none of the known words are skipped, and
so is a file that has only one row: that is a sentence, not a table. One word before
OK or FAILED is a file that some checksum tool judged, and no condition.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Severity, Source, Subject
from ..evidence.job import Trial
from ..text import Line, Text
from . import Parser

# "2 nodes x 8 GPU : ok or very slow"
ROW = re.compile(
    r"^[ \t]{0,8}(?:\|[ \t]{1,40})?(?P<condition>[^\s|](?:[^:|\n=]|=[^\s|]{0,60}){2,100}?)[ \t]{0,40}(?::[ \t]|[ \t]{2}|[ \t]\|[ \t])[ \t]{0,40}(?P<text>(?:(?:host|gpu|job|it|machine|box|node|server|system|pc|card) )?(?:goes |went |is |was |turns |turned )?"
    r"(?P<outcome>ok|sometimes|okay|works|trains|runs (?:through|fine|well)|completes|finishes|succeeds|(?:first )?step(?: \d+)? (?:after|in) \d{1,6}|(?:init|start|startup|load) \d[\d.]{0,8} ?\w{1,3}, trains|pass(?:es|ed)?|fine|baseline|(?:about |~)?\d+(?:\.\d+)?x slower|(?:very |much )?slow"
    r"|hangs?|hung|stuck|dead ?locks?|freezes|froze|frozen|blocks|blocked|waits|never \w+|no (?:crash(?:es)?|errors?|hangs?|failures?|problems?|reboots?|resets?|lock-?ups?)|\d{1,4} (?:min(?:utes?)?|h(?:ours?)?|days?|weeks?),? (?:ok|fine|no (?:crash|error|hang|failure|problem|reboot|reset|lock-?up)\w{0,2})|(?:soft |hard )?lock-?ups?|\w{2,30}(?:Error|Exception): \w+|no (?:\w+ )?(?:batch(?:es)?|output|progress|steps?|answer|response)"
    r"|(?:\w{2,20} ){0,2}(?:time[sd] out|timeout)|killed|OOM|out of memory|seg(?:mentation )?faults?|unreachable|refused|(?:does|did)(?: not|n't) \w+|fail(?:s|ed)?|crash(?:es|ed)?|dies|died|aborts|aborted|errors?(?!:)|(?:loss is |loss )?nan|wrong result|differs|CUDA error|bus error|off|dark|powers? off|shuts? down|shutdown|reboots?|restarts?|gone|resets?|lost)\b"
    r"[^\n]{0,120})$",
    re.I,
)
# only the outcome's end of a row: looking for the condition before it takes many times as long
OUTCOME = re.compile(ROW.pattern[ROW.pattern.index("(?::[ ") :].replace(r"[^\n]{0,120})$", ")"), re.I)
# "nodes=40 ...", "2 nodes", "3+ nodes x 8 GPU"
# cuda:0 -> cpu -> cuda:1 equal: True
COMPARED = re.compile(
    r"^\s{0,8}(?P<condition>\w[^\n=]{0,60}?(?:->|=>)[^\n=]{1,60}?)[ \t:|]{1,40}(?P<text>(?:equal|identical|allclose|match(?:es)?|same)[ :=]{1,4}(?P<same>True|False|yes|no))$",
    re.I,
)
NODES = re.compile(r"\bnodes?\s?=\s?(\d{1,6})|\b(\d{1,6})\+?\s?(?:nodes?|machines?|hosts?)\b", re.I)
GPU = re.compile(r"\bGPU ?(\d{1,2})\b(?!\s*(?:x|GPU))")
OUTCOMES = (
    # hung 0 of 10
    (
        "ok",
        re.compile(
            r"^(?:hangs?|hung|fail(?:s|ed)?|crash(?:es|ed)?|errors?|lost|died|stuck|froze) 0(?: ?/ ?| (?:out )?of )\d",
            re.I,
        ),
    ),
    ("varies", re.compile(r"\bok(?:ay)? or\b|\bsometimes\b|\bintermittent", re.I)),
    ("slow", re.compile(r"slow", re.I)),
    (
        "ok",
        re.compile(
            r"^(?:ok|okay|works|pass|fine|baseline|\d{1,4} \w{1,7},? (?:ok|fine|no )|no (?:crash|error|hang|failure|problem|reboot|reset|lock-?up)|runs|completes|finishes|succeeds|(?:first )?step\b|(?:\w+ [^,]{1,20}, )?trains)",
            re.I,
        ),
    ),
    (
        "hang",
        re.compile(
            r"hang|hung|stuck|lock|lock-?up|freez|froze|wait|never|^no |time[sd]? ?out|did(?: not|n't)|does(?: not|n't)",
            re.I,
        ),
    ),
    (
        "off",
        re.compile(
            r"^(?:(?:host|gpu|it|machine|box|node|server|system|pc|card) )?(?:goes |went |is |was |turns |turned )?(?:off|dark|powers? off|shut|gone|lost|reset|reboot|restart)",
            re.I,
        ),
    ),
    ("fail", re.compile(r"fail|crash|dies|died|abort|error|nan|wrong|differs", re.I)),
)
# falls to 22 img/sec      1600 images/sec throughout      2.1 s/it
RATE = re.compile(
    r"(?:(?:falls|drops|down|goes|only|about|just|runs|at|to|some) ){0,3}~?(?P<value>(?<![\d.])\d{1,9}(?:\.\d{1,6})?) ?"
    r"(?P<unit>(?:img|im|image|sample|token|tok|example|sequence|it|iter|step|batch)(?:e?s)?(?:/s(?:ec)?|(?: per|/) second)"
    r"|(?:m?s|sec|seconds)/(?:it|iter|step|batch|epoch))\b",
    re.I,
)
# samples_per_second_per_gpu 30      tokens/s/GPU: 1250.4      images/sec = 812
NAMED_RATE = re.compile(
    r"\b(?P<unit>(?:img|image|sample|token|tok|example|sequence|iter|step|batch)(?:e?s)?(?:/s(?:ec)?|[_ ]?per[_ ]s(?:ec(?:ond)?)?)(?:[/_ ](?:per[_ ])?(?:gpu|device|card|rank))?)"
    r"[ =:]{1,4}(?P<value>\d{1,9}(?:\.\d{1,6})?)$",
    re.I,
)
# busbw(GB/s)      bandwidth [Gbit/s]      time(ms)      ~25 GB/s      370 ms
MEASURED = re.compile(r"^[\w ]{1,30}[(\[](?:(?P<rate>[GMK]i?B(?:/s|ps)|[GM]bit/s|[GM]bps)|m?s|us|sec)[)\]]$", re.I)
AMOUNT = re.compile(
    r"^~?(?P<value>\d{1,9}(?:\.\d{1,6})?) ?(?P<unit>[GMK]i?B(?:/s|ps)|[GM]bit/s|[GM]bps|m?s|us|sec)$", re.I
)
HOPED = re.compile(r"(?:expected|expectation|target|reference|theoretical|should be|spec|nominal)$", re.I)
GOT = re.compile(r"(?:actual|measured|observed|got|real|now|found)$", re.I)
PER_STEP = re.compile(r"^(?:m?s|sec|seconds)/")
# what a condition ends in: a colon, an arrow, a bar or two blanks
APART = re.compile(r"(?:[:>|][ \t]|[ \t]{2})$")
LONGEST_CONDITION = 80
NO_CONDITION = re.compile(
    r"^\W{0,4}(?:\d(?!\d{0,4}\+? ?(?:nodes?|machines?|hosts?)\b)|(?:global_?)?(?:step|iter|iteration|epoch|batch|rank|gpu|worker|host|node)s?\b)",
    re.I,
)
FAR_BELOW = 0.5
LARGEST = 256 << 10  # bytes: nobody writes down more by hand
JUDGED = re.compile(r"(?:OK|FAILED)\b")
COMPLAINT = re.compile(r"(?i)\b(?:error|warning|exception|fatal)$")  # CUDA error: out of memory
FEWEST_ROWS = 2
# card  machine  slot   result
HEADING = re.compile(r"^(?:[A-Za-z][\w ]{0,20}?[ \t]{2,40}){1,6}(?:results?|outcome|status|verdict)[ \t]{0,40}$", re.I)
# what the first column of a grid tells apart, where a bare "A" would not say
PLACE = re.compile(r"(?:site|cluster|cent(?:er|re)|data ?cent(?:er|re)|lab|provider|region)$", re.I)
LASTED = re.compile(r"^~?\d{1,6}(?:\.\d{1,4})? ?(?:m?s|sec(?:onds?)?|min(?:utes?)?|h)$", re.I)
CELLS = re.compile(r"[ \t]{2,}")
WELL = re.compile(
    r"^(?:\d{1,6}/\d{1,6} (?:runs? )?)?(?:ok(?:ay)?|works?|pass(?:es|ed)?|fine|completes?|no errors?|ran (?:for )?\d{1,5}|(?:stays|stayed) up|stable|survives)\b",
    re.I,
)
ILL = re.compile(
    r"\w{2,40}(?:Error|Exception)\b|\berrors?\b|\bfail|\bcrash|\bhang|\bhung|\bstuck|\bNaN\b|\bslow|\bwrong\b|\blost\b|\bXid\b"
    r"|\b(?:restarts|reboots|resets|freezes|goes dark|(?:powers|turns|switches|shuts) (?:off|down))\b|\b(?:host|machine|box) off\b",
    re.I,
)


def read(text: Text) -> Iterator[Trial]:
    if len(text.data) > LARGEST:
        return
    table = list(_under_a_heading(text)) or list(_grid(text)) or list(_last_column(text)) or list(_measured(text))
    yield from table if len(table) >= FEWEST_ROWS else (*_rows(text), *_rates(text), *_comparisons(text))


def _under_a_heading(text: Text) -> Iterator[Trial]:
    names: list[str] = []
    for line in text.lines():
        if len(line.text) >= 240:
            continue
        if HEADING.match(line.text):
            names = CELLS.split(line.text.strip())
            continue
        cells = CELLS.split(line.text.strip(), maxsplit=max(len(names) - 1, 0))
        if names and len(cells) == len(names) and (WELL.search(cells[-1]) or ILL.search(cells[-1])):
            condition = " ".join(f"{name} {cell}" for name, cell in zip(names[:-1], cells[:-1], strict=True))
            yield _trial(text, line, condition, cells[-1], "ok" if WELL.search(cells[-1]) else outcome_of(cells[-1]))
        elif line.text.strip():
            names = []


def _table(text: Text) -> tuple[list[str], list[tuple[Line, list[str]]]]:
    """The cells of the heading and of the rows; nothing where some row has more or fewer than the heading."""
    rows = [(line, CELLS.split(line.text.strip())) for line in text.lines() if len(line.text) < 240]
    rows = [(line, cells) for line, cells in rows if any(cells)]
    even = len(rows) > FEWEST_ROWS and len({len(cells) for _, cells in rows}) == 1
    return (rows[0][1], rows[1:]) if even else ([], [])


def _grid(text: Text) -> Iterator[Trial]:
    """A table in which several columns say how it went."""
    heading, body = _table(text)
    if len(heading) < 3:
        return
    said = [all(OUTCOME.match(f": {cells[column]}") for _, cells in body) for column in range(len(heading))]
    if sum(said) < FEWEST_ROWS or said[0]:
        return
    for line, cells in body:
        for column, name in enumerate(heading):
            if said[column]:
                where = f"{heading[0]} {cells[0]}" if PLACE.match(heading[0]) else cells[0]
                yield _trial(text, line, f"{where} {name}", cells[column], outcome_of(cells[column]))


def _last_column(text: Text) -> Iterator[Trial]:
    """A table whose last column says how long each trial took, or that it came to nothing."""
    heading, body = _table(text)
    if len(heading) < 2:
        return
    ill = [OUTCOME.match(f": {cells[-1]}") is not None for _, cells in body]
    if (
        all(ill)
        or not any(ill)
        or not all(bad or LASTED.match(cells[-1]) for bad, (_, cells) in zip(ill, body, strict=True))
    ):
        return
    for bad, (line, cells) in zip(ill, body, strict=True):
        condition = " ".join(f"{name} {cell}" for name, cell in zip(heading[:-1], cells[:-1], strict=True))
        yield _trial(text, line, condition, cells[-1], outcome_of(cells[-1]) if bad else "ok")


def _measured(text: Text) -> Iterator[Trial]:
    """A table of what was measured against what was expected, or of one piece of work measured at several places."""
    heading, body = _table(text)
    hoped = next((column for column, name in enumerate(heading) if HOPED.match(name)), None)
    got = next((column for column, name in enumerate(heading) if GOT.match(name)), None)
    if hoped is not None and got is not None:
        for line, cells in body:
            pair = AMOUNT.match(cells[hoped]), AMOUNT.match(cells[got])
            if pair[0] and pair[1] and pair[0]["unit"].lower() == pair[1]["unit"].lower():
                best, value = (_speed(float(each["value"]), each["unit"]) for each in pair if each)
                slow = value < FAR_BELOW * best
                yield _trial(text, line, f"{cells[0]} {heading[hoped]}", cells[hoped], "ok")
                yield _trial(text, line, f"{cells[0]} {heading[got]}", cells[got], "slow" if slow else "ok")
        return
    last = MEASURED.match(heading[-1]) if len(heading) > 2 else None
    work = [column for column, name in enumerate(heading) if column and not MEASURED.match(name)]
    if not last or not PLACE.match(heading[0]) or len({tuple(cells[each] for each in work) for _, cells in body}) > 1:
        return
    numbers = [re.fullmatch(r"~?(\d{1,9}(?:\.\d{1,6})?)", cells[-1]) for _, cells in body]
    speeds = [_speed(float(each[1]), last["rate"] or "s") for each in numbers if each]
    for (line, cells), speed in zip(body, speeds, strict=True) if len(speeds) == len(body) else ():
        condition = " ".join((heading[0], *cells[:1], *(cells[each] for each in work), heading[-1]))
        yield _trial(text, line, condition, cells[-1], "slow" if speed < FAR_BELOW * max(speeds) else "ok")


def _speed(value: float, unit: str) -> float:
    """What is the larger, the better: a rate, or one over a time."""
    return 1 / max(value, 1e-9) if unit.lower() in ("ms", "s", "us", "sec") else value


def _rows(text: Text) -> Iterator[Trial]:
    rows = [
        (line, match)
        for line in text.lines()
        if len(line.text) < 240 and OUTCOME.search(line.text) and (match := ROW.match(line.text))
    ]
    rows = [
        (line, match)
        for line, match in rows
        if not COMPLAINT.search(match["condition"].strip())
        and (" " in match["condition"].strip() or not JUDGED.match(match["text"]))
    ]
    if len(rows) < FEWEST_ROWS or 2 * len(rows) < sum(1 for line in text.lines() if line.text.strip()):
        return
    for line, match in rows:
        yield _trial(text, line, match["condition"].strip(), match["text"].strip(" |"), outcome_of(match["text"]))


def _comparisons(text: Text) -> Iterator[Trial]:
    """Ways of a copy, with whether what arrived was what was sent."""
    rows = [
        (line, match) for line in text.lines() if len(line.text) < 240 and (match := COMPARED.match(line.text.rstrip()))
    ]
    for line, match in rows if len(rows) >= FEWEST_ROWS else ():
        same = match["same"].lower() in ("true", "yes", "ok")
        yield _trial(text, line, match["condition"].strip(), match["text"], "ok" if same else "fail")


def _rates(text: Text) -> Iterator[Trial]:
    rows = [
        (line, condition, match)
        for line in text.lines()
        if len(line.text) < 240
        and (match := RATE.search(line.text) or NAMED_RATE.search(line.text.rstrip()))
        and (condition := _condition(line.text, match))
    ]
    units = {match["unit"].lower() for _, _, match in rows}
    if (
        len(rows) < FEWEST_ROWS
        or len(units) > 1
        or 2 * len(rows) < sum(1 for line in text.lines() if line.text.strip())
    ):
        return
    per_unit = PER_STEP.search(units.pop()) is not None
    speeds = [1 / max(float(match["value"]), 1e-9) if per_unit else float(match["value"]) for _, _, match in rows]
    for (line, condition, match), speed in zip(rows, speeds, strict=True):
        outcome = "slow" if speed < FAR_BELOW * max(speeds) else "ok"
        yield _trial(text, line, condition, line.text[match.start() :].strip(), outcome)


def _condition(row: str, rate: re.Match[str]) -> str:
    """What stands before a rate, when it is apart from it and names a condition; else nothing."""
    before = row[: rate.start()]
    condition = before.lstrip(" \t|").rstrip(" \t|:=->")
    named = APART.search(before) and 3 <= len(condition) <= LONGEST_CONDITION and not NO_CONDITION.match(condition)
    return condition if named else ""


def _trial(text: Text, line: Line, condition: str, said: str, outcome: str) -> Trial:
    nodes, gpu = NODES.search(condition), GPU.search(condition)
    return Trial(
        source=Source(text.name, line.number, line.quote),
        subject=Subject(gpu=int(gpu[1])) if gpu else Subject(),
        severity=Severity.INFO if outcome == "ok" else Severity.WARNING,
        condition=condition,
        outcome=outcome,
        text=said,
        nodes=int(nodes[1] or nodes[2]) if nodes else None,
    )


def outcome_of(text: str) -> str:
    """The kind of outcome that plain words say."""
    return next((name for name, pattern in OUTCOMES if pattern.search(text)), "fail")


FOOTPRINT = f"(?i)(?:->|=>)[^\\n=]{{1,60}}[ \\t:|](?:equal|identical|allclose|match(?:es)?|same)[ :=]{{1,4}}(?:True|False|yes|no)|{OUTCOME.pattern}|{HEADING.pattern}|(?:[:>|] |[ \\t]{{2}}|\\b(?:to|only|about|at) ){RATE.pattern}|{NAMED_RATE.pattern}|^\\S[^\\n]{{0,60}}[ \\t]{{2}}(?:expected|target|reference|theoretical)[ \\t]{{2,40}}(?:actual|measured|observed)[ \\t]{{0,20}}$|^(?:site|cluster|cent(?:er|re)|data ?cent(?:er|re)|lab|provider|region)[ \\t]{{2}}[^\\n]{{1,100}}(?:GB|MB|[GM]bit)/s[)\\]]$"
PARSER = Parser(tool="a table of trials", medium="trials", footprint=FOOTPRINT, read=read)
