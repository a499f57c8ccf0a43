"""`dcgmi diag -r N` as a table, and `dcgmi health -c`.

    | Error                     | GPU 3 has uncorrectable memory errors and row  |
    |                           |  remappings are pending                        |
    | GPU Memory                | Pass - GPUs: 1, 2, 3, 4, 5, 6, 7               |
    |                           | Fail - GPU: 0                                  |

    |    -> NVLINK system       | Failure                                        |
    |                           | GPU 0's NvLink link 0 is currently down        |

Links that are down are a fact each; others are up, unless all from the first on are listed, as for a GPU without a
bridge. A cell that runs on over several lines is joined; a test with different results is one fact for each, and one
for each GPU that failed or was warned of. An "Error", "Warning" or "Info" row is a message, not a test.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from ..evidence import Evidence, Severity, Subject
from ..evidence.gpu import GpuDiagnostic, NvlinkErrors
from ..text import Line, Text
from . import Parser
from ._snapshot import source

# | GPU Memory                | Pass - GPUs: 1, 2, 3, 4, 5, 6, 7               |
ROW = re.compile(r"^\| ?([^|]{1,60})\| ?([^|]{1,200})\|\s*$")
# Fail - GPU: 0     Skip - All     Pass
# Failure (dcgmi health)
RESULT = re.compile(r"^(Pass|Fail|Warn|Skip|Healthy|Warning|Failure)(?=$| - )(?: - (?:GPUs?:? ?([\d, ]{1,400})|All))?")
GPU_NAMED = re.compile(r"\bGPU (\d{1,3})\b")
# GPU 0's NvLink link 0 is currently down
LINK_DOWN = re.compile(r"GPU (\d{1,3})'s NvLink link (\d{1,2}) is currently down")
MESSAGES = {"error": "fail", "warning": "warn"}
OUTCOMES = {"healthy": "pass", "warning": "warn", "failure": "fail"}
# | -> 0                      | Failure                  |: the health report's row of GPU 0; deeper rows are its parts
PART = re.compile(r"^-> (\d{1,3})$")
SEVERITY = {"fail": Severity.CRITICAL, "warn": Severity.WARNING}


@dataclass
class Cell:
    """One result or message with the lines that continue it."""

    line: Line
    test: str
    gpu: int | None = None
    words: list[str] = field(default_factory=list)


def read(text: Text) -> Iterator[Evidence]:
    cell: Cell | None = None
    gpu: int | None = None
    for line in text.lines():
        found = ROW.match(line.text[:400])
        if not found:
            if cell:
                yield from told(text, cell)
            cell = None
            continue
        test, words = found[1].strip(), found[2].strip()
        if part := PART.match(test):
            gpu, test = int(part[1]), "GPU"
        if (test or RESULT.match(words)) and words:
            if cell:
                yield from told(text, cell)
            cell = Cell(line, test.removeprefix("-> ") or (cell.test if cell else ""), gpu, [words])
        elif cell and words:
            cell.words.append(words)
    if cell:
        yield from told(text, cell)


def told(text: Text, cell: Cell) -> Iterator[Evidence]:
    words = " ".join(cell.words)
    yield from links(text, cell, words)
    result = RESULT.match(words) or RESULT.match(cell.words[0])
    word = result[1].lower() if result else ""
    outcome = OUTCOMES.get(word, word) or MESSAGES.get(cell.test.lower())
    if not outcome:
        return  # a version, a heading, an "Info" row
    named = result[2] if result else None
    gpus = [int(number) for number in re.findall(r"\d{1,3}", named or "")] if named else []
    gpus = gpus or ([cell.gpu] if cell.gpu is not None else [])
    if not result and (found := GPU_NAMED.search(words)):
        gpus = [int(found[1])]
    for gpu in gpus if outcome in SEVERITY and gpus else [None]:
        yield GpuDiagnostic(
            source=source(text, cell.line),
            subject=Subject(gpu=gpu),
            severity=SEVERITY.get(outcome, Severity.INFO),
            test=cell.test,
            outcome=outcome,
            text=words,
        )


def links(text: Text, cell: Cell, words: str) -> Iterator[NvlinkErrors]:
    """The links that a cell says are down."""
    down: dict[int, list[int]] = {}
    for gpu, link in LINK_DOWN.findall(words):
        down.setdefault(int(gpu), []).append(int(link))
    for gpu, numbers in down.items():
        for number in numbers:
            yield NvlinkErrors(
                source=source(text, cell.line),
                subject=Subject(gpu=gpu),
                severity=Severity.WARNING,
                link=number,
                counter="inactive",
                count=None,
            )
        if sorted(set(numbers)) != list(range(len(set(numbers)))):
            yield NvlinkErrors(
                source=source(text, cell.line), subject=Subject(gpu=gpu), link=None, counter="active", count=0
            )


PARSER = Parser(
    tool="dcgmi diag",
    medium="gpu",
    footprint=r"^\| Diagnostic +\| Result|^\| Overall Health +\|"
    r"|^\|[^|\n]{1,60}\| (Pass|Fail|Skip|Warn)( - [^|\n]{0,200})? *\|",
    read=read,
)
