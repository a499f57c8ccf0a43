"""What every file of this folder is made of: a symptom, and what its rule finds."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from ..evidence import Coverage, Evidence, Subject
from ..filesystems import ByFilesystem
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
        say whose they are; by the volume's filesystem where each is asked in its own way
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
    command: str | ByFilesystem = ""
    cost_minutes: float = 1.0
    healthy: bool = False
    may_pass: bool = False
