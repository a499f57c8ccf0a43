"""Sizes as tools write them: `252G`, `1.1T`, `64M`, `0.5G`, `100`."""

from __future__ import annotations

import re

SIZE = re.compile(r"(\d{1,20}(?:[.,]\d{1,6})?)\s?([KMGTPE]?)i?B?", re.IGNORECASE)
POWERS = {unit: power for power, unit in enumerate(("", "K", "M", "G", "T", "P", "E"))}


def size_bytes(text: str, unit: int = 1) -> int | None:
    """A size in bytes; a bare number counts `unit` bytes each. None when it is no size ("-")."""
    found = SIZE.fullmatch(text.strip())
    if not found:
        return None
    number, suffix = float(found[1].replace(",", ".")), found[2].upper()
    if not suffix and "." not in found[1] and "," not in found[1]:
        return int(found[1]) * unit
    return int(number * 1024 ** POWERS[suffix])


def size_kib(number: str, unit: str | None) -> int:
    """A number and its unit ("5.2", "GiB") in KiB; without a unit it counts bytes."""
    return round(float(number) * 1024.0 ** (POWERS[(unit or "")[:1].upper()] - 1))
