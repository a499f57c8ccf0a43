"""What is mounted where on each machine, and which mount points are one volume.

A mount is found by the longest prefix of a path among the mounts of the machine that a fact is of: /data of one node
may be a server's and /data of another its own disk.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain

from .evidence import Evidence, Subject
from .evidence.storage import DiskUsage, Mount
from .facts import Facts
from .links import Links
from .mounttable import innermost

Table = dict[str, Mount | None]  # by mount point, the longest first; None where machines have others there


class Volumes:
    """The volumes of one incident; `links` tells the machine of each fact."""

    def __init__(self, facts: Facts, links: Links) -> None:
        self._facts = facts
        self._links = links

    @cached_property
    def _tables(self) -> dict[str, Table]:
        """The mounts of each machine; of several on one point the last one listed wins."""
        # a row of a table, which has options, counts for more than the command that was to mount it
        mounts = sorted(self._facts.of(Mount), key=lambda mount: bool(mount.options))
        found: dict[str, Table] = defaultdict(dict)
        for mount in mounts:
            if mount.subject.mount:
                found[self._machine_of(mount)][mount.subject.mount] = mount
        return {machine: dict(sorted(found[machine].items(), key=_depth, reverse=True)) for machine in found}

    @cached_property
    def _agreed(self) -> Table:
        """What holds on any machine: the mounts of none in particular, and those that are alike wherever they are."""
        rows: dict[str, list[Mount]] = defaultdict(list)
        for mount in self.all_mounts:
            rows[mount.subject.mount or ""].append(mount)
        same = {point: there[-1] if _are_alike(there) else None for point, there in rows.items()}
        return same | self._tables.get("", {})

    def _table(self, beside: Evidence) -> Table:
        """The mounts of a fact's machine; where nobody listed them, those on which all machines agree."""
        if len(self._tables) < 2:
            return next(iter(self._tables.values()), {})
        machine = self._machine_of(beside)
        return self._tables[machine] if machine and machine in self._tables else self._agreed

    def _machine_of(self, fact: Evidence) -> str:
        return self._links.machine_of(fact)

    @cached_property
    def all_mounts(self) -> list[Mount]:
        """The mounts of every machine, longest mount point first."""
        mounts = [mount for table in self._tables.values() for mount in table.values() if mount]
        return sorted(mounts, key=lambda mount: len(mount.subject.mount or ""), reverse=True)

    def mounts(self, beside: Evidence) -> list[Mount]:
        """The mounts of a fact's machine, longest mount point first."""
        return [mount for mount in self._table(beside).values() if mount]

    def mount_of(self, path: str | None, beside: Evidence) -> Mount | None:
        """The mount that a path lies on, on a fact's machine, or None when the mounts are not known."""
        if not path or not path.startswith("/"):
            return None
        table = self._table(beside)
        point = innermost(path, table)
        return table[point] if point else None

    def mount_at(self, point: str | None, beside: Evidence) -> Mount | None:
        """What is mounted on a point itself, on a fact's machine."""
        return self._table(beside).get(point) if point else None

    def mount_behind(self, volume: Subject) -> Mount | None:
        """The mount that a volume goes by: its owner's, or its server's, else the one on which all machines agree."""
        there = [mount for mount in self.all_mounts if mount.subject.mount == volume.mount]
        for mount in there:
            is_owned = volume.owner and self._owner(mount, mount) == volume.owner
            if is_owned or (volume.server and mount.subject.server == volume.server):
                return mount
        return there[-1] if there and _are_alike(there) else None

    def told_apart(self, subject: Subject, beside: Evidence) -> Subject:
        """A subject with what tells its volume or disk from others.

        A network volume that is mounted in several places is one, and goes by the first of them on any machine. Only a
        source that names a server tells which volume it is: `s3fs` is that of every bucket. Where several machines have
        listed their mounts, a volume has an owner.
        """
        if not self._tables or (subject.mount is None and subject.device is None):
            return subject
        mount = self.mount_at(subject.mount, beside)
        if subject.server and (mount is None or mount.subject.server != subject.server):
            mount = self.mount_behind(subject)
        if mount is None and (subject.mount or subject.server):
            return subject
        is_named = mount and mount.network and mount.subject.server
        point = self._first_point[mount.device] if mount and is_named else subject.mount
        owner = self._owner(mount, beside) if len(self._tables) > 1 else None
        return subject if (point, owner) == (subject.mount, None) else replace(subject, mount=point, owner=owner)

    def _owner(self, mount: Mount | None, beside: Evidence) -> str | None:
        """Whose a volume is: its server's, or that of a source without one; else a fact's machine's."""
        if mount and mount.network:
            return mount.subject.server or mount.device
        return self._machine_of(beside) or None

    @cached_property
    def _first_point(self) -> dict[str, str | None]:
        """The longest mount point of each source, on any machine."""
        return {mount.device: mount.subject.mount for mount in reversed(self.all_mounts)}

    def points(self, beside: Evidence) -> list[str]:
        """The mount points of a fact's machine, with those that df listed there; of any machine where it did not."""
        of_df = self._points_of_df.get(self._machine_of(beside)) or chain.from_iterable(self._points_of_df.values())
        return [*self._table(beside), *of_df]

    @cached_property
    def _points_of_df(self) -> dict[str, list[str]]:
        found: dict[str, dict[str, None]] = defaultdict(dict)
        for row in self._facts.of(DiskUsage):
            if row.subject.mount:
                found[self._machine_of(row)][row.subject.mount] = None
        return {machine: list(points) for machine, points in found.items()}


def _depth(row: tuple[str, Mount | None]) -> int:
    return len(row[0])


def _are_alike(mounts: Sequence[Mount]) -> bool:
    """True where mounts on one point have one source and one kind."""
    return len({(mount.device, mount.filesystem) for mount in mounts}) == 1
