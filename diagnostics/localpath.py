"""Paths that this program itself may write to or read: never on the volume that may be dead.

A symbolic link may lead there from anywhere, so the path is resolved in a child, under a deadline.
"""

from __future__ import annotations

import os
from typing import Any

from .errors import DiagnosticsError
from .evidence.probe import Outcome
from .mounttable import absolute, mount_of
from .question import Question

DEADLINE_S = 5.0


def resolve(say: Any, path: str) -> dict[str, str]:
    return {"path": os.path.realpath(path)}


RESOLVE = Question(resolve)


def resolved(path: str) -> str | None:
    """The absolute path without symbolic links, or None when the filesystem does not answer."""
    clean = absolute(path)
    answer = RESOLVE.ask(mount_of(clean).mount, DEADLINE_S, path=clean)
    return str(answer.values["path"]) if answer.outcome is Outcome.ANSWERED else None


def local(path: str) -> str:
    """The resolved path; raises DiagnosticsError when it lies on a network volume or cannot be resolved."""
    found = resolved(path)
    if found is None:
        raise DiagnosticsError(f"{path} cannot be looked up: its filesystem does not answer", "name a path in /tmp")
    point = mount_of(found)
    if point.filesystem.network and point.mount != "/":
        raise DiagnosticsError(
            f"{path} lies on {point.filesystem.title} ({point.source}), which may be what is ill",
            "name a path on the local disk, such as one in /tmp",
        )
    return found
