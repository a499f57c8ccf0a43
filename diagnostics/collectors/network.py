"""ip_link.txt (interfaces with their error counters) and, where there is InfiniBand, ibstat.txt and its counters."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from ..question import Question
from ._collector import Collector, Piece, State, command_piece, question_piece
from ._scope import Scope


def show_infiniband(say: Any) -> None:
    root = "/sys/class/infiniband"
    for device in sorted(os.listdir(root)) if os.path.isdir(root) else ():
        for port in sorted(os.listdir(f"{root}/{device}/ports")):
            base = f"{root}/{device}/ports/{port}"
            names = ["state", "phys_state", "rate", "link_layer"]
            names += [f"counters/{name}" for name in sorted(os.listdir(f"{base}/counters"))]
            for name in names:
                try:
                    with open(f"{base}/{name}") as file:
                        say(text=f"{base}/{name}:{file.read().strip()}\n")
                except OSError:
                    continue


INFINIBAND = Question(show_infiniband)


def collect(scope: Scope) -> Iterator[Piece]:
    piece = command_piece(scope, "ip_link.txt", ["ip", "-s", "link", "show", "up"], deadline_s=5)
    if piece.state is State.REFUSED:
        piece = command_piece(scope, "net_dev.txt", ["cat", "/proc/net/dev"], deadline_s=5)
    yield piece
    counters = question_piece(scope, "infiniband.txt", INFINIBAND, deadline_s=5)
    if counters.content or not counters.answered:
        yield counters
        yield command_piece(scope, "ibstat.txt", ["ibstat"], deadline_s=5)


COLLECTOR = Collector("network interfaces", collect)
