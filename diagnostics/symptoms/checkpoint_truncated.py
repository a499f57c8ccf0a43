"""A checkpoint's file is much smaller than its siblings, or than its twin of the same name elsewhere.

The newest of several folders of one kind (`checkpoint-25`) that lacks files which every older one has counts too.

Siblings are the files of one folder that differ only in the digits of their names, and one that stands for the newest
of them (`last.ckpt`); "much" is less than nine tenths of their usual size. Files whose other sizes differ among
themselves are parts of one checkpoint and say nothing, and folders whose other files of one name have other sizes too
are those of two trainings. What a process still writes or copies is not short yet. ABSENT where such files, or parts
of one checkpoint, were listed and all have the usual size.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from statistics import median

from ..evidence import Subject
from ..evidence.storage import FileEntry
from ..incident import Incident
from ._checkpoints import CHECKPOINT, PART, is_being_written, part_of
from ._places import place
from ._symptom import Finding, Symptom

NEWEST = re.compile(
    r"^(?:\w{1,40}[-_.])?(?:last|latest|current|newest|resume|final)(?:[-_.]\w{1,40})?\.\w{1,12}$", re.I
)
NUMBERED = re.compile(r"(?i)(?:checkpoint|ckpt|step|iter|epoch)\w{0,20}[-_.]?\d{1,12}(?:[-_.]\w{1,20})?$")
FEWEST = 3  # files that make a folder a checkpoint
SHORT = 0.9
ALIKE = 0.98  # checkpoints of one model, as a listing rounds their sizes


def rule(incident: Incident) -> Iterator[Finding]:
    """Each short file; else the families of equal files."""
    on_hosts = {
        (entry.subject.host, entry.subject.path): entry
        for entry in incident.of(FileEntry)
        if entry.subject.path and entry.size is not None and not is_being_written(incident, entry.subject.path)
    }
    last = {path: entry for (_, path), entry in on_hosts.items() if path}
    families: dict[tuple[str, str], list[FileEntry]] = defaultdict(list)
    twins: dict[str, list[FileEntry]] = defaultdict(list)
    parts: dict[tuple[str, str], list[FileEntry]] = defaultdict(list)
    for (host, path), entry in on_hosts.items():
        folder, name = part_of(host, path)
        if CHECKPOINT.search(name):
            (parts if PART.search(name) else families)[folder, re.sub(r"\d+", "#", name)].append(entry)
            twins[name].append(entry)
    twins = {name: group for name, group in twins.items() if _of_one_training(group, twins)}
    families.update(_newest(families))
    empty = [entry for entry in last.values() if entry.size == 0 and CHECKPOINT.search(entry.subject.path or "")]
    short = {id(entry): entry for group in (*families.values(), *twins.values(), empty) for entry in _short(group)}
    for entry in short.values():
        yield Finding(
            place(incident, entry.subject.path, entry), (entry,), f"{entry.subject.path} has only {entry.size:,} bytes"
        )
    lacking = list(_lacking(last))
    yield from (
        Finding(place(incident, fact.subject.path, fact), (fact,), f"{folder} lacks {', '.join(names[:3])}")
        for folder, names, fact in lacking
    )
    groups = (*families.values(), *twins.values(), *parts.values())
    whole = [entry for group in groups if len(group) > 1 and _alike(group) for entry in group]
    if whole and not short and not lacking:
        facts = tuple({id(entry): entry for entry in whole}.values())
        yield Finding(Subject(), facts, "the checkpoints have their usual size", present=False)


def _of_one_training(group: list[FileEntry], twins: Mapping[str, list[FileEntry]]) -> bool:
    """False where the folders share other names, and the files of each of those differ in size too."""
    folders = {part_of(entry.subject.host, entry.subject.path)[0] for entry in group}
    shared = []
    for others in twins.values() if len(folders) > 1 else ():
        sizes = [e.size for e in others if part_of(e.subject.host, e.subject.path)[0] in folders]
        if others is not group and len(sizes) > 1:
            shared.append(sizes)
    return not shared or any(len(set(sizes)) < len(sizes) for sizes in shared)


def _lacking(last: dict[str, FileEntry]) -> Iterator[tuple[str, list[str], FileEntry]]:
    """The newest folder of each kind, the files that it lacks of those in all older ones, and one that it has."""
    kinds: dict[str, dict[int, dict[str, FileEntry]]] = defaultdict(lambda: defaultdict(dict))
    folders: dict[tuple[str, int], str] = {}
    for path, entry in last.items():
        folder, _, name = path.rpartition("/")
        if NUMBERED.search(folder):
            number, kind = int(re.findall(r"\d{1,12}", folder)[-1]), re.sub(r"\d+", "#", folder)
            kinds[kind][number][re.sub(r"(?<=step)\d+", "#", name)] = entry
            folders[kind, number] = folder
    for kind, numbers in kinds.items():
        newest = max(numbers)
        older = [set(files) for number, files in numbers.items() if number != newest]
        usual = set.intersection(*older) if older else set()
        lacks = sorted(usual - set(numbers[newest]))
        if len(usual) >= FEWEST and lacks and usual & set(numbers[newest]):
            yield folders[kind, newest], lacks, next(iter(numbers[newest].values()))


def _newest(families: dict[tuple[str, str], list[FileEntry]]) -> dict[tuple[str, str], list[FileEntry]]:
    """The files that stand for the newest of a family of equal files, each with that family."""
    found = {}
    for (folder, name), entries in families.items():
        if not NEWEST.search(name):
            continue
        ending = name.rpartition(".")[2]
        for (where, pattern), others in families.items():
            sizes = {entry.size for entry in others}
            if where == folder and "#" in pattern and pattern.endswith(ending) and len(others) > 1 and len(sizes) == 1:
                found[folder, name] = [*entries, *others]
    return found


def _short(group: list[FileEntry]) -> list[FileEntry]:
    if len(group) < 2:
        return [entry for entry in group if entry.size == 0]
    sizes = sorted(entry.size or 0 for entry in group)
    usual = sizes[-1] if len(sizes) == 2 else median(sizes)
    short = [entry for entry in group if (entry.size or 0) < SHORT * usual]
    return short if _alike([entry for entry in group if (entry.size or 0) >= SHORT * usual]) else []


def _alike(group: list[FileEntry]) -> bool:
    sizes = [entry.size or 0 for entry in group]
    return min(sizes) >= ALIKE * max(sizes)


SYMPTOM = Symptom(
    title="a checkpoint is shorter than its siblings",
    rule=rule,
    leak=0.01,
    because="checkpoints of one model have one size; other files of the same name pattern may differ",
    tells_apart=("mount",),
    command="ls -l --full-time CHECKPOINTS",
)
