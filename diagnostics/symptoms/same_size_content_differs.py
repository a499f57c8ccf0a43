"""A file differs from what it should be although its size is right: nothing was cut, the bytes changed.

Needs a checksum that differs, and a listing: of the same name in two places (or at two times) with one size, or of
two or more sound siblings that are all just as big, as shards of one set are: compared and right, or called as it is
but for their number and not found to differ. Or cmp compared both to their common end and nothing says that one is
shorter; or it found another byte, not an end, in one copy of a file of which another copy is right; or a file is
nothing but zeros and is listed elsewhere with the same size; or a file of a set, most of which agrees with its copies,
opens and gives its numbers, which a cut one does not.
ABSENT where the sizes differ too.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from ..evidence.storage import Checksum, ChecksumVerdict, FileEntry, TensorValues, ZeroRun
from ..incident import Incident
from ._checkpoints import mismatches
from ._places import place
from ._symptom import Finding, Symptom

SIBLINGS = 2
NUMBER = re.compile(r"\d+")
ROW = 16  # bytes: what a dump shows of a file's end


def rule(incident: Incident) -> Iterator[Finding]:
    """Each file that differs and is listed at least twice."""
    listed: dict[str, list[FileEntry]] = defaultdict(list)
    for entry in incident.of(FileEntry):
        if entry.subject.path and entry.size is not None:
            listed[entry.subject.path.rpartition("/")[2]].append(entry)
    differ = list(mismatches(incident))
    wrong = {path.rpartition("/")[2] for path, _ in differ}
    for path, facts in differ:
        name = path.rpartition("/")[2]
        entries = listed.get(name, [])
        if entries and _places(entries) < 2:
            entries = [*entries, *(_sound_siblings(incident, listed) or _numbered(name, wrong, listed))]
        if _places(entries) < 2:
            continue
        same = len({entry.size for entry in entries}) == 1
        note = f"{path}: the size is right, the content is not" if same else f"{path}: the size differs too"
        yield Finding(place(incident, path, facts[0]), (*facts, *entries), note, present=same)
    for verdict in incident.of(ChecksumVerdict):
        if verdict.different and not _shorter(incident, verdict):
            path = verdict.subject.path or ""
            yield Finding(
                place(incident, path, verdict),
                (verdict,),
                f"{path}: {verdict.different} bytes differ, and none is missing",
            )
    yield from _beside_a_right_copy(incident)
    yield from _all_zeros(incident, listed)
    yield from _opens(incident)
    for path, facts in differ:
        sizes = [fact.size for fact in facts if isinstance(fact, Checksum)]
        if len(sizes) > 1 and None not in sizes and len(set(sizes)) == 1:
            yield Finding(
                place(incident, path, facts[0]), facts, f"{path}: {sizes[0]} bytes each time, and other content"
            )


def _places(entries: list[FileEntry]) -> int:
    return len({(entry.subject.host, entry.subject.path) for entry in entries})


def _opens(incident: Incident) -> Iterator[Finding]:
    """The few files of a set that differ from their copies, where somebody opened one and read its numbers."""
    differ = dict(mismatches(incident))
    digests: dict[str, list[str]] = defaultdict(list)
    for each in incident.of(Checksum):
        digests[each.subject.path or ""].append(each.digest)
    sound = [path for path, found in digests.items() if len(found) > 1 and len(set(found)) == 1]
    if len(sound) < max(SIBLINGS, 2 * len(differ)):
        return
    for path, facts in differ.items():
        name = re.compile(rf"(?<![A-Za-z0-9]){re.escape(path.rpartition('/')[2])}(?![A-Za-z0-9])")
        read = next((each for each in incident.of(TensorValues) if name.search(each.subject.path or "")), None)
        if read:
            note = f"{path} opens and gives its numbers, and its checksum is another in another place"
            yield Finding(place(incident, path, facts[0]), (*facts, read), note)


def _beside_a_right_copy(incident: Incident) -> Iterator[Finding]:
    """Copies in which cmp found another byte, where it found none between their original and another copy."""
    pairs = [verdict for verdict in incident.of(ChecksumVerdict) if verdict.against and verdict.subject.path]
    right = [verdict for verdict in pairs if verdict.outcome == "ok"]
    for verdict in pairs:
        near = (each for each in right if _names(each) & _names(verdict) and _names(each) != _names(verdict))
        control = next(near, None)
        if verdict.outcome == "differs" and control and not _shorter(incident, verdict):
            note = f"{verdict.subject.path} has another byte {verdict.first_difference}, and another copy is right"
            yield Finding(place(incident, verdict.subject.path, verdict), (verdict, control), note)


def _names(verdict: ChecksumVerdict) -> set[str]:
    """The names of the two files that were compared."""
    return {(path or "").rpartition("/")[2] for path in (verdict.subject.path, verdict.against)}


def _shorter(incident: Incident, verdict: ChecksumVerdict) -> bool:
    """True where something says that the file or its original ends early."""
    name = (verdict.subject.path or "").rpartition("/")[2]
    verdicts = [other for other in incident.of(ChecksumVerdict) if other.different is None and other.against is None]
    ends = [other for other in verdicts if other.first_difference]
    sizes = {
        entry.size
        for entry in incident.of(FileEntry)
        if entry.size is not None and (entry.subject.path or "").rpartition("/")[2] == name
    }
    return len(sizes) > 1 or any((other.subject.path or "").rpartition("/")[2] == name for other in ends)


def _all_zeros(incident: Incident, listed: dict[str, list[FileEntry]]) -> Iterator[Finding]:
    """Files of zeros from end to end, beside another of the same name and size that nobody found to be zeros."""
    runs = [run for run in incident.of(ZeroRun) if run.subject.path and run.offset == 0 and run.length]
    zeros = {run.subject.path for run in runs}
    for run in runs:
        entries = listed.get((run.subject.path or "").rpartition("/")[2], [])
        own = next((entry for entry in entries if entry.subject.path == run.subject.path), None)
        others = [entry for entry in entries if own and entry.size == own.size and entry.subject.path not in zeros]
        if own and own.size and others and abs(own.size - (run.length or 0)) < ROW:
            note = f"{run.subject.path} is nothing but zeros, and {others[0].subject.path} is as large"
            yield Finding(place(incident, run.subject.path, run), (run, own, others[0]), note)


def _sound_siblings(incident: Incident, listed: dict[str, list[FileEntry]]) -> list[FileEntry]:
    """The entries of files that were compared and are right, where they are at least two and all of one size."""
    sound = [
        entry
        for verdict in incident.of(ChecksumVerdict)
        if verdict.outcome == "ok" and verdict.subject.path
        for entry in listed.get(verdict.subject.path.rpartition("/")[2], [])
    ]
    return sound if len(sound) >= SIBLINGS and len({entry.size for entry in sound}) == 1 else []


def _numbered(own: str, wrong: set[str], listed: dict[str, list[FileEntry]]) -> list[FileEntry]:
    """The entries of files called as `own` but for the numbers, which nobody found to differ, if all are as big as it.

    Where they are not, nothing is known: the last one of a set is smaller.
    """
    series = NUMBER.sub("0", own)
    names = [name for name in listed.keys() - wrong if name != own and NUMBER.sub("0", name) == series]
    others = [entry for name in names for entry in listed[name]]
    sizes = {entry.size for entry in (*others, *listed[own])}
    return others if len(others) >= SIBLINGS and len(sizes) == 1 else []


SYMPTOM = Symptom(
    title="a file has the right size and the wrong content",
    rule=rule,
    leak=0.0003,
    because="every fault that is noticed cuts a file or refuses it; only silent damage keeps the size",
    tells_apart=("path",),
    command="ls -l FILE COPY; cmp FILE COPY",
)
