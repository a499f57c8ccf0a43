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

    device 0-8 fine (40 h), device 9 (db:00) fails in < 1 h

    gpu:0 matmul vs numpy max abs err 1.9e-06
    gpu:1 matmul vs numpy max abs err 3.1e+02

    metadata_nthreads=2     hangs
    metadata_nthreads=1     8 s

    one folder of builds              : 6 failures
    one folder of builds for each rank: 0 failures

Beside the one row that hangs, a row that says how long it took went well. None of a number of runs is well, too.
Under a heading with two or more columns of outcomes each cell is a trial of its row under its column.
Of rates, one below half of the best is slow, and the others are well. Rows of steps and of ranks are no conditions.

With a heading, a row's condition is made of the names of the columns and what stands in them. A row is a short
condition and an outcome in plain words. Rows whose outcome is none of the known words are skipped, and so is a file
that has only one row: that is a sentence, not a table. One word before OK or FAILED is a file that some checksum tool
judged, and no condition.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from statistics import median

from ..evidence import Severity, Source, Subject
from ..evidence.job import Trial
from ..text import Line, Text
from . import Parser
from ._trial_words import (
    AMOUNT,
    APART,
    CELLS,
    CLAUSE,
    COMPARED,
    COMPLAINT,
    COUNT,
    DEVIATION,
    DIGITS,
    FAR_BELOW,
    FAR_OFF,
    FEWEST_ROWS,
    GOES_ON,
    GOT,
    GPU,
    HEADING,
    HOPED,
    ILL,
    JUDGED,
    LARGEST,
    LASTED,
    LONGEST_CONDITION,
    MEASURED,
    MOST_DEVICES,
    NAMED_RATE,
    NO_CONDITION,
    NODES,
    OF_NVIDIA_SMI,
    ON,
    OUTCOME,
    OUTCOMES,
    PER_STEP,
    PLACE,
    RATE,
    ROW,
    WELL,
    WENT_ON,
)


def read(text: Text) -> Iterator[Trial]:
    if len(text.data) > LARGEST:
        return
    table = list(_under_a_heading(text)) or list(_grid(text)) or list(_last_column(text)) or list(_measured(text))
    yield from (
        table
        if len(table) >= FEWEST_ROWS
        else (*_rows(text), *_rates(text), *_comparisons(text), *_clauses(text), *_deviations(text))
    )


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
        and not OF_NVIDIA_SMI.search(line.text)
    ]
    rows += [
        (line, match)
        for line in text.lines()
        if rows
        and len(line.text) < 240
        and line.text.rstrip().endswith(ON)
        and (match := GOES_ON.match(line.text.rstrip()))
    ]
    if len(rows) == 1 and outcome_of(rows[0][1]["text"]) == "hang":
        rows += [(line, match) for line in text.lines() if len(line.text) < 240 and (match := WENT_ON.match(line.text))]
    if len(rows) < FEWEST_ROWS or 2 * len(rows) < sum(1 for line in text.lines() if line.text.strip()):
        return
    for line, match in rows:
        lasted = "outcome" not in match.re.groupindex
        outcome = "ok" if lasted else outcome_of(match["text"])
        yield _trial(text, line, match["condition"].strip(), match["text"].strip(" |"), outcome)


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


def _clauses(text: Text) -> Iterator[Trial]:
    """Lines that say in one breath which devices are well and which are not; a range is so many devices."""
    for line in text.lines():
        row = line.text
        if len(row) >= 240 or len(found := list(CLAUSE.finditer(row))) < FEWEST_ROWS:
            continue
        outcomes = [outcome_of(each["outcome"]) for each in found]
        for each, outcome in zip(found, outcomes, strict=True) if len(set(outcomes)) > 1 else ():
            first, last = int(each["first"]), int(each["last"] or each["first"])
            for number in range(first, min(last, first + MOST_DEVICES) + 1):
                yield _trial(text, line, f"{each['part'].lower()} {number}", each[0][:120], outcome)


def _deviations(text: Text) -> Iterator[Trial]:
    """One computation on several devices, with how far each was from what is right: far off is a thousand times
    the usual.
    """
    rows = [(line, found) for line in text.lines() if len(line.text) < 240 and (found := DEVIATION.match(line.text))]
    work = {DIGITS.sub("0", found["work"]) for _, found in rows}
    if len(rows) <= FEWEST_ROWS or len(work) > 1:
        return
    usual = median(float(found["value"]) for _, found in rows)
    for line, found in rows:
        far = float(found["value"]) > max(FAR_OFF * usual, 1e-3)
        yield _trial(
            text, line, f"{found['part'].lower()} {found['number']}", found["work"].strip(), "fail" if far else "ok"
        )


def outcome_of(text: str) -> str:
    """The kind of outcome that plain words say; of none of several runs it is the other."""
    counted = COUNT.match(text)
    said = text[counted.end() :] if counted else text
    outcome = next((name for name, pattern in OUTCOMES if pattern.search(said)), "fail")
    if counted and int(counted[1]) == 0 < int(counted[2]):
        return "fail" if outcome == "ok" else "ok"
    return outcome


FOOTPRINT = f"(?i){CLAUSE.pattern}.{{1,120}}\\b(?:gpu|device|card)|{DEVIATION.pattern}|(?:->|=>)[^\\n=]{{1,60}}[ \\t:|](?:equal|identical|allclose|match(?:es)?|same)[ :=]{{1,4}}(?:True|False|yes|no)|{OUTCOME.pattern}|{HEADING.pattern}|(?:[:>|] |[ \\t]{{2}}|\\b(?:to|only|about|at) ){RATE.pattern}|{NAMED_RATE.pattern}|^\\S[^\\n]{{0,60}}[ \\t]{{2}}(?:expected|target|reference|theoretical)[ \\t]{{2,40}}(?:actual|measured|observed)[ \\t]{{0,20}}$|^(?:site|cluster|cent(?:er|re)|data ?cent(?:er|re)|lab|provider|region)[ \\t]{{2}}[^\\n]{{1,100}}(?:GB|MB|[GM]bit)/s[)\\]]$"
PARSER = Parser(tool="a table of trials", medium="trials", footprint=FOOTPRINT, read=read)
