"""What cured a fault, from a table of trials: a setting under which the same work goes through."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator

from ..evidence.job import Trial
from ..incident import Incident

# what a table calls the work before anything was changed
UNCHANGED = re.compile(r"(?:as is|default|unchanged|baseline|before|nothing set|stock)\b", re.I)


def cures(
    incident: Incident,
    chosen: Callable[[Trial], Collection[str]],
    bad: Collection[str],
) -> Iterator[tuple[Trial, list[Trial], str]]:
    """Each trial that went well with a setting, the bad ones of the same work without it, and the setting.

    `chosen` gives the settings of a trial that are of interest, and `bad` the outcomes that the setting is to cure. A
    setting under which any trial went badly cures nothing.
    """
    trials = incident.of(Trial)
    failed = [trial for trial in trials if trial.outcome in bad]
    spoilt = {setting for trial in failed for setting in chosen(trial)}
    for trial in trials:
        cure = next((each for each in chosen(trial) if each not in spoilt), None)
        same = [other for other in failed if _same_work(trial, other, chosen)]
        if cure and same and trial.outcome in {"ok", "slow"}.difference(bad):
            yield trial, same, cure


def settings(pattern: re.Pattern[str]) -> Callable[[Trial], list[str]]:
    """Reads off a trial's condition the settings that match, in one spelling."""
    return lambda trial: [found[0].replace(" ", "=").lower() for found in pattern.finditer(trial.condition)]


def _same_work(trial: Trial, other: Trial, chosen: Callable[[Trial], Collection[str]]) -> bool:
    """True when two trials are of one program: their first words agree, or a trial is nothing but its setting or "the
    same".
    """
    first, before = (_words(each, chosen) for each in (trial, other))
    if first and any(word.endswith(f".{first[0]}") for word in before):
        return True  # the one names its part of the configuration
    return (
        not first
        or first[:1] == before[:1]
        or first[0].startswith(("-", "(", "with", "same"))
        or UNCHANGED.match(other.condition) is not None
    )


def _words(trial: Trial, chosen: Callable[[Trial], Collection[str]]) -> list[str]:
    condition = trial.condition.lower()
    for setting in chosen(trial):
        condition = condition.replace(setting, "").replace(setting.replace("=", " "), "")
    return condition.split()
