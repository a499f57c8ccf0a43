"""Symptoms: rules over the evidence that an operator could argue with, one file each; the folder is the registry.

A symptom module's docstring is the rule in words. Its one constant is `SYMPTOM`; its rule takes the incident and
yields findings: where the symptom is present (with the evidence for it), or where it was looked for and is not
there (with the coverage that would have shown it). A rule that yields nothing says that nobody looked. A symptom
knows no cause.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache

from ..evidence import Coverage, Evidence, Subject
from ..incident import Incident


@dataclass(frozen=True)
class Finding:
    """What a rule found on one subject.

    Parameters
    ----------
    subject : what it is about; unknown fields match any cause
    evidence : the facts that show it, or the coverage that would have shown it
    note : what was seen, in one sentence with its numbers
    present : False = looked for and not there
    """

    subject: Subject
    evidence: tuple[Evidence | Coverage, ...]
    note: str
    present: bool = True

    @property
    def fact(self) -> Evidence | None:
        """The first fact of its evidence, the one that it is about; None where there is nothing but coverage."""
        return next((each for each in self.evidence if isinstance(each, Evidence)), None)


@dataclass(frozen=True)
class Symptom:
    """How a symptom is recognised and how much it means by itself.

    Parameters
    ----------
    title : what is seen, as an operator would say it, without any cause
    rule : yields the findings in an incident
    leak : probability of seeing it in an incident without any cause that this package knows
    because : why that number
    tells_apart : the subject fields by which two findings are two symptoms ("mount", "gpu", "rank" ...);
        findings that agree on them are one symptom with more evidence
    command : how to get the artefact that would show it, ready to paste; its placeholders (MOUNT, JOB_PID, STUCK_PID)
        say whose they are
    cost_minutes : what getting it costs a person
    healthy : True for a sign that nothing is wrong
    may_pass : True for trouble that may pass by itself: where the run went on well after the last of it, or ended well,
        it did
    """

    title: str
    rule: Callable[[Incident], Iterable[Finding]]
    leak: float
    because: str
    tells_apart: tuple[str, ...] = ()
    command: str = ""
    cost_minutes: float = 1.0
    healthy: bool = False
    may_pass: bool = False


@cache
def all_symptoms() -> dict[str, Symptom]:
    """Every symptom of this folder; `stalled_reads.py` is the symptom `stalled-reads`."""
    names = sorted(module.name for module in pkgutil.iter_modules(__path__) if not module.name.startswith("_"))
    return {name.replace("_", "-"): importlib.import_module(f"{__name__}.{name}").SYMPTOM for name in names}
