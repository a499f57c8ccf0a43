"""What to ask next: the artefact or probe whose answer would move the verdict most for what it costs.

For every symptom that nobody looked for: how many bits of uncertainty its answer would take away on average, over both
answers. Where the diagnosis has an answer, it is the uncertainty whether that answer holds, else the one about all
causes. Source: Lindley, On a Measure of the Information Provided by an Experiment (1956).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from . import noisy_or
from .advice import question
from .diagnosis import Diagnosis
from .evidence import NOBODY, Subject
from .hypothesis import Verdict
from .network import LIFTED_TO, NOTHING_KNOWN
from .observation import State
from .symptoms import all_symptoms

if TYPE_CHECKING:
    import numpy as np

RIVALS = 12
WORTH_SHOWING_BITS = 0.02


@dataclass(frozen=True)
class Question:
    """Something worth asking: the symptom it would show, why, the expected gain, and how to ask.

    `about` is the subject of the cause under which the symptom is expected most.
    """

    symptom: str
    why: str
    gain_bits: float
    command: str
    cost_minutes: float
    about: Subject = NOBODY


def next_questions(diagnosis: Diagnosis, limit: int = 5) -> list[Question]:
    """The questions with the highest expected gain in bits per minute of a person's time, best first.

    None where nothing is wrong.
    """
    import numpy as np

    network = diagnosis.network
    if not network.instances or diagnosis.verdict is Verdict.HEALTHY:
        return []
    table = all_symptoms()
    rank = network.best(RIVALS)
    rivals = [network.instances[i] for i in rank]
    hint = network.worded[rank] * math.log(2)
    posterior = noisy_or.solve(
        network.prior[rank],
        network.strength[rank],
        network.leak,
        network.present,
        max_set=2,
        nothing=NOTHING_KNOWN,
        hint=hint,
        lifts_to=LIFTED_TO,
    )
    answered = {each.slug for each in diagnosis.answer}
    sets = [{rivals[i].cause.slug for i in causes} for causes in posterior.sets]
    holds = np.array([bool(answered) and answered <= slugs for slugs in sets])

    def uncertainty(probability: np.ndarray[Any, Any]) -> float:
        held = float(probability[holds].sum())
        return noisy_or.entropy(np.array([held, 1 - held]) if answered else probability)

    before = uncertainty(posterior.probability)
    found = []
    for name in dict.fromkeys(each.symptom for each in diagnosis.observations if each.state is State.UNOBSERVED):
        symptom = table[name]
        effects = [rival.cause.effect(name) for rival in rivals]
        shows = np.array([effect.strength if effect else 0.0 for effect in effects])
        if not symptom.command or not shows.any():
            continue
        seen = np.array([1 - (1 - symptom.leak) * np.prod(1 - shows[list(causes)]) for causes in posterior.sets])
        chance = float(posterior.probability @ seen)
        after = sum(
            weight * uncertainty(posterior.probability * likely / weight)
            for weight, likely in ((chance, seen), (1 - chance, 1 - seen))
            if weight > 1e-9
        )
        gain = before - after
        if gain >= WORTH_SHOWING_BITS:
            rival = max(zip(shows, rivals, strict=True), key=lambda pair: pair[0])[1]
            under = next(h for h in diagnosis.hypotheses if (h.cause, h.subject) == (rival.cause, rival.subject))
            why = f"to see: {symptom.title}? Expected above all under {rival.cause.title}"
            if command := question(symptom.command, under, diagnosis):
                found.append(Question(name, why, round(gain, 3), command, symptom.cost_minutes, under.about))
    found.sort(key=lambda each: (-each.gain_bits / each.cost_minutes, each.symptom))
    commands = {each.command: each for each in reversed(found)}  # one command answers several questions: keep the best
    return [each for each in found if commands[each.command] is each][:limit]
