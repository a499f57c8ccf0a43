"""What a library says of ranks that disagree on a collective, in words of its own.

    OP_REQUIRES failed at collective_ops.cc:415 : INTERNAL: Device /job:.../device:GPU:1 is joining a group with size 2, but that group has size 3 (group_key=1)
    error msg: Culprit rank 22; Error type: SIZE_OR_SYNTAX_MISMATCH, Expected input sizes: '[[1025]]' does not match found input sizes: '[[262144]]'
    accelerate.utils.operations.DistributedOperationException: Cannot apply desired operation due to shape mismatches. All shapes across devices must be valid.
    NCCL WARN Message truncated : receiving 524288 bytes instead of 65536. ... there may be a mismatch in collective sizes

Of each kind the first line is told. NCCL's own count of launched operations (ncclras) is none of them: it is taken in
passing, and a slow rank lags by one.
"""  # noqa: E501

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Severity
from ..evidence.collective import CollectiveMismatch
from ..footprint import footprint_of
from ..text import Text
from . import Parser
from ._job_lines import Words, messages

KINDS = (
    re.compile(r"\bis joining a group with size \d{1,6}, but that group has size \d{1,6}"),
    re.compile(r"\bCulprit rank \d{1,6}; Error type: (?:SIZE_OR_SYNTAX|COLLECTIVE_TYPE|COLLECTIVE_DTYPE)_MISMATCH\b"),
    re.compile(r"\bCannot apply desired operation due to shape mismatches\b"),
    re.compile(
        r"\bMessage truncated ?: receiv\w{1,4} \d{1,15} bytes instead of \d{1,15}\b.{0,300}\bmismatch in collective "
        "sizes"
    ),
)
INTERESTING = Words("joining a group|_mismatch|shape mismatches|message truncated")


def read(text: Text) -> Iterator[CollectiveMismatch]:
    told: set[int] = set()
    for message in messages(text, INTERESTING):
        for number, kind in enumerate(KINDS):
            if number not in told and kind.search(message.text):
                told.add(number)
                yield CollectiveMismatch(**message.facts(text), severity=Severity.CRITICAL, text=message.text[:300])


PARSER = Parser(
    tool="disagreements on collectives",
    medium="collectives",
    footprint=footprint_of(*KINDS),
    read=read,
)
