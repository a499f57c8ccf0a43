"""A machine that goes dark stays up once its GPU may draw less.

From a table of trials: a trial with a power limit or locked clocks went well, and one of the same work without, or with
a higher limit, ended with the machine or the GPU off. Trials are of the same work where their first words agree.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence.people import Trial
from ..incident import Incident
from ._symptom import Finding, Symptom

# nvidia-smi -pl 220     power limit 250 W     capped at 300W     clocks locked at 1200 MHz
LIMIT = re.compile(
    r"(?:nvidia-smi )?-(?:pl|lgc|-power-limit) ?(?:\d{1,4},)?(\d{2,4})"
    r"|(?:power (?:limit|cap)|capped|limited|clocks? (?:locked|limited|capped))(?: (?:of|to|at))? ?(\d{2,4}) ?"
    "(?:W|MHz)?",
    re.I,
)
WORD = re.compile(r"\w+")
AS_IT_WAS = ("default", "stock", "full", "no", "without", "with", "at", "power", "limit", "cap")


def rule(incident: Incident) -> Iterator[Finding]:
    trials = incident.of(Trial)
    dark = [trial for trial in trials if trial.outcome == "off"]
    for well in trials:
        limit = _limit(well)
        if well.outcome != "ok" or limit is None:
            continue
        before = [trial for trial in dark if _work(trial) == _work(well)]
        if before and all((_limit(trial) or limit + 1) > limit for trial in before):
            note = f"it goes dark ({before[0].condition}) and stays up at {limit:.0f} ({well.condition})"
            yield Finding(well.subject, (well, *before[:4]), note)


def _limit(trial: Trial) -> float | None:
    found = LIMIT.search(trial.condition)
    return float(found[1] or found[2]) if found else None


def _work(trial: Trial) -> list[str]:
    """The first two words besides the limit: the machine or program that was tried."""
    words = WORD.findall(LIMIT.sub("", trial.condition).lower())
    return [word for word in words if word not in AS_IT_WAS][:2]


SYMPTOM = Symptom(
    title="a lower power limit keeps the machine up",
    rule=rule,
    leak=0.0005,
    because="software that crashes a machine does so at any power",
    tells_apart=("host", "gpu"),
    command="sudo nvidia-smi -pl LOWER and the same work again; write down how each limit went",
    cost_minutes=20,
)
