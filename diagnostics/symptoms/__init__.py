"""Symptoms: rules over the evidence that an operator could argue with, one file each; the folder is the registry.

A symptom module's docstring is the rule in words. Its one constant is `SYMPTOM`; its rule takes the incident and
yields findings: where the symptom is present (with the evidence for it), or where it was looked for and is not
there (with the coverage that would have shown it). A rule that yields nothing says that nobody looked. A symptom
knows no cause.
"""

from __future__ import annotations

import importlib
import pkgutil
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache, partial

from ..evidence import NOBODY, Coverage, Evidence, Source, Subject, each_once
from ..incident import Incident
from ._runs import ended_well, outlived

OWNED = {"mount", "device", "path"}  # two machines have others of one name


class State(StrEnum):
    """Three things, never two: nobody looked is not "not there"."""

    PRESENT = "present"
    ABSENT = "absent"
    UNOBSERVED = "unobserved"


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


@dataclass(frozen=True)
class Observation:
    """A symptom in one incident, on one subject."""

    symptom: str
    state: State
    subject: Subject = NOBODY
    evidence: tuple[Evidence | Coverage, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def sources(self) -> tuple[Source, ...]:
        """Where to look it up, each line once."""
        return each_once(each.source for each in self.evidence)


@cache
def all_symptoms() -> dict[str, Symptom]:
    """Every symptom of this folder; `stalled_reads.py` is the symptom `stalled-reads`."""
    names = sorted(module.name for module in pkgutil.iter_modules(__path__) if not module.name.startswith("_"))
    return {name.replace("_", "-"): importlib.import_module(f"{__name__}.{name}").SYMPTOM for name in names}


def observe(incident: Incident) -> list[Observation]:
    """Every symptom looked for in an incident; those that nobody could have seen come out as unobserved."""
    found = [each for name, symptom in all_symptoms().items() for each in _observe(name, symptom, incident)]
    present = {each.symptom for each in found if each.state is State.PRESENT}
    if not {"steady-progress", "finished-normally"} & present or "progress-stopped" in present:
        return found
    return [Observation(each.symptom, State.UNOBSERVED) if _passed(each, incident) else each for each in found]


def _passed(observation: Observation, incident: Incident) -> bool:
    """True for trouble that may pass and after whose last report the run made progress for minutes, or to its end."""
    symptom = all_symptoms()[observation.symptom]
    facts = [fact for fact in observation.evidence if isinstance(fact, Evidence)]
    if observation.state is not State.PRESENT or not symptom.may_pass or not facts:
        return False
    known = incident.runs
    return all(any(outlived(run, fact, incident) or ended_well(run, fact) for run in known) for fact in facts)


class RuleRaised(ResourceWarning):
    """A rule raised: kept from users, and an error in the tests, as one of a parser is."""


def _findings_of(name: str, symptom: Symptom, incident: Incident) -> tuple[list[Finding], str]:
    """What a rule finds, and why it looked no further where it raised: one rule's defect ends no other's."""
    found: list[Finding] = []
    try:
        found.extend(symptom.rule(incident))
    except Exception as error:
        fault = f"the rule of {name} failed and may have missed something: {type(error).__name__}: {error}"[:300]
        warnings.warn(RuleRaised(fault), stacklevel=2)
        return [each for each in found if each.present], fault
    return found, ""


@dataclass
class _Group:
    """Findings about one subject: the parts that tell it from others, as far as they are known, in their order."""

    present: bool
    known: tuple[str | int | None, ...]
    findings: list[Finding]


def _observe(name: str, symptom: Symptom, incident: Incident) -> Iterator[Observation]:
    found, fault = _findings_of(name, symptom, incident)
    groups: list[_Group] = []
    places: dict[tuple[object, ...], _Group] = {}  # where findings of this very subject went, so that many cost little
    parts = (*symptom.tells_apart, *(("owner",) if OWNED & set(symptom.tells_apart) else ()))
    for finding in map(partial(_told_apart, incident), found):
        known = tuple(getattr(finding.subject, part) for part in parts)
        if (finding.present, known) not in places:
            places[finding.present, known] = _group_of(finding.present, known, groups)
        places[finding.present, known].findings.append(finding)
    merged = [_merge(name, group.findings) for group in groups]
    present = [each for each in merged if each.state is State.PRESENT]
    # seen on a subject is seen, whatever a look elsewhere (or at no subject in particular) did not find
    absent = [
        each
        for each in merged
        if each.state is State.ABSENT and not any(each.subject.agrees_with(seen.subject) for seen in present)
    ]
    if fault or not (present or absent):
        yield Observation(name, State.UNOBSERVED, notes=(fault,) if fault else ())
    yield from [*present, *absent]


def _told_apart(incident: Incident, finding: Finding) -> Finding:
    """A finding whose volume is told from those of other machines."""
    fact = finding.fact
    subject = incident.volumes.told_apart(finding.subject, fact) if fact else finding.subject
    return finding if subject is finding.subject else replace(finding, subject=subject)


def _group_of(present: bool, known: tuple[str | int | None, ...], groups: list[_Group]) -> _Group:
    """The group that a finding belongs to: the first that nothing contradicts, else a new one."""
    for group in groups:
        if group.present == present and all(
            theirs is None or mine is None or mine == theirs for mine, theirs in zip(known, group.known, strict=True)
        ):
            group.known = tuple(
                mine if theirs is None else theirs for mine, theirs in zip(known, group.known, strict=True)
            )
            return group
    groups.append(_Group(present, known, []))
    return groups[-1]


def _merge(name: str, findings: Sequence[Finding]) -> Observation:
    subject = Subject.shared_by(finding.subject for finding in findings)
    evidence = {id(each): each for finding in findings for each in finding.evidence}
    notes = dict.fromkeys(finding.note for finding in findings)
    state = State.PRESENT if findings[0].present else State.ABSENT
    return Observation(name, state, subject, tuple(evidence.values()), tuple(notes))
