"""A diagnosis in words: the finding, what each symptom was actually doing, the chain, why not the others.

Every sentence carries the lines it stands on. Nothing is said that no evidence or table row says.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from .advice import checks, command, sentence, steps
from .causes import Role
from .chain import Link, chain_of, heading
from .diagnosis import Diagnosis
from .evidence import Coverage, ReadState, Source, Subject
from .finding import Sentence, seen
from .hypothesis import Hypothesis, Verdict, named
from .next_probe import Question, next_questions
from .printable import cite
from .symptoms import all_symptoms

RIVALS_SHOWN = 4
SIGNS_SHOWN, ASKED = 3, 2  # in brief
WHOLE = "Without --brief: why, and why not the others."
WHY_NOT = "Why not the others (how likely each is at work beside the answer)"
NEGLIGIBLE = 0.001  # a rival below it is shown only where it is a usual suspect


@dataclass(frozen=True)
class Row:
    """A symptom in the table "symptom -> what it was actually doing"."""

    symptom: str
    subject: Subject
    title: str
    seen: str
    actually: str
    role: Role | None
    sources: tuple[Source, ...]


@dataclass(frozen=True)
class Explanation:
    """A diagnosis as a colleague would tell it; every part may be empty except the finding.

    `heading` is what the chain may be called.
    """

    finding: tuple[Sentence, ...]
    stands_on: tuple[Sentence, ...]
    table: tuple[Row, ...]
    chain: tuple[Link, ...]
    heading: str
    rivals: tuple[Sentence, ...]
    suspects: tuple[Sentence, ...]
    unexplained: tuple[Sentence, ...]
    precedents: tuple[Sentence, ...]
    now: tuple[str, ...]
    for_good: tuple[str, ...]
    would_refute: tuple[str, ...]
    questions: tuple[Question, ...]
    coverage: tuple[Sentence, ...]


def explain(diagnosis: Diagnosis) -> Explanation:
    """Put a diagnosis into words; the same words every time."""
    answer = diagnosis.answer
    return Explanation(
        finding=diagnosis.finding,
        stands_on=tuple(_stands_on(diagnosis)),
        table=tuple(sorted(_table(diagnosis), key=lambda row: row.role.place if row.role else len(Role))),
        chain=tuple(chain_of(diagnosis)) if answer else (),
        heading=heading(diagnosis),
        rivals=tuple(_rivals(diagnosis)),
        suspects=tuple(_suspects(diagnosis)),
        unexplained=tuple(Sentence(seen(each), each.sources[:2]) for each in diagnosis.unexplained),
        precedents=tuple(_precedents(diagnosis)),
        now=tuple(dict.fromkeys(step for each in answer for step in steps(each.cause.now, each, diagnosis))),
        for_good=tuple(dict.fromkeys(step for each in answer for step in steps(each.cause.for_good, each, diagnosis))),
        would_refute=tuple(dict.fromkeys(check for each in answer for check in checks(each, diagnosis))),
        questions=tuple(_questions(diagnosis)),
        coverage=tuple(_coverage(diagnosis.incident.coverage)),
    )


def _stands_on(diagnosis: Diagnosis) -> Iterable[Sentence]:
    """How much of the answer is left when one symptom was misread; a lead says of itself what it is."""
    if not any(not each.is_lead for each in diagnosis.answer):
        return
    table, carrying = all_symptoms(), diagnosis.hangs_on
    if not carrying:
        yield Sentence("No single symptom carries it: without any one of them the answer stays.")
        return
    each_of, that = ("", "that") if len(carrying) == 1 else ("each of ", "one of them")
    on = _listed(table[each.symptom].title for each in carrying)
    cited = tuple(source for each in carrying for source in each.sources[:1])
    yield Sentence(f"It hangs on {each_of}{on}: were {that} misread, it would not be the answer.", cited)


def _table(diagnosis: Diagnosis) -> Iterable[Row]:
    table = all_symptoms()
    for each in diagnosis.present:
        symptom = table[each.symptom]
        if symptom.healthy:
            continue
        by = next((h for h in diagnosis.answer if each in h.explained), None)
        effect = by.cause.effect(each.symptom) if by else None
        actually = sentence(effect.actually, by, each) if effect and by else ""
        role = effect.role if effect else None
        yield Row(each.symptom, each.subject, symptom.title, seen(each), actually, role, each.sources[:6])


def _rivals(diagnosis: Diagnosis) -> Iterable[Sentence]:
    """Why not the others: those next in line; where nothing is wrong nobody asks."""
    if diagnosis.verdict is Verdict.HEALTHY:
        return
    usual = _usual_suspects(diagnosis)
    for each in _others(diagnosis)[:RIVALS_SHOWN]:
        if each.posterior >= NEGLIGIBLE and each.slug not in usual:
            yield _against(diagnosis, each)


def _suspects(diagnosis: Diagnosis) -> Iterable[Sentence]:
    """What the answer is easily mistaken for: why it looks like it, and what speaks against it."""
    judged = {each.slug: each for each in reversed(_others(diagnosis))}
    for slug, alike in _usual_suspects(diagnosis).items():
        if slug in judged:
            yield _against(diagnosis, judged[slug], f"tempting because {alike}; but ")


def _precedents(diagnosis: Diagnosis) -> Iterable[Sentence]:
    """Known incidents that are worded most like this one, where its wording carries the answer."""
    for each in diagnosis.answer:
        if each.is_lead and (alike := ", ".join(diagnosis.words.alike(each.slug))):
            yield Sentence(f"{each.cause.title}: {alike}", tuple(diagnosis.words.telling(each.slug)))


def _usual_suspects(diagnosis: Diagnosis) -> dict[str, str]:
    """What the causes of the answer are mistaken for, by slug, with why."""
    answered = {each.slug for each in diagnosis.answer}
    return {who: why for each in diagnosis.answer for who, why in each.cause.mistaken_for if who not in answered}


def _others(diagnosis: Diagnosis) -> list[Hypothesis]:
    chosen = {id(each) for each in diagnosis.answer}
    return [each for each in diagnosis.hypotheses if id(each) not in chosen]


def _against(diagnosis: Diagnosis, rival: Hypothesis, tempting: str = "") -> Sentence:
    """How likely a rival is at work beside the answer, and why it is not the answer."""
    table = all_symptoms()
    missed = rival.missed
    unexplained = [name for name in rival.against if name not in missed]
    reasons = []
    if unexplained:
        reasons.append(f"it does not explain {_listed(table[name].title for name in unexplained[:3])}")
    if missed:
        reasons.append(f"it would have shown {_listed(table[name].title for name in missed[:2])}, looked for in vain")
    if diagnosis.lacking and rival is diagnosis.hypotheses[0]:
        reasons.append(diagnosis.lacking)
    if not reasons:
        reasons.append(
            "less of the evidence speaks for it" if rival.bits > 0 else "nothing that was collected speaks for it"
        )
    chance = f"{rival.posterior:.1%}" if rival.posterior >= NEGLIGIBLE else f"under {NEGLIGIBLE:.1%}"
    cited = {each.symptom: each for each in reversed(rival.opposed)}
    sources = tuple(source for name in unexplained[:2] for source in cited[name].sources[:1])
    return Sentence(f"{named(rival)} ({chance}): {tempting}{'; '.join(reasons)}", sources)


def _questions(diagnosis: Diagnosis) -> Iterable[Question]:
    for each in next_questions(diagnosis):
        yield replace(each, command=command(each.command, each.about, diagnosis))


def _listed(items: Iterable[str]) -> str:
    words = [f"“{each}”" for each in items]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def _coverage(coverage: Sequence[Coverage]) -> Iterable[Sentence]:
    """What was read and what was not; unread is not absent."""
    read = sorted({each.file for each in coverage if each.state in (ReadState.READ, ReadState.CUT)})
    yield Sentence(f"Read {len(read)} of {len({each.file for each in coverage})} files.")
    for each in coverage:
        if each.state is not ReadState.READ:
            yield Sentence(
                f"{each.file}: {each.state.value}{f' ({each.reason})' if each.reason else ''}", (each.source,)
            )


def format_brief(explanation: Explanation) -> str:
    """What a person needs first, on about one screen: the finding, its best signs, and what to do or to ask now."""
    parts = [_cited(explanation.finding)]
    if explanation.table:
        shown = [f"  {row.title}{cite(row.sources[:1])}" for row in explanation.table[:SIGNS_SHOWN]]
        more = len(explanation.table) - len(shown)
        parts.append("\n".join(["Seen above all", *shown, *([f"  and {more} more"] if more else [])]))
    parts += [_numbered("Do now", explanation.now), "" if explanation.now else _asked(explanation.questions[:ASKED])]
    return "\n\n".join(part for part in parts if part) + f"\n\n{explanation.coverage[0].text} {WHOLE}\n"


def format_explanation(explanation: Explanation) -> str:
    """The whole explanation as plain text: the finding, what to do or to ask now, and then why."""
    decided = bool(explanation.now)
    asked = _asked(explanation.questions)
    parts = [
        _cited((*explanation.finding, *explanation.stands_on)),
        _numbered("Do now", explanation.now),
        _numbered("What would prove it wrong", explanation.would_refute),
        "" if decided else asked,
        _seen(explanation.table, decided),
        _chain(explanation),
        _listing(WHY_NOT if decided else "Why none of them is the answer", explanation.rivals),
        _listing("Easily mistaken for", explanation.suspects),
        _listing("Not explained by this answer", explanation.unexplained if decided else ()),
        _listing("Known incidents that are worded alike, to compare with", explanation.precedents),
        _numbered("Change for good", explanation.for_good),
        asked if decided else "",
        "What was read\n" + "\n".join(f"  {each.text}" for each in explanation.coverage),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _cited(sentences: Iterable[Sentence]) -> str:
    return " ".join(f"{each.text}{cite(each.sources)}" for each in sentences)


def _listing(title: str, sentences: Sequence[Sentence]) -> str:
    """A heading and a sentence a line; nothing where there is none."""
    return "\n".join([title, *(f"  {_cited([each])}" for each in sentences)]) if sentences else ""


def _numbered(title: str, advised: Sequence[str]) -> str:
    return "\n".join([title, *(f"  {at}. {step}" for at, step in enumerate(advised, start=1))]) if advised else ""


def _asked(questions: Sequence[Question]) -> str:
    if not questions:
        return ""
    title = "What to ask next (bits it is expected to tell; the most for its effort first)"
    asked = (f"  {each.gain_bits:.2f} bits  {each.why}\n             {each.command}" for each in questions)
    return "\n".join([title, *asked])


def _seen(table: Sequence[Row], decided: bool) -> str:
    if not table:
        return ""
    rows = (
        f"  {row.title}\n      seen:     {row.seen}{cite(row.sources)}"
        + (f"\n      actually: {row.actually}" if row.actually else "")
        for row in table
    )
    return "\n".join(["What was seen, and what it was actually doing" if decided else "What was seen", *rows])


def _chain(explanation: Explanation) -> str:
    if not explanation.chain:
        return ""
    width = max(len(link.when) for link in explanation.chain)
    lines = (f"  {link.when:{width}}  {link.text}{cite(link.sources)}" for link in explanation.chain)
    return "\n".join([explanation.heading, *lines])
