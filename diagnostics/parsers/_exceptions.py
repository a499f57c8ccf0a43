"""What the texts of exceptions name: files, DataLoader workers and their signals."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ._signals import signal_named

# [Errno 5] Input/output error: '/data/x.bin'     for file </torch_1_2>     open file </x>     No such file: "/x"
_PATHS = (
    re.compile(r"\[Errno -?\d{1,4}\][^:]{0,120}: '([^']{1,1000})'"),
    re.compile(r"<(/[^<>]{1,1000})>"),
    re.compile(r"shared memory (?:file|object) (/[^\s<>:]{1,300})"),
    re.compile(r"['\"](/[^'\"\n]{1,1000})['\"]"),
    re.compile(r"(?:^|\s)(/[\w.@+=-]{1,200}(?:/[\w.@+=-]{1,200}){1,30})(?=[\s:,;)]|\.?$)"),
)
_KILLED = re.compile(
    r"DataLoader worker \(pid(?:\(s\))? (\d[\d, ]{0,200})\) "
    r"(?:is killed by signal: ([A-Z][\w ]{1,40})|exited unexpectedly)"
)


def names_path(text: str) -> str | None:
    """The file that an error's text names, or None. A frame of the interpreter's own is none."""
    for pattern in _PATHS:
        if (
            (found := pattern.search(text))
            and "/third_party/" not in found[1]
            and not found[1].endswith((".cc", ".cpp", ".h"))
        ):
            return found[1]
    return None


def worker_killed(text: str) -> Iterator[tuple[int, str]]:
    """(pid, signal) for each DataLoader worker that the text says has died; the signal is "" when it is not told."""
    if found := _KILLED.search(text):
        signal = (signal_named(found[2]) or found[2].strip()) if found[2] else ""
        for pid in re.findall(r"\d+", found[1]):
            yield int(pid), signal
