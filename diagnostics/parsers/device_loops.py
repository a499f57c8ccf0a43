r"""One command on one device after the other, in a shell's loop or line by line, with one line of output for each.

    $ for i in 0 1 2 3; do CUDA_VISIBLE_DEVICES=$i python bug.py 2>&1 | tail -1; done
    ok 48/48 layers
    ok 48/48 layers
    RuntimeError: CUDA error: an illegal memory access was encountered
    ok 48/48 layers

    $ HIP_VISIBLE_DEVICES=2 ./sum --check; echo $?
    134

The lines below a loop are its devices' only where there are as many of them as devices. A device fails by an error, a
signal or a status other than 0, and is well by any other line; one that was full, in use or not there was not tried.
Where all are well, or none, nothing is compared.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from ..evidence.people import Trial
from ..footprint import footprint_of
from ..text import Line, Text
from . import Parser
from ._trial_words import short_lines, trial

_PROMPT = r"^[\w.@~:/\[\]() -]{0,80}[$#%>] "
_DEVICE = (
    r"(?:(?:CUDA|HIP|ROCR|GPU|ASCEND_RT|ZE)_(?:VISIBLE_DEVICES|DEVICE_ORDINAL|AFFINITY_MASK)="
    r"|--(?:device|gpu)(?:[-_](?:id|index))?[ =](?:cuda:)?)[\"']?"
)
_LIST = r"(?:[\d ]{1,80}|\{\d{1,2}\.\.\d{1,2}\}|(?:\$\(|`)seq \d{1,2}(?: \d{1,2})?[)`])"
# for i in 0 1 2 3; do CUDA_VISIBLE_DEVICES=$i ...; done      for g in {0..7}; do      for d in $(seq 0 3); do
LOOP = re.compile(
    rf"(?:{_PROMPT}|^)for (?P<name>\w{{1,20}}) in (?P<list>{_LIST}) ?; ?do (?P<work>.{{1,600}}?); ?done\s*$"
)
# $ HIP_VISIBLE_DEVICES=2 ./sum --check
ONE = re.compile(rf"{_PROMPT}(?P<work>.{{0,60}}?{_DEVICE}(?P<number>\d{{1,2}})(?![\w,.]).{{0,600}})$")
OF_DEVICE = re.compile(rf"({_DEVICE})(?:\d{{1,2}}|#)")
PROMPT = re.compile(rf"{_PROMPT}\S")
NUMBERS = re.compile(r"\d{1,2}")
FAILS = re.compile(
    r"\b(?:\w{1,40}(?:Error|Exception)\b|Traceback|Aborted|Segmentation fault|core dumped|Bus error|Floating point"
    r"|(?:CUDA|HIP|cuDNN|cuBLAS) (?:error|failure)|\w{1,40}_STATUS_(?!SUCCESS)\w|illegal memory|misaligned address"
    r"|(?i:fail(?:s|ed|ure)?|mismatch|wrong|nan)\b)|^(?:rc|exit|status)?[ =:]{0,2}[1-9]\d{0,2}$",
)
NONE_OF_IT = re.compile(r"(?i)\b(?:no|0|zero) (?:error|fail|mismatch)|\b(?:error|failure|mismatch)e?s?[ :=]{1,3}0\b")
# no word on the device: it was full or in use, is not there, or the command itself is wrong
NO_TRIAL = re.compile(
    r"(?i)out of memory|\bOOM\b|\bKilled$|busy or unavailable|invalid device ordinal|no CUDA-capable|no such file"
    r"|not found|ModuleNotFoundError|ImportError|SyntaxError|NameError"
)
MOST_DEVICES = 16


def read(text: Text) -> Iterator[Trial]:
    lines = [line for line in short_lines(text) if line.text.strip()]
    works: dict[str, list[tuple[int, Line]]] = defaultdict(list)
    for at, line in enumerate(lines):
        if loop := LOOP.match(line.text):
            below, devices = _output(lines, at), _devices(loop["list"])
            work = re.sub(rf"\$\{{?{loop['name']}\b\}}?", "#", loop["work"])
            if OF_DEVICE.search(work) and len(devices) == len(below):
                works[_named_alike(work)] += zip(devices, below, strict=True)
        elif (one := ONE.match(line.text)) and (below := _output(lines, at)):
            works[_named_alike(one["work"])].append((int(one["number"]), below[-1]))
    for rows in works.values():
        rows = [row for row in rows if not NO_TRIAL.search(row[1].text)]
        outcomes = ["fail" if _fails(line.text) else "ok" for _, line in rows]
        for (device, line), outcome in zip(rows, outcomes, strict=True) if len(set(outcomes)) > 1 else ():
            yield trial(text, line, f"gpu {device}", line.text.strip()[:120], outcome)


def _named_alike(work: str) -> str:
    """A command without the device that it was given: equal for the same work on two devices."""
    return " ".join(OF_DEVICE.sub(r"\1#", work).split())


def _output(lines: list[Line], at: int) -> list[Line]:
    """The lines between one command and the next."""
    below = lines[at + 1 : at + 1 + 4 * MOST_DEVICES]
    end = next((number for number, line in enumerate(below) if PROMPT.match(line.text)), len(below))
    return below[:end]


def _devices(listed: str) -> list[int]:
    numbers = [int(number) for number in NUMBERS.findall(listed)]
    if "seq" not in listed and ".." not in listed:
        return numbers
    first, last = (0 if ".." in listed else 1, numbers[0]) if len(numbers) == 1 else (numbers[0], numbers[1])
    return list(range(first, min(last, first + MOST_DEVICES) + 1))


def _fails(said: str) -> bool:
    return FAILS.search(said.strip()) is not None and not NONE_OF_IT.search(said)


PARSER = Parser(
    tool="a command on each device",
    medium="trials",
    footprint=footprint_of(LOOP, ONE),
    read=read,
)
