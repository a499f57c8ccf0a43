"""A diagnosis and a fact as JSON: the published contracts `schemas/diagnosis.json` and `schemas/fact.json`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .chain import chain_of
from .diagnosis import Diagnosis
from .evidence import Coverage, Evidence, Source
from .explanation import Row, explain
from .hypothesis import Hypothesis
from .observation import State
from .time_order import TimeOrder, time_order
from .timeline import Timeline

SCHEMA = "diagnosis/1"
EVIDENCE_SHOWN = 20


def diagnosis_as_json(diagnosis: Diagnosis) -> dict[str, Any]:
    """The diagnosis in its published form; keys are stable within a schema version."""
    explanation = explain(diagnosis)
    told = {(row.symptom, row.subject): row for row in explanation.table}
    return {
        "schema": SCHEMA,
        "verdict": diagnosis.verdict.value,
        "answer": list(dict.fromkeys(each.slug for each in diagnosis.answer)),
        "finding": [{"text": each.text, "evidence": _sources(each.sources)} for each in explanation.finding],
        "causes": [_cause(each, time_order(diagnosis.incident, each)) for each in diagnosis.hypotheses],
        "symptoms": [
            {
                "symptom": each.symptom,
                "state": each.state.value,
                "subject": each.subject.known(),
                **_told(told.get((each.symptom, each.subject)) if each.state is State.PRESENT else None),
                "seen": list(each.notes[:5]),
                "evidence": _sources(each.sources[:EVIDENCE_SHOWN]),
            }
            for each in diagnosis.observations
        ],
        "chain": [
            {
                "text": link.text,
                "subject": link.subject.known(),
                "at": link.at.isoformat() if link.at else None,
                "evidence": _sources(link.sources),
            }
            for link in (chain_of(diagnosis) if diagnosis.hypotheses else [])
        ],
        "precedents": [{"text": each.text, "evidence": _sources(each.sources)} for each in explanation.precedents],
        "coverage": [_coverage(each) for each in diagnosis.incident.coverage],
        "next_probes": [
            {"probe": each.symptom, "why": each.why, "gain_bits": each.gain_bits, "command": each.command}
            for each in explanation.questions
        ],
        "robustness": diagnosis.robustness,
    }


def _cause(hypothesis: Hypothesis, order: TimeOrder) -> dict[str, Any]:
    return {
        "cause": hypothesis.slug,
        "family": hypothesis.cause.family,
        "subject": hypothesis.about.known(),
        "posterior": round(hypothesis.posterior, 6),
        "bits": round(hypothesis.bits, 3),
        "worded_bits": round(hypothesis.worded, 3),
        "by_symptoms": round(hypothesis.by_symptoms, 6),
        "lead": hypothesis.is_lead,
        "explains": list(hypothesis.explains),
        "against": list(hypothesis.against),
        "time_order": order.value,
    }


def _told(row: Row | None) -> dict[str, Any]:
    return {"role": row.role.value if row and row.role else None, "explanation": row.actually if row else ""}


def _coverage(each: Coverage) -> dict[str, Any]:
    return {
        "file": each.file,
        "parser": each.parser,
        "medium": each.medium,
        "state": each.state.value,
        "reason": each.reason,
        "facts": each.facts,
    }


def _sources(sources: Iterable[Source]) -> list[dict[str, Any]]:
    return [{"file": each.file, "line": each.line, "quote": each.quote} for each in sources]


def fact_as_json(fact: Evidence, timeline: Timeline) -> dict[str, Any]:
    """One fact in the published form."""
    at = timeline.at(fact)
    return {
        "kind": fact.kind,
        "at": at.isoformat() if at else None,
        "clock": fact.stamp.clock.value if fact.stamp else None,
        "subject": fact.subject.known(),
        "severity": fact.severity.value,
        "file": fact.source.file,
        "line": fact.source.line,
        "quote": fact.source.quote,
        **fact.fields(),
    }
