"""Numbers on a command line that make sense: no nan, no negative deadline."""

from __future__ import annotations

import argparse
import math


def positive(text: str) -> float:
    """A finite number above zero."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 < number < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} is no number above zero")
    return number


def count(text: str) -> int:
    """A whole number from zero up."""
    if not (text.isascii() and text.isdigit() and len(text) < 19):
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number from zero up")
    return int(text)
