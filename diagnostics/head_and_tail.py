"""What is too long to be kept: its head, its tail, and between them a line that says how many bytes are left out.

    [14680064 bytes left out]

How something was started stands at its head, how it ended at its tail.
"""

from __future__ import annotations

import re
from collections import deque

HEAD_BYTES = 48 << 10  # the line below it lies in the 64 KiB that are looked at of every artefact (`Text.head`)
_SAID = b" bytes left out]"
_LINE = re.compile(rb"^\[(\d{1,18})%s\r?$" % re.escape(_SAID), re.M)


class HeadAndTail:
    """Bytes as they come, of which at most about `limit` are kept."""

    def __init__(self, limit: int) -> None:
        self._head_bytes = min(HEAD_BYTES, limit // 2)
        self._tail_bytes = limit - self._head_bytes
        self._head = bytearray()
        self._tail: deque[bytes] = deque()
        self._held = self._dropped = 0  # bytes: in the tail, and of what had to go from its beginning

    def add(self, data: bytes) -> None:
        room = self._head_bytes - len(self._head)
        self._head += data[:room]
        self._tail.append(data[room:])
        self._held += len(self._tail[-1])
        while self._held - len(self._tail[0]) >= self._tail_bytes:
            self._dropped += len(self._tail[0])
            self._held -= len(self._tail.popleft())

    def whole_lines(self) -> tuple[bytes, int]:
        """All of it and 0; or its first and its last lines, none of them torn, and how many bytes are left out."""
        head, tail = bytes(self._head), b"".join(self._tail)
        if not self._dropped:
            return head + tail, 0
        first, last = head[: head.rfind(b"\n") + 1] or head, tail.partition(b"\n")[2] or tail
        count = len(head) + self._dropped + len(tail) - len(first) - len(last)
        return b"%s\n%s\n%s" % (first.removesuffix(b"\n"), left_out(count).encode(), last), count


def left_out(count: int) -> str:
    """The line that stands for `count` bytes."""
    return f"[{count} bytes left out]"


def bytes_left_out(head: bytes) -> int:
    """How many bytes the head of an artefact says are left out of it; 0 where it says nothing of the kind."""
    found = _LINE.search(head) if _SAID in head else None  # every artefact is asked: the fixed words are found sooner
    return int(found[1]) if found else 0
