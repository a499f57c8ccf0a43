"""Trainers that print a step as a block of metrics, one a line: Composer (LLM Foundry), OLMo.

    [epoch=1][batch=5/5]:
         Train loss/train/total: 8.4213
         Train throughput/device/tokens_per_sec: 1255.1776

    [2024-04-17 09:42:38] INFO     [olmo.train:816, rank=0] [step=2/739328]
        train/CrossEntropyLoss=10.73
        throughput/device/tokens_per_second=45,538

A block is one step, quoted at its heading. Memory, time and evaluation metrics are skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Evidence
from ..step_line import find_numbers
from ..text import Text
from . import Parser
from ._job_lines import Message, messages
from ._step_runs import Steps

# [epoch=1][batch=5/5]:  text      [olmo.train:816, rank=0] [step=2/739328,epoch=0,eta=1 hour]
HEADING = re.compile(
    r"^(?:\[[\w.:, =]{1,80}\] )?\[(?:epoch=(\d{1,6})\]\[)?(?:batch|step)=(\d{1,12})/\d{1,12}(?:,[^\]]{0,80})?\]:?"
    r"(?:\s+(Train .*))?\s*$"
)
#  Train loss/train/total: 8.4213      train/CrossEntropyLoss=10.73
METRIC = re.compile(
    r"(?:Train |^\s*)([a-z][\w/() -]{2,80}?)(?:: |=)([-+]?[\d.,]{1,20}(?:e[-+]?\d{1,3})?|nan|inf)(?:\s|$)"
)
# metric -> the word for it in a step line
WORDS = (
    ("loss", re.compile(r"^(?:loss/train/total|train/(?:CrossEntropyLoss|CE loss))$")),
    ("grad_norm", re.compile(r"^(?:l2_norm/grad/global|optim/total[_ ]grad[_ ]norm)$")),
    ("lr", re.compile(r"^(?:lr-\w{1,40}/group0|optim/(?:learning_rate_group0|LR \(group 0\)))$")),
    ("tok/s:", re.compile(r"^throughput/(?:device/)?(?:tokens_per_sec(?:ond)?|TPS)$")),
    ("samples_per_sec:", re.compile(r"^throughput/samples_per_sec(?:ond)?$")),
)
INTERESTING = re.compile(r"(?:batch|step)=\d{1,12}/\d|^\s*(?:\d{1,5}:)?\s+(?:Train )?[a-z][\w/() -]{2,80}(?:: |=)")


_LONGEST = 200  # lines of a block


def read(text: Text) -> Iterator[Evidence]:
    quotes: dict[int, str] = {}
    steps = Steps(text.name, quotes.__getitem__)
    for heading, said in _blocks(text):
        step = heading._replace(text=" | ".join(f"{word} {value}" for word, value in said.items()))
        if numbers := find_numbers(step.text):
            steps.add(step, numbers)
            quotes[step.line.number] = step.line.quote
    yield from steps.facts()


def _blocks(text: Text) -> Iterator[tuple[Message, dict[str, str]]]:
    """Each heading with its numbers by the words of a step line."""
    heading: Message | None = None
    said: dict[str, str] = {}
    for message in messages(text, INTERESTING):
        if found := HEADING.match(message.text):
            if heading:
                yield heading, said
            heading, said = message, {"epoch": found[1]} if found[1] else {}
            said["step"] = found[2]
            _note(said, found[3] or "")
        elif heading and message.line.number - heading.line.number < _LONGEST:
            _note(said, message.text)
    if heading:
        yield heading, said


def _note(said: dict[str, str], metrics: str) -> None:
    """Keep the metrics that a step line would have; the first of each word counts."""
    for found in METRIC.finditer(metrics[:2000]):
        word = next((word for word, pattern in WORDS if pattern.match(found[1])), None)
        if word:
            said.setdefault(word, found[2])


PARSER = Parser(
    tool="a trainer that prints blocks",
    medium="job-log",
    footprint=(
        r"\[batch=\d{1,12}/\d{1,12}\]:|\[step=\d{1,12}/\d{1,12}(,[^\]\n]{0,80})?\][ \t]*\r?$"
        r"|^\s+train/(CrossEntropyLoss|CE loss)="
        r"|^\s+Train loss/train/total: "
    ),
    read=read,
)
