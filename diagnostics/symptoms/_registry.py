"""Every symptom of this folder by its name, and what its rule finds: once an incident, whoever asks."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from typing import NamedTuple

from ..incident import Incident
from ._once import once_per_incident
from ._symptom import Finding, Symptom


class Found(NamedTuple):
    """What a rule found in an incident, and what it raised where that kept it from looking further."""

    findings: tuple[Finding, ...]
    error: Exception | None = None


@cache
def all_symptoms() -> dict[str, Symptom]:
    """Every symptom of this folder; `stalled_reads.py` is the symptom `stalled-reads`."""
    folder = importlib.import_module(__package__)
    names = sorted(module.name for module in pkgutil.iter_modules(folder.__path__) if not module.name.startswith("_"))
    return {name.replace("_", "-"): importlib.import_module(f"{__package__}.{name}").SYMPTOM for name in names}


def findings_of(incident: Incident, *names: str) -> list[Finding]:
    """What the rules of other symptoms find in an incident, present or absent. Raises what such a rule raises."""
    findings: list[Finding] = []
    for name in names:
        found = run_rule(all_symptoms()[name], incident)
        if found.error:
            raise found.error
        findings.extend(found.findings)
    return findings


def run_rule(symptom: Symptom, incident: Incident) -> Found:
    """What the rule of a symptom finds in an incident."""
    known = _known(incident)
    if symptom not in known:
        known[symptom] = _run(symptom, incident)
    return known[symptom]


@once_per_incident
def _known(_: Incident) -> dict[Symptom, Found]:
    return {}


def _run(symptom: Symptom, incident: Incident) -> Found:
    findings: list[Finding] = []
    try:
        findings.extend(symptom.rule(incident))
    except Exception as error:
        return Found(tuple(findings), error)
    return Found(tuple(findings))
