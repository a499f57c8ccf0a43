"""Numbers in the cells of tables and in JSON, for the parsers whose tools write them alike."""

from __future__ import annotations

import re

# 11396 MiB      98 %      54C      -1.5
LEADING = re.compile(r"-?\d{1,12}(?:\.\d{1,12})?")


def leading_number(cell: str | None) -> float | None:
    """The number that a cell begins with; None where it holds none ("N/A", "[Not Supported]")."""
    found = LEADING.match(cell or "")
    return float(found[0]) if found else None


def integer(value: object) -> int | None:
    """A value of JSON when it is an integer of at most 64 bits; true and false are none."""
    return value if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1 << 63 else None
