"""What the rules find in an incident: every symptom present, absent or unobserved, on the subjects that tell it apart.

Findings of one rule that agree about their subject are one observation with more evidence. What passed by itself, in a
run that went on, is taken back.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial

from .evidence import NOBODY, Coverage, Evidence, Source, Subject, each_once
from .incident import Incident
from .runs import ended_well, outlived
from .symptoms import Finding, Symptom, all_symptoms, run_rule

OWNED = {"mount", "device", "path"}  # two machines have others of one name


class State(StrEnum):
    """Three things, never two: nobody looked is not "not there"."""

    PRESENT = "present"
    ABSENT = "absent"
    UNOBSERVED = "unobserved"


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
    return all(any(outlived(run, fact, incident.timeline) or ended_well(run, fact) for run in known) for fact in facts)


class RuleRaised(ResourceWarning):
    """A rule raised: kept from users, and an error in the tests, as one of a parser is."""


def _findings_of(name: str, symptom: Symptom, incident: Incident) -> tuple[Sequence[Finding], str]:
    """What a rule finds, and why it looked no further where it raised: one rule's defect ends no other's."""
    found = run_rule(symptom, incident)
    if found.error is None:
        return found.findings, ""
    fault = f"the rule of {name} failed and may have missed something: {type(found.error).__name__}: {found.error}"[
        :300
    ]
    warnings.warn(RuleRaised(fault), stacklevel=2)
    return [each for each in found.findings if each.present], fault


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
