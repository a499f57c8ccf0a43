"""Rates as people write them beside what they tried: `812 img/s`, `1.3 s/it`."""

from __future__ import annotations

import re

# falls to 22 img/sec      1600 images/sec throughout      2.1 s/it
RATE = re.compile(
    r"(?:(?:falls|drops|down|goes|only|about|just|runs|at|to|some) ){0,3}~?(?P<value>(?<![\d.])\d{1,9}(?:\.\d{1,6})?) ?"
    "(?P<unit>(?:img|im|image|sample|token|tok|example|sequence|it|iter|step|batch)(?:e?s)?"
    "(?:/s(?:ec)?|(?: per|/) second)"
    r"|(?:m?s|sec|seconds)/(?:it|iter|step|batch|epoch))\b",
    re.I,
)
# ms      seconds      s/it
_TIME = re.compile(r"(?:m?s|us|sec|seconds)(?:/\w{1,20})?", re.I)


def speed(value: float, unit: str) -> float:
    """What is the larger, the better: a rate, or one over a time."""
    return 1 / max(value, 1e-9) if _TIME.fullmatch(unit) else value
