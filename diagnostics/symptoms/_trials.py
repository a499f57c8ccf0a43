"""What several symptoms make of tables of trials."""

from __future__ import annotations

import re
from collections import defaultdict

from ..evidence.people import Trial
from ..incident import Incident
from ..places import PLACES, SITES


def across_nodes(incident: Incident) -> tuple[list[Trial], list[Trial]]:
    """The trials on one node and those on several; both empty unless one node alone is well."""
    trials = [trial for trial in incident.of(Trial) if trial.nodes is not None]
    alone = [trial for trial in trials if trial.nodes == 1]
    together = [trial for trial in trials if (trial.nodes or 0) > 1]
    if not alone or any(trial.outcome != "ok" for trial in alone):
        return [], []
    return alone, together


# gpu off the bus      lost after 40 min
OF_A_CARD = re.compile(r"(?:gpu|card)\b", re.I)
LOST = re.compile(r"(?:(?:is|was|goes|went) )?(?:lost|gone)\b", re.I)
NAMED_CARD = re.compile(r"(?<!per )\b(?:gpu|card) ?#?\d{0,2}\b", re.I)


def takes_a_card(trial: Trial) -> bool:
    """True where what went off is a card, by the outcome's own word, or lost while the condition names one: a machine
    goes dark and is not lost."""
    named = LOST.match(trial.text) and NAMED_CARD.search(trial.condition)
    return trial.outcome == "off" and bool(OF_A_CARD.match(trial.text) or named)


# torch 1.9      nccl==2.18.3      driver 535.104.05
VERSION = re.compile(r"(?<=[ =v-])\d{1,4}(?:\.\d{1,4}){1,3}\w{0,12}")


def cured_by_version(incident: Incident) -> bool:
    """True when two trials differ in nothing but a version's number, and one went well and the other did not."""
    well: dict[str, set[str]] = defaultdict(set)
    bad: dict[str, set[str]] = defaultdict(set)
    for trial in incident.of(Trial):
        if trial.outcome in ("ok", "fail", "hang"):
            work = VERSION.sub("", trial.condition).lower()
            (well if trial.outcome == "ok" else bad)[work].update(VERSION.findall(trial.condition))
    return any(bad[work] and versions - bad[work] for work, versions in well.items())


SITE = re.compile(rf"^(?:{SITES})[ =:]{{1,2}}(\S{{1,40}})", re.I)


def fails_at_several_sites(incident: Incident) -> bool:
    """True when trials failed at two sites that share no hardware: no one link or device is behind that."""
    bad = [trial for trial in incident.of(Trial) if trial.outcome in ("fail", "hang")]
    return len({found[1].lower() for trial in bad if (found := SITE.match(trial.condition))}) > 1


PATH = re.compile(r"(?:^|[\s=:,(\"'])(/[\w.@-]{1,60}(?:/[\w.@-]{1,60}){0,20})")
PLACE = re.compile(rf"\b({PLACES}|disk|shm|synthetic|dummy|fake|random data|in memory)\b", re.I)


def data_path(trial: Trial) -> str | None:
    """The path in a trial's condition."""
    found = PATH.search(trial.condition)
    return found[1] if found else None


# on the local disk of the server      from a copy on the machine's own disk      in a bucket that is mounted at /mnt/b
AROUND_A_PLACE = re.compile(
    r"\b(?:on|in|from|at|with|via|over|of|the|a|data|that is|mount(?:ed)?|copy|copied|own|shared"
    r"|(?:server|machine|host|node)(?:'s)?)\b",
    re.I,
)


def apart_from_its_place(trial: Trial) -> str:
    """What a condition says beside the place of the data: equal for two trials that differ in the place alone."""
    rest = PLACE.sub(" ", PATH.sub(" ", trial.condition))
    return " ".join(re.findall(r"\w+", AROUND_A_PLACE.sub(" ", rest).lower()))


def cured_elsewhere(incident: Incident, trial: Trial) -> bool:
    """True where the same work on as many nodes went well with its files in another place."""
    where = data_place(incident, trial)
    return where is not None and any(
        other.outcome == "ok"
        and other.nodes == trial.nodes
        and data_place(incident, other) not in (None, where)
        and apart_from_its_place(other) == apart_from_its_place(trial)
        for other in incident.of(Trial)
    )


def data_place(incident: Incident, trial: Trial) -> str | None:
    """Where a trial had its data: a mount point, else the word for the place, else the path's first folder."""
    path = data_path(trial)
    mount = incident.volumes.mount_of(path, trial)
    if mount is not None and mount.subject.mount:
        return mount.subject.mount
    word = PLACE.search(trial.condition)
    if word:
        return word[1].lower()
    return "/" + path.split("/")[1] if path else None


BAD = ("fail", "hang")  # outcomes of a trial
# of memory that another program holds, or that is smaller
FULL = re.compile(r"out of memory|OutOfMemory|\bOOM\b", re.I)
