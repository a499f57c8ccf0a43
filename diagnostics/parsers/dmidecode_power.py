"""`dmidecode -t 39`: the power supplies of a machine and what each can give.

    System Power Supply
            Max Power Capacity: 490 W
            Status: Present, OK

A supply whose capacity is unknown or that is not present is skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Source
from ..evidence.kernel import PowerSupply
from ..footprint import footprint_of
from ..text import Text
from . import Parser

FIRST = re.compile(r"^System Power Supply\s*$")
CAPACITY = re.compile(r"^\s{1,8}Max Power Capacity: (\d{2,5}) W\b")
ABSENT = re.compile(r"^\s{1,8}Status: Not Present")
BLOCK = 20  # lines


def read(text: Text) -> Iterator[PowerSupply]:
    for line in text.matching(FIRST):
        watts = None
        for each in text.after(line, BLOCK):
            if not each.text.strip() or FIRST.match(each.text) or ABSENT.match(each.text):
                watts = None if ABSENT.match(each.text) else watts
                break
            if found := CAPACITY.match(each.text):
                watts = line, each, float(found[1])
        if watts:
            _, row, capacity = watts
            yield PowerSupply(source=Source(text.name, row.number, row.quote), capacity_w=capacity)


PARSER = Parser(tool="dmidecode -t 39", medium="firmware-tables", footprint=footprint_of(FIRST), read=read)
