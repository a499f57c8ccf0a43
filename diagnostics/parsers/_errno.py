"""The errno behind an operating system's message: "No space left on device" is ENOSPC."""

from __future__ import annotations

import errno
import os
import re

MESSAGES = {os.strerror(code).lower(): name for code, name in sorted(errno.errorcode.items(), reverse=True)}
MESSAGES |= {"stale nfs file handle": "ESTALE", "quota exceeded": "EDQUOT"}  # older kernels, and GPFS
NAMES = frozenset(errno.errorcode.values())
NAMED = re.compile(r"\b(E[A-Z0-9]{2,14})\b")
NUMBERED = re.compile(r"\[Errno (\d{1,3})\]|\(os error (\d{1,3})\)|\berrno[ =:]{1,3}(\d{1,3})\b|\((\d{1,3})\)\s*$")
LONGEST_FIRST = sorted(MESSAGES, key=len, reverse=True)


def errno_in(text: str) -> str | None:
    """The name of the errno that a message names, words or numbers, or None."""
    text = text[:2000]
    lower = text.lower()
    for message in LONGEST_FIRST:
        if message in lower:
            return MESSAGES[message]
    if (found := NAMED.search(text)) and found[1] in NAMES:
        return found[1]
    if found := NUMBERED.search(text):
        return errno.errorcode.get(int(next(group for group in found.groups() if group)))
    return None
