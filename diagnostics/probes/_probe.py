"""What a probe is, and the registry of this folder's."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ..question import Question

MIB = 1 << 20
Rung = dict[str, Any]


@dataclass(frozen=True)
class Plan:
    """What a person allows: the size to reach, in bytes, which is also the size of what is read."""

    size: int = 256 * MIB


@dataclass(frozen=True)
class Probe:
    """One live question.

    Parameters
    ----------
    title : the question in words
    question : what the child runs
    deadline_s : the time that a healthy volume never needs
    order : probes run in this order: cheap and harmless ones first
    stages : True when it needs a folder of its own on the volume
    rungs : the arguments of each time that it is asked, smallest first; `written` of a rung is how many bytes
        it writes, and a budget is held to it
    paced : True when it takes `seconds`, after which it stops and says what it has: slow is not silent
    about : "mount" or "machine"; a question about the machine is asked once
    """

    title: str
    question: Question
    deadline_s: float
    order: int
    stages: bool = True
    rungs: Callable[[Plan], list[Rung]] = lambda plan: [{}]
    paced: bool = False
    about: str = "mount"

    @property
    def name(self) -> str:
        return next(name for name, probe in all_probes().items() if probe is self)


@cache
def all_probes() -> dict[str, Probe]:
    """Every probe of this folder by name, in the order in which they are asked."""
    names = [
        module.name for module in pkgutil.iter_modules([str(Path(__file__).parent)]) if not module.name.startswith("_")
    ]
    found = {name.replace("_", "-"): importlib.import_module(f"{__package__}.{name}") for name in names}
    probes = {name: module.PROBE for name, module in found.items() if hasattr(module, "PROBE")}
    return dict(sorted(probes.items(), key=lambda item: item[1].order))
