"""Causes: one table by family. Every strength has a `because`; every prior names a failure study, or is called an
estimate.

A module holds `CAUSES`; the family is its name up to an underscore (`host_memory.py` is of family host). The slugs are
the vocabulary that verdicts use; once published a slug is stable. The numbers are an expert's, argued in words; they
are not fitted to cases.
"""

from __future__ import annotations

import importlib
import pkgutil
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from ..filesystems import ByFilesystem


class Role(StrEnum):
    """The part a symptom plays under a cause."""

    INITIATING = "initiating"  # the fault itself, or its first visible effect
    CASCADE = "cascade"  # a consequence: what waited, what was killed for waiting
    TEARDOWN = "teardown"  # what the end of the job leaves behind

    @property
    def place(self) -> int:
        """Its place in the story, counted from 0."""
        return list(Role).index(self)


@dataclass(frozen=True)
class Effect:
    """A symptom that a cause shows.

    Parameters
    ----------
    symptom : the symptom's name
    strength : probability that the cause, at work, shows it where somebody looks
    because : why that number
    actually : what was really happening, one sentence in the past tense; {mount}, {server}, {filesystem}, {pid},
        {comm}, {path}, {gpu}, {rank}, {device}, {host}, {interface} are filled in where known, a process or file only
        where it is this symptom's
    role : initiating, cascade or teardown
    """

    symptom: str
    strength: float
    because: str
    actually: str
    role: Role = Role.CASCADE


@dataclass(frozen=True)
class Check:
    """An artefact or probe that would confirm or refute a cause: what to look at, and the command."""

    looks_for: str
    command: str | ByFilesystem


@dataclass(frozen=True)
class Cause:
    """One row of the table.

    Parameters
    ----------
    slug : its name in verdicts
    title : its name for people, with the article or plural that a sentence needs
    what : what it is, one sentence for somebody who never met it
    prior : probability that it is at work in an incident that somebody investigates
    source : the failure studies that the prior rests on, or that it is an estimate and why (`_studies.py`)
    on : the subject fields that make two instances of it two causes ("mount", "gpu", "rank" ...)
    effects : what it shows
    now, for_good : what to do at once, and what to change so that it does not return; placeholders are those of a
        sentence and, in commands, those of `advice`
    mistaken_for : tempting wrong suspects by slug or plain name, each with why it looks like them
    checks : what would confirm or refute it
    """

    slug: str
    title: str
    what: str
    prior: float
    source: str
    effects: tuple[Effect, ...]
    now: tuple[str | ByFilesystem, ...]
    for_good: tuple[str | ByFilesystem, ...]
    mistaken_for: tuple[tuple[str, str], ...]
    checks: tuple[Check, ...]
    on: tuple[str, ...] = ()
    family: str = ""

    def effect(self, symptom: str) -> Effect | None:
        """What it says of a symptom, or None when it does not show it."""
        return next((effect for effect in self.effects if effect.symptom == symptom), None)


@cache
def all_causes() -> dict[str, Cause]:
    """The whole table by slug, families in name order."""
    from dataclasses import replace

    families = sorted(module.name for module in pkgutil.iter_modules(__path__) if not module.name.startswith("_"))
    return {
        cause.slug: replace(cause, family=family.partition("_")[0])
        for family in families
        for cause in importlib.import_module(f"{__name__}.{family}").CAUSES
    }
