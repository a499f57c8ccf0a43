"""What one rank's flight-recorder dump says, whether it was written as a pickle or as JSON.

    {"version": "2.9", "pg_config": {"41": {"desc": "TENSOR_MODEL_PARALLEL_GROUP", "ranks": "[12, 13]"}},
     "pg_status": {"5": {"last_enqueued_collective": 42817, "last_completed_collective": 42805}},
     "entries": [{"pg_id": 5, "process_group": ["41", "TENSOR_MODEL_PARALLEL_GROUP"], "collective_seq_id": 42806,
                  "profiling_name": "nccl:_all_gather_base", "state": "scheduled", "is_p2p": false, ...}]}

`pg_status` counts by the rank's own number of a group, `pg_config` by the group's name; entries tie the two,
and where a group has no entry both are in order of creation. Point-to-point operations are left out: their
numbers are each rank's own. Everything is checked for its type, since a dump may hold anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ..evidence import Severity, Source, Subject
from ..evidence.collective import CollectiveProgress
from ._numbers import integer

ENTRIES_LIMIT = 100_000
CALLS_LIMIT = 64
FRAMES_LIMIT = 30
# recv 0<-3: the first number is the rank's own place in the group
OWN_PLACE = re.compile(r"^(?:nccl:)?(?:send|recv) (\d{1,6})(?:->|<-)\d")
# _dump_12      nccl_trace_rank_12      rank12.json
RANK_IN_NAME = re.compile(r"(\d{1,6})(?:\.[a-z]{2,6})?$")


@dataclass
class Group:
    """One process group on one rank."""

    name: str | None
    description: str = ""
    ranks: tuple[int, ...] = ()
    entries: list[dict[str, Any]] = field(default_factory=list)
    status: dict[str, Any] = field(default_factory=dict)


def progress(dump: object, file: str) -> Iterator[CollectiveProgress]:
    """One fact for every process group of a dump; nothing when it is no dump."""
    if not isinstance(dump, dict) or not isinstance(dump.get("entries"), list):
        return
    groups = groups_of(dump)
    rank = rank_of(dump, groups, file)
    latest = max((integer(entry.get("time_created_ns")) or 0 for g in groups for entry in g.entries), default=0)
    for group in groups:
        yield told(group, rank, latest, file)


def groups_of(dump: dict[str, Any]) -> list[Group]:
    """The groups of a dump with their entries and counters."""
    config = dump.get("pg_config") if isinstance(dump.get("pg_config"), dict) else {}
    groups = {
        str(name): Group(str(name), text(about.get("desc")), ranks_in(about.get("ranks")))
        for name, about in (config or {}).items()
        if isinstance(about, dict)
    }
    names_by_id: dict[str, str] = {}
    for entry in dump["entries"][-ENTRIES_LIMIT:]:
        if not isinstance(entry, dict):
            continue
        process_group = entry.get("process_group")
        pair = [text(part) for part in process_group] if isinstance(process_group, (list, tuple)) else []
        name, description = (*pair, "", "")[:2]
        group = groups.setdefault(name, Group(name or None, description))
        group.entries.append(entry)
        names_by_id[str(entry.get("pg_id"))] = name
    add_status(dump.get("pg_status"), groups, names_by_id)
    return list(groups.values())


def add_status(status: object, groups: dict[str, Group], names_by_id: dict[str, str]) -> None:
    """Give each group its counters."""
    if not isinstance(status, dict):
        return
    ids = sorted((str(each) for each in status), key=natural)
    if len(ids) == len(groups):
        for number, name in zip(ids, sorted(groups, key=natural), strict=True):
            names_by_id.setdefault(number, name)
    for number, about in status.items():
        group = groups.get(names_by_id.get(str(number), "\0"))
        if group and isinstance(about, dict):
            group.status = about


def told(group: Group, rank: int | None, latest_ns: int, file: str) -> CollectiveProgress:
    """What a group's entries and counters amount to."""
    collectives = [entry for entry in group.entries if not entry.get("is_p2p") and sequence(entry) is not None]
    ordered = sorted(collectives, key=lambda entry: sequence(entry) or 0)
    open_ = [entry for entry in ordered if entry.get("state") != "completed"]
    first = open_[0] if open_ else None
    enqueued, completed = (sequence(ordered[-1]) if ordered else None), None
    if first is not None:
        completed = (sequence(first) or 0) - 1
    elif ordered:
        completed = enqueued
    if len(collectives) == len(group.entries):  # otherwise the counters count point-to-point operations too
        enqueued = max_known(enqueued, integer(group.status.get("last_enqueued_collective")))
        completed = max_known(completed, integer(group.status.get("last_completed_collective")))
    created = integer(first.get("time_created_ns")) if first else None
    return CollectiveProgress(
        source=Source(file, 0, quote(file, group, first, len(open_))),
        subject=Subject(rank=rank),
        severity=Severity.WARNING if first else Severity.INFO,
        group=group.name,
        description=group.description,
        ranks=group.ranks,
        enqueued=enqueued,
        completed=completed,
        operation=operation(first) if first else None,
        state=text(first.get("state")) if first else None,
        age_s=(latest_ns - created) / 1e9 if created and latest_ns else None,
        calls={sequence(entry) or 0: call(entry) for entry in ordered[-CALLS_LIMIT:]},
        frames=frames_of(first) if first else (),
    )


def quote(file: str, group: Group, first: dict[str, Any] | None, count: int) -> str:
    """The dump is binary: what is quoted is what it says."""
    name = group.description or f"group {group.name}"
    base = file.rsplit("/", 1)[-1]
    if first is None:
        return f"{base}: {name}: nothing outstanding"
    state = text(first.get("state"))
    return f"{base}: {name}: {operation(first)} #{sequence(first)} is {state}, {count} outstanding"


def sequence(entry: dict[str, Any]) -> int | None:
    """A collective's number in its group; before version 2.2 there was one counter for everything."""
    number = integer(entry.get("collective_seq_id"))
    return number if number is not None else integer(entry.get("seq_id"))


def operation(entry: dict[str, Any]) -> str:
    return text(entry.get("profiling_name")).removeprefix("nccl:")


def call(entry: dict[str, Any]) -> str:
    """The operation and what it works on, as far as every rank of a group must agree on it."""
    name = operation(entry)
    sizes = entry.get("input_sizes")
    uniform = name.startswith(("all_reduce", "broadcast")) and isinstance(sizes, (list, tuple))
    shapes = (
        [[integer(n) for n in shape] for shape in sizes[:8] if isinstance(shape, (list, tuple))]
        if uniform and sizes
        else []
    )
    return f"{name} {shapes}" if shapes else name


def frames_of(entry: dict[str, Any]) -> tuple[str, ...]:
    frames = entry.get("frames")
    if not isinstance(frames, (list, tuple)):
        return ()
    return tuple(
        f"{text(frame.get('name'))} ({text(frame.get('filename'))}:{integer(frame.get('line'))})"
        for frame in frames[:FRAMES_LIMIT]
        if isinstance(frame, dict)
    )


def rank_of(dump: dict[str, Any], groups: list[Group], file: str) -> int | None:
    """The rank that wrote the dump: as it says, as its groups and its own place in them tell, or by its name."""
    if (rank := integer(dump.get("rank"))) is not None:
        return rank
    members = [set(group.ranks) for group in groups if group.ranks]
    common = set.intersection(*members) if members else set()
    if len(common) == 1:
        return common.pop()
    for group in groups:
        for entry in group.entries:
            place = OWN_PLACE.match(text(entry.get("profiling_name")))
            if place and int(place[1]) < len(group.ranks):
                return group.ranks[int(place[1])]
    named = RANK_IN_NAME.search(file.rsplit("/", 1)[-1])
    return int(named[1]) if named and (not common or int(named[1]) in common) else None


def ranks_in(value: object) -> tuple[int, ...]:
    """The members of a group, written as a list or as the text of one."""
    if isinstance(value, str):
        return tuple(int(number) for number in re.findall(r"\d{1,7}", value[:1_000_000]))
    if isinstance(value, (list, tuple)):
        return tuple(number for each in value if (number := integer(each)) is not None)
    return ()


def max_known(*values: int | None) -> int | None:
    return max((value for value in values if value is not None), default=None)


def natural(name: str) -> tuple[int, str]:
    """Numbers in their own order, then words."""
    return (int(name), "") if name.isascii() and name.isdigit() and len(name) < 10 else (1 << 40, name)


def text(value: object) -> str:
    return value[:300] if isinstance(value, str) else str(value) if isinstance(value, int) else ""
