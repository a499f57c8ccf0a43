"""Which machine a fact was read on: the host that it names, else the folder that holds what one machine told.

Every pod has a pid 1 and every host a GPU 0, so a number names a process or a device only together with its machine.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import TypeVar

from .evidence import Evidence

Fact = TypeVar("Fact", bound=Evidence)

# moments of one, or processes: before      after_kill      snapshot-2      t0      2026-11-29T10:00Z      4711
NO_MACHINE = re.compile(
    r"^(?:(?:before|after|earlier|later)(?![a-z]).*"
    r"|[\W\d_]*+(?:first|second|snap\w{0,8}|sample|look|epoch|step|min\w{0,4}|hours?|days?|[thsd])?[\W\d_]*+z?)$",
    re.I,
)


class Machines:
    """The machines of some facts.

    Two folders that lie beside each other are two machines where both hold a file of one name with facts of one kind:
    nodeA/ps.txt and nodeB/ps.txt, but not ps.txt and logs/train.log.
    """

    def __init__(self, facts: Iterable[Evidence]) -> None:
        seen = {(fact.source.file, type(fact), fact.subject.host) for fact in facts}
        self._apart = _apart({(file, kind) for file, kind, _ in seen})
        self._hosts: dict[str, set[str]] = defaultdict(set)
        named = {folder.rpartition("/")[2] for folder in self._apart}
        for file, _, host in seen:
            folder = self._folder(file)
            # nodeA may speak of nodeB
            if host and (not folder or host not in named or host == folder.rpartition("/")[2]):
                self._hosts[folder].add(host)
        self._of_file: dict[str, str] = {}

    @property
    def folders(self) -> frozenset[str]:
        """The folders that each hold what one machine told."""
        return frozenset(self._apart)

    def of(self, fact: Evidence) -> str:
        """The machine of a fact: "" where nothing tells several apart."""
        return fact.subject.host or self.of_file(fact.source.file)

    def of_file(self, file: str) -> str:
        """The machine of a file: the one host that its folder's facts name, else the folder."""
        if file not in self._of_file:
            folder = self._folder(file)
            hosts = self._hosts.get(folder, set())
            self._of_file[file] = next(iter(hosts)) if len(hosts) == 1 else folder
        return self._of_file[file]

    def _folder(self, file: str) -> str:
        return next((folder for folder in _above(file) if folder in self._apart), "")


def by_machine(facts: Sequence[Fact]) -> list[list[Fact]]:
    """The facts of each machine, in their order."""
    machines, found = Machines(facts), defaultdict[str, list[Fact]](list)
    for fact in facts:
        found[machines.of(fact)].append(fact)
    return list(found.values())


def _above(file: str) -> list[str]:
    """The folders that a file lies in, the outermost first."""
    parts = file.split("/")[:-1]
    return ["/".join(parts[: depth + 1]) for depth in range(len(parts))]


def _apart(files: Iterable[tuple[str, type[Evidence]]]) -> set[str]:
    """The folders beside which another one holds the same: a file of that name and kind."""
    alike: dict[tuple[str, str, type[Evidence]], set[str]] = defaultdict(set)
    for file, kind in files:
        for folder in _above(file):
            parent, _, name = folder.rpartition("/")
            if not NO_MACHINE.match(name):
                alike[parent, file.rpartition("/")[2], kind].add(folder)
    return {folder for folders in alike.values() if len(folders) > 1 for folder in folders}
