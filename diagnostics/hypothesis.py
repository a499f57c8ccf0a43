"""One cause on one subject, judged, and what all of them together come to."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from .causes import Cause
from .evidence import Subject
from .observation import Observation, State

ANSWER_POSTERIOR = 0.75  # below this a leading cause is a suspect, not an answer


class Verdict(StrEnum):
    """What a diagnosis comes to."""

    ROOT_CAUSE = "root-cause"
    INDEPENDENT_CAUSES = "independent-causes"
    INSUFFICIENT = "insufficient"
    HEALTHY = "healthy"


@dataclass(frozen=True)
class Hypothesis:
    """One cause on one subject, judged.

    `subject` tells it from other instances of its cause; `about` is all that is known of that subject. `bits` is the
    weight of all the evidence for it, taken alone, and `worded` the part of it that the wording of the artefacts has;
    `by_symptoms` is the posterior of the cause, on any subject, without that part. `explained` are the observations
    that are there and that it would show; `opposed` those that it would have shown and that are not there, or that are
    there and speak for another. `filesystem` is the kind behind its volume, "" where no table of mounts shows it.
    """

    cause: Cause
    subject: Subject
    about: Subject
    posterior: float
    by_symptoms: float
    bits: float
    worded: float
    explained: tuple[Observation, ...]
    opposed: tuple[Observation, ...]
    filesystem: str = ""

    @property
    def is_lead(self) -> bool:
        """True when the symptoms alone would not make it an answer, and the wording speaks for it."""
        return self.worded > 0 and self.by_symptoms < ANSWER_POSTERIOR

    @property
    def explains(self) -> tuple[str, ...]:
        """The names of the symptoms that it explains."""
        return tuple(dict.fromkeys(each.symptom for each in self.explained))

    @property
    def against(self) -> tuple[str, ...]:
        """The names of the symptoms that speak against it and, of whatever subject, nowhere for it."""
        return tuple(dict.fromkeys(each.symptom for each in self.opposed if each.symptom not in self.explains))

    @property
    def missed(self) -> tuple[str, ...]:
        """The names of those among them that were looked for in vain."""
        absent = {each.symptom for each in self.opposed if each.state is State.ABSENT}
        return tuple(name for name in self.against if name in absent)

    @property
    def slug(self) -> str:
        """The cause's name in verdicts."""
        return self.cause.slug


def named(hypothesis: Hypothesis) -> str:
    """A hypothesis in a sentence: its title and what it happened to."""
    about = hypothesis.about
    cause = hypothesis.cause
    told = {
        "mount": about.mount and f"on {about.mount}",
        "gpu": about.gpu is not None and f"on GPU {about.gpu}" + (f" ({about.pci})" if about.pci else ""),
        "pci": about.gpu is None and about.pci and f"on the device at {about.pci}",
        "rank": about.rank is not None and f"on rank {about.rank}" + (f" (pid {about.pid})" if about.pid else ""),
        "host": about.host and f"on host {about.host}",
        "device": not about.mount and about.device and f"on {about.device}",
        "interface": about.interface and f"on {about.interface}",
        "cgroup": about.cgroup and f"in the cgroup {about.cgroup}",
        "path": not about.mount and about.path and f"at {about.path}",
    }
    where = [words for name, words in told.items() if name in cause.on and words]
    where += [f"of {about.owner}"] if where and about.owner and not about.server else []
    return " ".join((cause.title, *where))
