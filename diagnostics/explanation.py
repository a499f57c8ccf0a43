"""A diagnosis in words: the finding, what each symptom was actually doing, the chain, why not the others.

Every sentence carries the lines it stands on. Nothing is said that no evidence or table row says.
"""

from __future__ import annotations

import re
import shlex
import string
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from .causes import Cause, Role
from .chain import Link, TimeOrder, chain_of, time_order
from .evidence import NOBODY, Coverage, ReadState, Source, Subject
from .filesystems import by_name
from .next_probe import Question, next_questions
from .symptoms import Observation, all_symptoms

if TYPE_CHECKING:
    from .diagnosis import Diagnosis, Hypothesis

RIVALS_SHOWN = 4
_RANK = {Role.INITIATING: 0, Role.CASCADE: 1, Role.TEARDOWN: 2, None: 3}


@dataclass(frozen=True)
class Sentence:
    """Something said, and the lines that say it."""

    text: str
    sources: tuple[Source, ...] = ()


@dataclass(frozen=True)
class Row:
    """A symptom in the table "symptom -> what it was actually doing"."""

    symptom: str
    title: str
    seen: str
    actually: str
    role: Role | None
    sources: tuple[Source, ...]


@dataclass(frozen=True)
class Explanation:
    """A diagnosis as a colleague would tell it; every part may be empty except the finding."""

    finding: tuple[Sentence, ...]
    table: tuple[Row, ...]
    chain: tuple[Link, ...]
    rivals: tuple[Sentence, ...]
    suspects: tuple[Sentence, ...]
    unexplained: tuple[Sentence, ...]
    now: tuple[str, ...]
    for_good: tuple[str, ...]
    would_refute: tuple[str, ...]
    questions: tuple[Question, ...]
    coverage: tuple[Sentence, ...]


def explain(diagnosis: Diagnosis) -> Explanation:
    """Put a diagnosis into words; the same words every time."""
    answer = diagnosis.answer
    return Explanation(
        finding=tuple(_finding(diagnosis)),
        table=tuple(sorted(_table(diagnosis), key=lambda row: _RANK[row.role])),
        chain=tuple(chain_of(diagnosis)) if answer else (),
        rivals=tuple(_rivals(diagnosis)),
        suspects=tuple(Sentence(f"{who}: {why}") for each in answer for who, why in each.cause.mistaken_for),
        unexplained=tuple(Sentence(_seen(each), each.sources[:2]) for each in diagnosis.unexplained),
        now=tuple(dict.fromkeys(_step(step, each) for each in answer for step in each.cause.now)),
        for_good=tuple(dict.fromkeys(_step(step, each) for each in answer for step in each.cause.for_good)),
        would_refute=tuple(
            dict.fromkeys(
                f"{c.looks_for}: {for_subject(c.command, each.about)}" for each in answer for c in each.cause.checks
            )
        ),
        questions=tuple(_questions(diagnosis)),
        coverage=tuple(_coverage(diagnosis.incident.coverage)),
    )


def _finding(diagnosis: Diagnosis) -> Iterable[Sentence]:
    from .diagnosis import Verdict

    if diagnosis.verdict is Verdict.HEALTHY:
        signs = [each for each in diagnosis.present if all_symptoms()[each.symptom].healthy]
        yield Sentence("Nothing is wrong in what was collected.")
        yield from (Sentence(_seen(each), each.sources[:2]) for each in signs)
        return
    if diagnosis.verdict is Verdict.INSUFFICIENT:
        yield Sentence("The evidence does not decide.")
        leading = [each for each in diagnosis.hypotheses[:RIVALS_SHOWN] if each.posterior >= 0.02]
        if leading:
            likely = "; ".join(f"{named(each)} ({each.posterior:.0%})" for each in leading)
            yield Sentence(f"Within reach of each other: {likely}.")
        elif not diagnosis.present:
            yield Sentence("No symptom that this program knows was found in what was collected.")
        return
    for each in diagnosis.answer:
        sources = tuple(s for o in _explained(diagnosis, each) for s in o.sources[:1])[:4]
        yield Sentence(f"The cause is {named(each)} ({each.posterior:.0%}): {each.cause.what}.", sources)
        yield from _introduce(diagnosis, each)
        if time_order(diagnosis, each) is TimeOrder.CONTRADICTS:
            yield Sentence("Against it: by the clocks, its consequences were seen before its first effect.")
    if len(diagnosis.answer) > 1:
        yield Sentence("These are independent of each other: neither explains what the other does.")


def _introduce(diagnosis: Diagnosis, hypothesis: Hypothesis) -> Iterable[Sentence]:
    """The filesystem behind a volume, in a sentence for somebody who never heard its name."""
    for mount in diagnosis.incident.links.mounts:
        if hypothesis.about.mount is not None and mount.subject.mount == hypothesis.about.mount:
            kind = by_name(mount.filesystem)
            served = f", served by {mount.subject.server}" if mount.subject.server else ""
            yield Sentence(f"{mount.subject.mount} is {kind.title}{served}. {kind.what}.", (mount.source,))


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
    return " ".join((cause.title, *where))


def _table(diagnosis: Diagnosis) -> Iterable[Row]:
    table = all_symptoms()
    for each in diagnosis.present:
        symptom = table[each.symptom]
        if symptom.healthy:
            continue
        by = next((h for h in diagnosis.answer if each.symptom in h.explains), None)
        effect = by.cause.effect(each.symptom) if by else None
        actually = fill(effect.actually, by, each) if effect and by else ""
        seen = each.notes[0] if each.notes else symptom.title
        yield Row(each.symptom, symptom.title, seen, actually, effect.role if effect else None, each.sources[:6])


def _rivals(diagnosis: Diagnosis) -> Iterable[Sentence]:
    """Why not the others: those next in line, and the suspects that the answer is usually mistaken for."""
    tempting = {who for each in diagnosis.answer for who, _ in each.cause.mistaken_for}
    chosen = {id(each) for each in diagnosis.answer}
    others = [each for each in diagnosis.hypotheses if id(each) not in chosen]
    shown = [each for i, each in enumerate(others) if i < RIVALS_SHOWN or each.slug in tempting]
    present = {each.symptom: each for each in diagnosis.present}
    table = all_symptoms()
    for each in shown[: RIVALS_SHOWN + 4]:
        against = [name for name in each.against if name in present]
        missing = [name for name in each.against if name not in present]
        reasons = []
        if against:
            reasons.append(f"it does not explain {_listed(table[name].title for name in against[:3])}")
        if missing:
            reasons.append(
                f"it would have shown {_listed(table[name].title for name in missing[:2])}, which was looked for"
            )
        if not reasons:
            reasons.append("nothing that was collected speaks for it" if each.bits <= 0 else "less speaks for it")
        sources = tuple(source for name in against[:2] for source in present[name].sources[:1])
        yield Sentence(f"{named(each)} ({each.posterior:.1%}): {'; '.join(reasons)}", sources)


def _questions(diagnosis: Diagnosis) -> Iterable[Question]:
    about = diagnosis.hypotheses[0].about if diagnosis.hypotheses else NOBODY
    return (replace(each, command=for_subject(each.command, about)) for each in next_questions(diagnosis))


def _listed(items: Iterable[str]) -> str:
    words = list(items)
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def _explained(diagnosis: Diagnosis, hypothesis: Hypothesis) -> list[Observation]:
    """The symptoms a hypothesis explains, the most telling one first."""
    mine = [each for each in diagnosis.present if each.symptom in hypothesis.explains]
    return sorted(mine, key=lambda each: _RANK[_role(hypothesis.cause, each.symptom)])


def _role(cause: Cause, symptom: str) -> Role:
    effect = cause.effect(symptom)
    return effect.role if effect else Role.TEARDOWN


def _seen(observation: Observation) -> str:
    return observation.notes[0] if observation.notes else all_symptoms()[observation.symptom].title


def _coverage(coverage: Sequence[Coverage]) -> Iterable[Sentence]:
    """What was read and what was not; unread is not absent."""
    read = sorted({each.file for each in coverage if each.state in (ReadState.READ, ReadState.CUT)})
    yield Sentence(f"Read {len(read)} of {len({each.file for each in coverage})} files.")
    for each in coverage:
        if each.state is not ReadState.READ:
            yield Sentence(
                f"{each.file}: {each.state.value}{f' ({each.reason})' if each.reason else ''}", (each.source,)
            )


def _step(step: str, hypothesis: Hypothesis) -> str:
    return for_subject(fill(step, hypothesis), hypothesis.about)


class _Blanks(dict[str, str]):
    def __missing__(self, key: str) -> str:
        return f"{{{key}}}"


_UNKNOWN_WORDS = {
    "mount": "the volume",
    "server": "its server",
    "filesystem": "the filesystem",
    "pid": "a process",
    "comm": "the process",
    "path": "a file",
    "gpu": "a GPU",
    "rank": "a rank",
    "device": "the device",
    "host": "the host",
    "interface": "the network interface",
    "cgroup": "the container",
    "job": "the job",
    "pci": "the device",
    "tid": "a thread",
}


def fill(template: str, hypothesis: Hypothesis | None, observation: Observation | None = None) -> str:
    """A sentence of the table with its placeholders filled from the subject; unknown ones become plain words."""
    if "{" not in template:
        return template
    known: dict[str, str] = dict(_UNKNOWN_WORDS)
    subjects: list[Subject] = [hypothesis.about] if hypothesis else []
    subjects += [observation.subject] if observation else []
    for subject in subjects:
        known |= {name: str(value) for name, value in subject.known().items()}
    if hypothesis and hypothesis.about.device and hypothesis.about.mount:
        known["filesystem"] = _filesystem(hypothesis.about)
    return string.Formatter().vformat(template, (), _Blanks(known))


def for_subject(command: str, subject: Subject) -> str:
    """A command with its placeholders MOUNT, PID and GPU replaced by what is known."""
    for word, value in (("MOUNT", subject.mount), ("PID", subject.pid), ("GPU", subject.gpu)):
        if value is not None:
            command = re.sub(rf"\b{word}\b", shlex.quote(str(value)).replace("\\", r"\\"), command)
    return command


def _filesystem(subject: Subject) -> str:
    from .filesystems import identify

    title = identify(subject.device or "", "fuse").title
    return title if title != "a FUSE filesystem" else "the filesystem"


def format_explanation(explanation: Explanation) -> str:
    """The whole explanation as plain text."""
    parts = [" ".join(f"{each.text}{cite(each.sources)}" for each in explanation.finding)]
    if explanation.table:
        rows = [
            f"  {row.title}\n      seen:     {row.seen}{cite(row.sources)}"
            + (f"\n      actually: {row.actually}" if row.actually else "")
            for row in explanation.table
        ]
        parts.append("What was seen, and what it was actually doing\n" + "\n".join(rows))
    if explanation.chain:
        lines = [
            f"  {f'{link.at:%F %T}Z' if link.at else ' ' * 20}  {link.text}{cite(link.sources)}"
            for link in explanation.chain
        ]
        parts.append("How one thing led to the other\n" + "\n".join(lines))
    for title, sentences in (
        ("Why not the others", explanation.rivals),
        ("Easily mistaken for", explanation.suspects),
        ("Not explained by this answer", explanation.unexplained),
    ):
        if sentences:
            parts.append(title + "\n" + "\n".join(f"  {each.text}{cite(each.sources)}" for each in sentences))
    for title, steps in (
        ("Do now", explanation.now),
        ("Change for good", explanation.for_good),
        ("What would prove it wrong", explanation.would_refute),
    ):
        if steps:
            parts.append(title + "\n" + "\n".join(f"  {number}. {step}" for number, step in enumerate(steps, start=1)))
    if explanation.questions:
        asked = [
            f"  {each.gain_bits:.2f} bits  {each.why}\n             {each.command}" for each in explanation.questions
        ]
        parts.append("What to ask next\n" + "\n".join(asked))
    parts.append("What was read\n" + "\n".join(f"  {each.text}" for each in explanation.coverage))
    return "\n\n".join(parts) + "\n"


def cite(sources: Sequence[Source], limit: int = 3) -> str:
    """Sources as "[file:line, file:line]", or nothing."""
    if not sources:
        return ""
    shown = ", ".join(f"{each.file}:{each.line}" if each.line else each.file for each in sources[:limit])
    return f" [{shown}{f', {len(sources) - limit} more' if len(sources) > limit else ''}]"


__all__ = ["Explanation", "Row", "Sentence", "cite", "explain", "fill", "for_subject", "format_explanation", "named"]
