"""The same work fails on one model of card and goes through on others, each in a machine of its own.

Rows of trials whose conditions differ in the card's model and at most two words more, as the machine's name has, and
in no number or precision: one model stands in every failure and in no success, and two others went well. What is out
of memory is too small, no more.
Several cards of one model are told apart by their names (see failures_follow_one_device).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.people import Trial
from ..incident import Incident
from ._symptom import Finding, Symptom
from ._trials import BAD, FULL

# RTX 2080 Ti      K80      A100-40GB      MI250X      GeForce GTX 960M
MODEL = re.compile(
    r"\b(?:(?:RTX|GTX|GT|Quadro|Tesla|Titan|GeForce|Radeon|Instinct)[ -]){0,2}"
    r"(?:[AH](?:10|20|30|40|100|200|800)G?|A[456]000|GH200|B[23]00|L4|L40S?|[KMP](?:4|40|60|80|100)|T4|V100S?|MI\d{2,3}[AX]?"
    r"|(?:RTX|GTX) ?[A-Z]?\d{3,4}M?|\d{3,4}(?:M| ?Ti| ?Super| XTX?)|Titan (?:X|V|Xp|RTX))(?: ?Ti| ?Super)?\b"
)
WENT = ("ok", "slow")
BESIDE = re.compile(r"\([^()]{0,60}\)")  # RTX 2080 Ti (this workstation)
SETTING = re.compile(r"(?i)[\d.,x]+$|.*=|(?:fp|bf|tf|int)\d|amp\b|(?:cuda|cudnn|torch|driver)\b")
MOST_WORDS = 2  # of a machine's name
FEWEST_OTHERS = 2


def rule(incident: Incident) -> Iterator[Finding]:
    rows = [(trial, *_card(trial)) for trial in incident.of(Trial) if MODEL.search(trial.condition)]
    bad = [row for row in rows if row[0].outcome in BAD and not FULL.search(row[0].text)]
    models = {model for _, model, _ in bad}
    if len(models) != 1:
        return
    work = bad[0][2]
    alike = [row for row in rows if row[0].outcome in WENT and _is_same(work, row[2])]
    others = {model for _, model, _ in alike}
    if len(others) >= FEWEST_OTHERS and not models & others:
        note = f"it fails on {', '.join(models)} and goes through on {', '.join(sorted(others))}"
        yield Finding(Subject(), (bad[0][0], *(trial for trial, _, _ in alike)), note)


def _is_same(work: frozenset[str], other: frozenset[str]) -> bool:
    """True where no more than the machine's name tells two conditions apart."""
    apart = (work - other, other - work)
    return all(len(words) <= MOST_WORDS and not any(map(SETTING.match, words)) for words in apart)


def _card(trial: Trial) -> tuple[str, frozenset[str]]:
    """The model of a trial's card, and the words of its condition beside that."""
    found = MODEL.search(trial.condition)
    return (
        found[0].lower() if found else "",
        frozenset(BESIDE.sub(" ", MODEL.sub(" ", trial.condition)).lower().split()),
    )


SYMPTOM = Symptom(
    title="the same work fails on one model of card alone",
    rule=rule,
    leak=0.03,
    because="machines with other cards differ in driver and libraries too, and some kernels fail on one architecture",
    command="the same commit, data and weights on another card of the same model",
    cost_minutes=30,
)
