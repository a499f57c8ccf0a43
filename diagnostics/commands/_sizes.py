"""Numbers of bytes on a command line."""

from __future__ import annotations

import argparse
import re

SIZE = re.compile(r"(\d{1,18}(?:\.\d{1,6})?)\s?([KMGT]?)(i?B)?", re.IGNORECASE)


def size(text: str) -> int:
    """Bytes from `35G`, `500MiB`, `2MB` or `4096`: KB counts in powers of 1000, K and KiB in powers of 1024.

    Raises argparse.ArgumentTypeError for anything else.
    """
    found = SIZE.fullmatch(text.strip())
    if not found:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of bytes, like 35G")
    decimal = found[2] and (found[3] or "").lower() == "b"
    return int(float(found[1]) * (1000 if decimal else 1024) ** " KMGT".index(found[2].upper() or " "))
