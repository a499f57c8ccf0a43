"""probe.jsonl: what every network volume answers to stat, statfs, readdir and a read; nothing is written to it.

    {"probe": "read-data", "mount": "/workspace", "outcome": "silent", "elapsed_s": 6.0, ...}

The read drops the page cache of a few files and asks for some of their blocks: on a healthy volume some
milliseconds, on a dead one the difference between "slow" and "gone".
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

from ..probes import ProbeReport, run_probes
from ._collector import Collector, Piece
from ._scope import Scope

QUESTIONS = ("stat", "statfs", "readdir", "read-data")
TOGETHER_S = 6.0
MOST_VOLUMES = 8


def collect(scope: Scope) -> Iterator[Piece]:
    if not scope.ask_volumes:
        return
    volumes = [point.mount for point in scope.mounts if point.filesystem.network and point.mount != "/"]
    with ThreadPoolExecutor(MOST_VOLUMES) as pool:
        reports = list(pool.map(lambda mount: _ask(scope, mount), list(dict.fromkeys(volumes))[:MOST_VOLUMES]))
    if reports:
        text = "".join(report.json_lines() for report in reports)
        yield Piece("probe.jsonl", text.encode())


def _ask(scope: Scope, mount: str) -> ProbeReport:
    return run_probes([mount], only=QUESTIONS, deadline_s=TOGETHER_S, control=None, cancel=scope.cancel)


COLLECTOR = Collector("what the network volumes answer", collect)
