"""A job's start that does not fit its world: the launcher and the job were told different numbers.

By the store's own count at its barrier, which can never be passed, since the numbers have to be equal. Or a process is
told to be a rank that a world of this size has not: it waits for a store that nobody opens. Or two processes come with
the number of one rank, of which the one who counts them says that it was there before.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.collective import WorldMismatch
from ..incident import Incident
from ._reports import findings, said, words_of
from ._symptom import Finding, Symptom

TWICE = re.compile(
    # Bootstrap Root : rank 1 of 8 ranks has already checked in
    r"\brank \d{1,6}(?: of \d{1,6}(?: ranks?)?)? (?:has|is|was|had)(?: been)? already "
    r"(?:checked in|registered|connected|joined|taken|in use)\b"
    # Duplicate task registration with task_name=/job:worker/replica:0/task:1
    r"|\b[Dd]uplicate (?:task|rank|worker|process|node)s? (?:registration|id\b|ID\b|\d|number|detected)"
    r"|\b(?:same|duplicate) rank (?:number )?(?:\d{1,6} )?(?:used|given|assigned|registered|found) "
    "(?:twice|by (?:two|2|more))"
)


def rule(incident: Incident) -> Iterator[Finding]:
    for start in incident.of(WorldMismatch):
        if start.workers is not None:
            note = f"{start.workers} workers came to a world of {start.world_size}"
        else:
            note = f"rank {start.rank} in a world of {start.world_size}, whose ranks count from 0"
        yield Finding(Subject(), (start,), note)
    twice = [(fact, f"two processes came as one rank: {words_of(fact)}") for fact in said(incident, TWICE)]
    yield from findings(incident, twice)


SYMPTOM = Symptom(
    title="more workers came than the world has, a rank that it has not, or one rank twice",
    rule=rule,
    leak=0.00003,
    because="each rank counts once; a store that an earlier start has used is the one other way to it",
    command="echo $WORLD_SIZE $NNODES $SLURM_NTASKS; grep -n -i world_size train.log",
)
