"""Fixed words looked for in a large artefact: by ripgrep where it is installed, else here.

ripgrep reads several gigabytes a second as long as the words are few enough for its vector search, so many words
are split among processes that run side by side. Without it the same lines are found, more slowly.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from heapq import merge
from pathlib import Path
from typing import NamedTuple

WORDS_A_PROCESS = 48  # ripgrep's vector search (Teddy) takes up to 64 words and slows down before


class Found(NamedTuple):
    """A line that holds one of the words: its 1-based number and the offset of its first byte."""

    number: int
    offset: int


@cache
def program() -> str | None:
    """The `rg` beside this Python, or the one on the PATH."""
    beside = Path(sys.executable).with_name("rg")
    return str(beside) if beside.is_file() else shutil.which("rg")


def lines_of_file(words: Sequence[str], patterns: Sequence[str], path: Path) -> list[Found]:
    """The lines of a file that hold any of the words or match any of the patterns, in order, each once."""
    if program() is None:
        return search_here(words, patterns, _blocks(path)) if words or patterns else []
    parts = -(-len(words) // WORDS_A_PROCESS)
    # neighbours share their first letters, which is what the vector search looks at
    shares = [("-F", words[len(words) * n // parts : len(words) * (n + 1) // parts]) for n in range(parts)]
    if patterns:  # an automaton: it takes longest, however many they are
        shares.insert(0, ("--no-unicode", patterns))
    with ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
        return list(_once(merge(*pool.map(lambda share: _one_process(share[0], share[1], path), shares))))


def lines_of_data(words: Sequence[str], patterns: Sequence[str], data: bytes) -> list[Found]:
    """The same of bytes in memory, such as an archive's entry: given to ripgrep as a file that lies on no disk."""
    if program() is None or not hasattr(os, "memfd_create"):
        return search_here(words, patterns, (data,)) if words or patterns else []
    with os.fdopen(os.memfd_create("artefact"), "wb") as file:
        file.write(data)
        file.flush()
        return lines_of_file(words, patterns, Path(f"/proc/{os.getpid()}/fd/{file.fileno()}"))


def _once(found: Iterable[Found]) -> Iterator[Found]:
    last = 0
    for line in found:
        if line.number > last:
            last = line.number
            yield line


_NUMBERS = re.compile(rb"^(\d+):(\d+):", re.MULTILINE)


# -a: a NUL byte must not end the search; --max-columns 1 keeps the lines' text out of the pipe; without mmap the
# file does not count as the process's memory
_OPTIONS = "--no-config -a -n -b -I --no-heading --color never --no-mmap --max-columns 1".split()


def _one_process(how: str, words: Sequence[str], path: Path) -> list[Found]:
    with tempfile.NamedTemporaryFile("w", suffix=".words") as list_of_words:
        list_of_words.write("\n".join(words) + "\n")
        list_of_words.flush()
        run = subprocess.run(
            [program() or "rg", *_OPTIONS, how, "-f", list_of_words.name, "--", str(path)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            check=False,
        )
    if run.returncode > 1:  # it found an error, not nothing
        fixed = how == "-F"
        return search_here(words if fixed else (), () if fixed else words, _blocks(path))
    return [Found(int(line), int(offset)) for line, offset in _NUMBERS.findall(run.stdout)]


_BLOCK = 1 << 24


def _blocks(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            yield block + file.readline(_BLOCK)


def _local(pattern: str) -> str:
    """A pattern with its flags in a group of its own, so that it can stand among others."""
    found = re.match(r"\(\?([a-z]+)\)", pattern)
    return f"(?{found[1]}:{pattern[found.end() :]})" if found else pattern


def search_here(words: Sequence[str], patterns: Sequence[str], blocks: Iterable[bytes]) -> list[Found]:
    """The same lines by Python's own engine; each block but the last ends with a line."""
    both = [re.escape(word) for word in words] + [_local(pattern) for pattern in patterns]
    pattern = re.compile("|".join(both).encode(), re.MULTILINE)
    found: list[Found] = []
    number, offset = 1, 0
    for block in blocks:
        counted = 0
        for match in pattern.finditer(block):
            start = block.rfind(b"\n", 0, match.start()) + 1
            number += block.count(b"\n", counted, start)
            counted = start
            if not found or found[-1].number != number:
                found.append(Found(number, offset + start))
        number += block.count(b"\n", counted)
        offset += len(block)
    return found
