"""The same work fails with one device or node and goes through without it.

From a table of trials: a name (a GPU, a node) that stands in the condition of every failure and in that of no success,
or only as "without" it; or a card that was moved ("boxA with boxB's card") and took the trouble with it to the other
host, while its own host is well with another; or one that was replaced, which cured it, and put to work elsewhere,
which took the trouble there. At least two failures, or one and two successes. Where a fault comes and goes the name may
stand in successes too, as long as all failures would meet it in less than one of fifteen draws. One connection that
fails ("a -> b") is a fault of neither end, and a network adapter is no device of the job. Where memory runs out on one
device, something else holds it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from math import comb

from ..evidence import Subject
from ..evidence.people import Trial
from ..incident import Incident
from ._symptom import Finding, Symptom
from ._trials import BAD, FULL

BY_CHANCE = 1 / 15
PARTS = ("card", "device", "dimm")
CONNECTION = re.compile(r"<?->")
# without n12      n12 replaced by n77
LEFT_OUT = re.compile(
    r"\b(?:without|not on|excluding|minus) (?:(?:node|host|gpu) )?[\w.-]+"
    r"|\b(?:(?:node|host|machine|pod|gpu|card|device) )?[\w.-]{1,60} (?:was |is )?(?:replaced|exchanged|swapped) "
    r"(?:by|with|for|against|out)\b",
    re.I,
)
NAME = re.compile(
    r"\b(?:gpu|card|device|dimm|node|host|machine|cuda_visible_devices)[ =]?"
    r"(?:\d{1,3}|[A-Z]|[a-z][\w.-]*\d[\w.-]*)\b|\b(?=[a-z][\w.-]*\d)[a-z][\w.-]{1,40}\b|(?<!\w)#\d{1,3}\b",
    re.I,
)
# cv2.cvtColor      cv2.resize      h5py.File(      import boto3: a name of code
CODE = re.compile(
    r"\b(?:calls?|imports?|imported|touch(?:es)?|module)\s+[\w.]+|\b[\w.]+\(|\b\w+\.[a-z]*[A-Z_]\w*|\b(?:cv2|h5py|boto3|urllib3)\.\w+"
)
# boxA, own RTX 3090, -pl 370      boxB with boxA's RTX 3090
MOVED = re.compile(
    r"^(?P<host>[\w.-]{1,40}?)(?:,| with| and) (?:(?P<owner>[\w.-]{1,40}?)'s?|(?:its )?own) (?P<part>\w[\w ]{0,30})",
    re.I,
)
# gpu c9e2 replaced by a spare      node n17 out of the job      card 7 put into another node
PART = r"\b(?P<kind>gpu|card|device|dimm|node|host|machine|board)[ =]?#?(?P<name>[\w-]{1,40})"
TAKEN_OUT = re.compile(
    rf"{PART},? (?:(?:was|is|being|left) )?(?:replaced|exchanged|swapped (?:for|out|with)|removed|taken out|pulled"
    r"|out of|idle|unused|excluded|drained|cordoned|switched off|unplugged)\b",
    re.I,
)
PUT_ELSEWHERE = re.compile(
    rf"{PART},? (?:(?:was|is) )?(?:put|moved|placed|swapped|taken|plugged|used|reused) (?:in(?:to)?|to|as|on|over to) "
    r"(?:(?:the|a) )?(?:other|another|second|different|healthy|good|sound|spare|[\w-]{0,30}\d)",
    re.I,
)
COUNTED = re.compile(
    r"^(?:(?:nodes|gpus|dp|tp|pp|ep|cp|seq|fp|bf|tf|fp8|int|h|a|v|b|rtx|batch|layers)\d*|(?:mlx|eth|ens|enp|ib|bond|rdma|roce)[\w.-]*\d)$",
    re.I,
)  # models and types are no names


def rule(incident: Incident) -> Iterator[Finding]:
    yield from _moved(incident)
    yield from _swapped(incident)
    trials = incident.of(Trial)
    bad = [trial for trial in trials if trial.outcome in BAD and not FULL.search(trial.text)]
    well = [trial for trial in trials if trial.outcome == "ok"]
    if not bad or not well or len(bad) + len(well) < 3 or (len(bad) == 1 and CONNECTION.search(bad[0].condition)):
        return
    always = set.intersection(*(_names(trial) for trial in bad))
    guilty = sorted(always - set[str]().union(*(_names(trial) for trial in well)))
    guilty = guilty or sorted(name for name in always if len(bad) > 1 and _by_chance(name, bad, well) <= BY_CHANCE)
    if len(guilty) == 1 and not _of_several_cards(guilty[0], bad, well):
        index = re.fullmatch(r"(?:gpu|cuda_visible_devices)[ =]?(\d{1,2})", guilty[0])
        part = guilty[0].startswith(PARTS)
        subject = (
            Subject(gpu=int(index[1])) if index else Subject(device=guilty[0]) if part else Subject(host=guilty[0])
        )
        yield Finding(subject, (*bad, well[0]), f"it fails with {guilty[0]} and goes through without it")


def _of_several_cards(name: str, bad: Sequence[Trial], well: Sequence[Trial]) -> bool:
    """True where different cards failed under a name that has no like among what went well: it names no node then, but
    something of the work ("stride u2").
    """
    cards = {frozenset(each for each in _names(trial) if each.startswith(("gpu", "card", "device"))) for trial in bad}
    stem = name.rstrip("0123456789")
    alike = any(other != name and other.rstrip("0123456789") == stem for trial in well for other in _names(trial))
    return len(cards) > 1 and not alike and not name.startswith(PARTS)


def _by_chance(name: str, bad: Sequence[Trial], well: Sequence[Trial]) -> float:
    """How probably all failures fall on trials that a name took part in, if they fall where they like."""
    took_part = len(bad) + sum(name in _names(trial) for trial in well)
    return comb(took_part, len(bad)) / comb(len(bad) + len(well), len(bad))


def _moved(incident: Incident) -> Iterator[Finding]:
    """Cards that were tried in their own host and in another, and failed in both while their host was well without."""
    bad: dict[str, dict[str, Trial]] = defaultdict(dict)
    well: dict[str, set[str]] = defaultdict(set)
    for trial in incident.of(Trial):
        if found := MOVED.match(trial.condition):
            host = found["host"].lower()
            owner = (found["owner"] or host).lower()
            if trial.outcome == "ok":
                well[owner].add(host)
            elif trial.outcome in (*BAD, "off"):
                bad[owner].setdefault(host, trial)
    for owner, failed in bad.items():
        sound_without = any(owner in hosts for other, hosts in well.items() if other != owner)
        if len(failed) > 1 and owner not in well and sound_without:
            note = f"the trouble went with the card of {owner} into another host"
            yield Finding(Subject(device=f"card of {owner}"), tuple(failed.values()), note)


def _swapped(incident: Incident) -> Iterator[Finding]:
    """Parts without which it went well each time, and which took the trouble with them each time they were moved."""
    without, elsewhere = (_by_part(incident, pattern) for pattern in (TAKEN_OUT, PUT_ELSEWHERE))
    for part, moved in elsewhere.items():
        cured = without.get(part, [])
        if cured and all(trial.outcome == "ok" for trial in cured) and all(trial.outcome in BAD for trial in moved):
            kind, name = part
            subject = Subject(host=name) if kind in ("node", "host", "machine") else Subject(device=f"{kind} {name}")
            note = f"it went well without {kind} {name}, and the trouble went with it: {moved[0].condition}"
            yield Finding(subject, (*cured, *moved), note)


def _by_part(incident: Incident, pattern: re.Pattern[str]) -> dict[tuple[str, str], list[Trial]]:
    found: dict[tuple[str, str], list[Trial]] = defaultdict(list)
    for trial in incident.of(Trial):
        for part in pattern.finditer(trial.condition):
            found[part["kind"].lower(), part["name"].lower()].append(trial)
    return found


def _names(trial: Trial) -> set[str]:
    """The devices and nodes that took part in a trial."""
    part = CODE.sub(" ", LEFT_OUT.sub("", trial.condition))
    names = {name.lower() for name in NAME.findall(part) if not COUNTED.match(name)}
    return {re.sub(r"^(?:node|host|machine) ?(?=\w)", "", name) for name in names}


SYMPTOM = Symptom(
    title="the failure stays with one device or node",
    rule=rule,
    leak=0.002,
    because="bad code fails everywhere alike",
    tells_apart=("gpu", "host"),
    command="CUDA_VISIBLE_DEVICES=OTHER python train.py; the same job without NODE",
    cost_minutes=15,
)
