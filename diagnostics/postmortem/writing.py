"""A diagnosis becomes a write-up: one function per section, in the order in which it is read."""

from __future__ import annotations

import re
import zlib
from collections.abc import Collection, Mapping
from dataclasses import replace
from datetime import datetime

from ..diagnosis import Diagnosis
from ..evidence import Source
from ..evidence.training import TrainingSteps
from ..explanation import Explanation, explain
from ..finding import Sentence
from ..hypothesis import Verdict, named
from ..symptoms import all_symptoms
from ..timeline import named_zone
from .costs import impact_section
from .document import (
    DIAGNOSIS,
    Blank,
    Block,
    Bullets,
    Item,
    Paragraph,
    Plot,
    Rates,
    Said,
    Section,
    Table,
    changed,
    masked,
)
from .happened import LeftOut, first_sign, happened, noticed
from .impact import Loss, losses_of
from .pseudonyms import Pseudonyms
from .write_up import Postmortem

TABLE_OF_CAUSES = "table of causes"
CLOCKS_SHOWN = 8


def write_postmortem(
    diagnosis: Diagnosis,
    *,
    written: Mapping[str, str] | None = None,
    rates: Rates | None = None,
    mask: Collection[str] = (),
) -> Postmortem:
    """The write-up of a diagnosis.

    Parameters
    ----------
    written : what people filled in, by the key of the blank; a key without a blank any more is kept at the end
    rates : GPUs and cost, where the evidence does not tell
    mask : what to give pseudonyms beside secrets ("hosts", "users", "paths", "addresses"), quoted lines included;
        the pictures, which show names too, are then left out
    """
    pictures = not mask
    told = explain(diagnosis)
    losses = losses_of(diagnosis.incident)
    sections: tuple[Section, ...] = (
        _summary(diagnosis, told, losses),
        impact_section(diagnosis, losses, rates or Rates()),
        _timeline(diagnosis),
        _detection(diagnosis, losses),
        _root_cause(diagnosis, told),
        _suspects(diagnosis, told),
        _contributing(diagnosis, told),
        _resolution(told),
        _went(told, losses),
        _actions(told),
        Section("lessons", "Lessons", (Paragraph((Blank("lessons", "what this teaches beyond this incident"),)),)),
        _coverage(told),
    )
    if not pictures:
        sections = tuple(replace(s, blocks=tuple(b for b in s.blocks if not isinstance(b, Plot))) for s in sections)
    pseudonyms = Pseudonyms(diagnosis.incident, mask)
    title = _title(diagnosis, pseudonyms.name(diagnosis.incident.name))
    postmortem = Postmortem(title, sections, diagnosis if pictures else None)
    return masked(_with_written(postmortem, written or {}), pseudonyms, pseudonyms.name)


def _title(diagnosis: Diagnosis, name: str) -> str:
    what = " and ".join(named(each) for each in diagnosis.answer)
    return f"Postmortem of {name}: {what or _verdict_words(diagnosis.verdict)}"


def _verdict_words(verdict: Verdict) -> str:
    return "nothing was wrong" if verdict is Verdict.HEALTHY else "the evidence does not decide"


def _said(sentence: Sentence, basis: str = DIAGNOSIS) -> Said:
    return Said(sentence.text, sentence.sources, "" if sentence.sources else basis)


def _summary(diagnosis: Diagnosis, told: Explanation, losses: list[Loss]) -> Section:
    items: list[Item] = [_said(each) for each in told.finding]
    if diagnosis.answer:
        items.append(Said(f"Verdict: {diagnosis.called}.", basis=DIAGNOSIS))
        items += [_said(each) for each in told.stands_on]
    lost = [loss for loss in losses if loss.steps and loss.ended_by]
    if lost:
        steps = sum(loss.steps or 0 for loss in lost)
        runs = "run" if len(lost) == 1 else "runs"
        least = "at least " if any(loss.is_least for loss in lost) else ""
        sources = tuple(loss.run.steps.last_source for loss in lost[:4])
        items.append(Said(f"{len(lost)} {runs} lost {least}{steps} steps in all.", sources))
    blank = Blank("summary", "what happened in one sentence, for somebody who was not there")
    return Section("summary", "Summary", (Paragraph(tuple(items)), Paragraph((blank,)), Plot("posterior", "Causes")))


def _timeline(diagnosis: Diagnosis) -> Section:
    rows: list[tuple[Item, ...]] = []
    events = happened(diagnosis)
    zone = named_zone(event.at for event in events if not isinstance(event, LeftOut))
    for event in events:
        if isinstance(event, LeftOut):
            rows.append((Said(""), Said(event.text, basis=DIAGNOSIS), Said("")))
            continue
        at = f"{event.at:%F %T}" if zone == f"{event.at:%Z}" else f"{event.at:%F %T %Z}"
        when, role = Said(at, basis=DIAGNOSIS), Said(event.role, basis=DIAGNOSIS)
        rows.append((when, Said(event.text, (event.source,)), role))
    clocks = _clocks(diagnosis)
    blocks: list[Block] = [Plot("timeline", "Every source")]
    if rows:
        blocks.append(Table((zone, "what happened", "role"), tuple(rows)))
    if clocks:
        blocks.append(Bullets(tuple(clocks)))
    blocks.append(Paragraph((Blank("timeline", "what people did meanwhile, and when"),)))
    return Section("timeline", "Timeline", tuple(blocks))


def _clocks(diagnosis: Diagnosis) -> list[Said]:
    """How far each time can be trusted: clocks that are not plainly UTC, by what anchored them."""
    timeline = diagnosis.incident.timeline
    found: dict[str, Source] = {}
    for run in diagnosis.incident.of(TrainingSteps):
        if run.subject.rank is not None and (skew := timeline.skews.get(run.subject.rank)):
            found[f"Clock of rank {run.subject.rank} moved by {skew.offset_s:+.0f} s: {skew.anchor}"] = run.source
    for fact in diagnosis.incident.evidence:
        if fact.stamp is None:
            continue
        name = fact.stamp.clock.value
        alignment = timeline.alignment(fact.stamp.clock, fact.source.file, fact.stamp.boot)
        if alignment is None:
            found.setdefault(f"Times of clock {name} could not be placed on the calendar", fact.source)
        elif alignment.anchor and name != "utc":
            doubt = f", within {_rounded(alignment.uncertainty_s)}" if alignment.uncertainty_s else ""
            found.setdefault(f"Clock {name}: {alignment.anchor}{doubt}", fact.source)
    told = [Said(text, (source,)) for text, source in found.items()]
    left = tuple(source for said in told[CLOCKS_SHOWN:] for source in said.sources)
    more = f"{len(left)} more clock{'s are' if len(left) > 1 else ' is'} left out"
    return [*told[:CLOCKS_SHOWN], *([Said(more, left)] if left else [])]


def _rounded(seconds: float) -> str:
    """A doubt in words: seconds, or hours where it is that of a zone."""
    return f"{seconds:.0f} s" if seconds < 3600 else f"{seconds / 3600:.1f} h"


def _detection(diagnosis: Diagnosis, losses: list[Loss]) -> Section:
    items: list[Item] = []
    unfinished = (loss for loss in losses if not loss.run.finished)
    hurt = next(((loss.run.steps, loss.last_step_at) for loss in unfinished if loss.last_step_at), None)
    first, alarm = first_sign(diagnosis), noticed(diagnosis)
    known: list[tuple[datetime, Source]] = []
    if hurt:
        steps, at = hurt
        known.append((at, steps.last_source))
        items.append(Said(f"Last step before the trouble: {steps.last_step}, {at:%F %T %Z}.", (steps.last_source,)))
    if first and not (alarm and first.source == alarm.source):
        known.append((first.at, first.source))
        items.append(Said(f"First sign: {first.at:%F %T %Z}, {first.text}", (first.source,)))
    if alarm:
        items.append(Said(f"First alarm: {alarm.at:%F %T %Z}, {alarm.text}", (alarm.source,)))
        known = [each for each in known if each[0].tzinfo is alarm.at.tzinfo]  # else they may be hours apart
        since, source = min(known, key=lambda pair: pair[0], default=(alarm.at, alarm.source))
        if alarm.at > since:
            took = f"{(alarm.at - since).total_seconds():.0f} s passed between the earliest of these and the alarm."
            items.append(Said(took, (source, alarm.source)))
    items.append(Blank("detection", "how a person learned of it, and how long that took"))
    return Section("detection", "Detection", (Bullets(tuple(items)),))


def _root_cause(diagnosis: Diagnosis, told: Explanation) -> Section:
    blocks: list[Block] = [Paragraph(tuple(_said(each) for each in told.finding))]
    unexplained = "not explained by this answer" if diagnosis.answer else "not decided"
    if told.table:
        rows = tuple(
            (
                Said(row.seen, row.sources[:3], "" if row.sources else DIAGNOSIS),
                Blank(f"believed-{row.symptom}", "what it was believed to be", about=row.title),
                Said(row.actually or unexplained, basis=_table(diagnosis, row.symptom)),
                Said(row.role.value if row.role else "", basis=DIAGNOSIS),
            )
            for row in told.table
        )
        blocks.append(Table(("what was seen", "what was believed", "what it was actually doing", "role"), rows))
    if told.chain:
        chain = (
            Said(f"{link.at:%F %T %Z}: {link.text}" if link.at else link.text, link.sources, DIAGNOSIS)
            for link in told.chain
        )
        blocks.append(Bullets(tuple(replace(each, basis="" if each.sources else each.basis) for each in chain)))
    blocks.append(Plot("chain", told.heading))
    if told.precedents:
        alike = (replace(each, text=f"Known incidents that are worded alike: {each.text}") for each in told.precedents)
        blocks.append(Bullets(tuple(_said(each) for each in alike)))
    if told.would_refute:
        blocks.append(
            Bullets(tuple(Said(f"Would prove it wrong: {c}", basis=TABLE_OF_CAUSES) for c in told.would_refute))
        )
    return Section("root-cause", "Root cause", tuple(blocks))


def _table(diagnosis: Diagnosis, symptom: str) -> str:
    slug = next((each.slug for each in diagnosis.answer if symptom in each.explains), "")
    return f"{TABLE_OF_CAUSES}: {slug}" if slug else DIAGNOSIS


def _suspects(diagnosis: Diagnosis, told: Explanation) -> Section:
    items: list[Item] = [_said(each) for each in (*told.rivals, *told.suspects)]
    items.append(Blank("suspects", "what else was suspected, by whom, and what that cost"))
    decided = diagnosis.answer or diagnosis.verdict is Verdict.HEALTHY
    title = "Wrong suspects, and why they were rejected" if decided else "Suspects that the evidence leaves open"
    return Section("suspects", title, (Bullets(tuple(items)),))


def _contributing(diagnosis: Diagnosis, told: Explanation) -> Section:
    left = told.unexplained if diagnosis.answer else ()
    items: list[Item] = [
        _said(replace(each, text=f"Seen, and not explained by the answer: {each.text}")) for each in left
    ]
    items.append(Blank("contributing", "what made it possible, likelier or worse"))
    return Section("contributing-factors", "Contributing factors", (Bullets(tuple(items)),))


def _resolution(told: Explanation) -> Section:
    items: list[Item] = [Said(f"Advised: {step}", basis=TABLE_OF_CAUSES) for step in told.now]
    items.append(Blank("resolution", "what was done, by whom, and when the run was back"))
    return Section("resolution", "Resolution", (Bullets(tuple(items)),))


def _went(told: Explanation, losses: list[Loss]) -> Section:
    well: list[Item] = []
    badly: list[Item] = []
    for loss in losses:
        if loss.kept and loss.kept.verdict == "ok" and loss.kept.verdict_source:
            well.append(Said(f"The checkpoint of step {loss.kept.step} was verified.", (loss.kept.verdict_source,)))
        elif loss.kept and not loss.kept.verdict:
            badly.append(Said(f"Nobody verified the checkpoint of step {loss.kept.step}.", (loss.kept.event.source,)))
        if loss.idle_s and loss.idle_s >= 30 and loss.ended_by:
            said = f"Run {loss.number} stood idle for {loss.idle_s:.0f} s before it was ended."
            badly.append(Said(said, (loss.run.steps.last_source, loss.ended_by.source)))
    titles = [all_symptoms()[each.symptom].title for each in told.questions[:3]]
    badly += [Said(f"Nobody collected what would show this or rule it out: {t}", basis=DIAGNOSIS) for t in titles]
    blocks: list[Block] = []
    for key, word, items in (("well", "well", well), ("badly", "badly", badly), ("lucky", "by luck", [])):
        unique = tuple(dict.fromkeys(items))
        blocks.append(Bullets((*unique, Blank(f"went-{key}", f"what went {word}"))))
    return Section("what-went", "What went well, badly, and by luck", tuple(blocks))


def _actions(told: Explanation) -> Section:
    wanted = [(step, TABLE_OF_CAUSES) for step in told.for_good]
    wanted += [(f"Next time collect: {each.command}", DIAGNOSIS) for each in told.questions[:3]]
    rows: list[tuple[Item, ...]] = []
    for step, basis in wanted:
        words = re.sub(r"[^a-z0-9]+", "-", step.lower())[:40].strip("-")
        key = f"{words}-{zlib.crc32(step.encode()):08x}"  # two steps may begin alike
        owner = Blank(f"{key}-owner", "owner", about=step)
        due = Blank(f"{key}-due", "due date", about=step)
        rows.append((Said(step, basis=basis), owner, due))
    blocks: list[Block] = [Table(("action", "owner", "due"), tuple(rows))] if rows else []
    blocks.append(Paragraph((Blank("actions", "further actions, each with an owner and a due date"),)))
    return Section("action-items", "Action items", tuple(blocks))


def _coverage(told: Explanation) -> Section:
    return Section("coverage", "What was read", (Bullets(tuple(_said(each) for each in told.coverage)),))


def _with_written(postmortem: Postmortem, written: Mapping[str, str]) -> Postmortem:
    """Put what people wrote back into its blanks; what has no blank any more is kept in a section of its own."""
    filled = changed(
        postmortem,
        lambda item: replace(item, written=written.get(item.key, "")) if isinstance(item, Blank) else item,
    )
    homeless = set(written) - {item.key for item in filled.items if isinstance(item, Blank)}
    if not homeless:
        return filled
    kept = Bullets(tuple(Blank(key, "kept from an earlier version", written[key]) for key in sorted(homeless)))
    return replace(filled, sections=(*filled.sections, Section("kept", "Kept from an earlier version", (kept,))))
