"""What cured a fault, from a table of trials: a setting under which the same work goes through."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence

from ..evidence.people import Trial
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
    worded = [(other, _words(other, chosen)) for other in failed]
    alike: dict[str, list[Trial]] = {}  # by a trial's first word
    for trial in trials:
        cure = next((each for each in chosen(trial) if each not in spoilt), None)
        if not cure or trial.outcome not in {"ok", "slow"}.difference(bad):
            continue
        first = next(iter(_words(trial, chosen)), "")
        if first not in alike:
            alike[first] = [other for other, words in worded if _same_work(first, other, words)]
        if alike[first]:
            yield trial, alike[first], cure


def settings(pattern: re.Pattern[str]) -> Callable[[Trial], list[str]]:
    """Reads off a trial's condition the settings that match, in one spelling."""
    return lambda trial: [found[0].replace(" ", "=").lower() for found in pattern.finditer(trial.condition)]


def _same_work(first: str, other: Trial, words: Sequence[str]) -> bool:
    """True when a trial that begins with the word `first` is of one program with another: their first words agree, or
    it is nothing but its setting or "the same".
    """
    if not first or first.startswith(("-", "(", "with", "same")):
        return True
    named = any(word.endswith(f".{first}") for word in words)  # it names its part of the configuration
    return named or words[:1] == [first] or UNCHANGED.match(other.condition) is not None


def _words(trial: Trial, chosen: Callable[[Trial], Collection[str]]) -> list[str]:
    condition = trial.condition.lower()
    for setting in chosen(trial):
        condition = condition.replace(setting, "").replace(setting.replace("=", " "), "")
    return condition.split()
