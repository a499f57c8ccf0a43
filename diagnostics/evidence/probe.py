"""What a live probe came back with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from . import Evidence


class Outcome(StrEnum):
    """How a probe ended. Silent is never "missing": nobody knows."""

    ANSWERED = "answered"
    REFUSED = "refused"
    SILENT = "silent"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeAnswer(Evidence):
    """One question to one mount (or device), asked in a child under a deadline. Subject: mount, path.

    `values` are numbers with their unit in the name ("p99_s", "bytes_per_s"); `error` is the errno's name
    when refused; `control` names the same question's values on the local disk.

        {"probe": "read-data", "mount": "/workspace", "outcome": "silent", "elapsed_s": 10.0}
    """

    probe: str
    outcome: Outcome
    elapsed_s: float
    error: str | None = None
    text: str = ""
    values: Mapping[str, float] = field(default_factory=dict)
    control: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectionGap(Evidence):
    """Something that `collect` asked for and did not get. `state` is "refused" or "silent".

    {"collector": "disk_usage", "state": "silent", "reason": "/workspace gave no answer in 4 s", ...}
    """

    collector: str
    state: str
    reason: str
    elapsed_s: float
