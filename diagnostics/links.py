"""Who belongs to whom: process -> thread -> descriptor -> file; `volumes` goes on from there to mount and server.

Facts come from many tools and many moments; here those that share a subject are tied together. Nothing is
inferred that the facts do not say: a descriptor is found by the number that the system call was given.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from functools import cached_property

from .evidence import Evidence
from .evidence.process import NativeStack, OpenFile, ProcessState, PythonStack, ThreadState
from .facts import Facts
from .machines import Machines

ProcessKey = tuple[str, int]  # the machine ("" where there is one) and the pid
KINDS = (ProcessState, ThreadState, PythonStack, NativeStack, OpenFile)


@dataclass
class Process:
    """Everything that was seen of one process, in reading order; several snapshots may disagree in time.

    What is worked out of its facts is kept, so all of them must be there before anything is asked.
    """

    machine: str
    pid: int
    states: list[ProcessState] = field(default_factory=list)
    threads: list[ThreadState] = field(default_factory=list)
    stacks: list[PythonStack] = field(default_factory=list)
    native: list[NativeStack] = field(default_factory=list)
    files: list[OpenFile] = field(default_factory=list)

    @cached_property
    def comm(self) -> str | None:
        """The name, from whichever tool gave one."""
        seen: list[Evidence] = [*self.states, *self.threads]
        return next((fact.subject.comm for fact in seen if fact.subject.comm), None)

    @cached_property
    def command(self) -> str:
        """The longest command line that was seen (an exiting process shows only its name in brackets)."""
        return max((*(s.command for s in self.states), *(s.command for s in self.stacks)), key=len, default="")

    @cached_property
    def parent_pid(self) -> int | None:
        """The parent that was seen; an orphan's later parent is 1, whichever snapshot was read first."""
        seen = [*(s.parent_pid for s in self.states), *(t.parent_pid for t in self.threads)]
        known = [pid for pid in seen if pid is not None]
        return next((pid for pid in known if pid != 1), known[0] if known else None)


class Links:
    """The ties between the facts of one incident."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts

    @cached_property
    def machines(self) -> Machines:
        """On which machine each process was seen."""
        return Machines(self._facts.of(*KINDS))

    @cached_property
    def _everywhere(self) -> Machines:
        """As `machines`, by the facts of every kind: a log and a table of processes share no kind."""
        return Machines(self._facts.evidence)

    def machine_of(self, fact: Evidence) -> str:
        """The machine of a fact of any kind: "" where nothing tells several apart."""
        return self._everywhere.of(fact)

    def may_be_beside(self, first: Evidence, second: Evidence) -> bool:
        """True unless two facts of any kinds are known to be of two machines."""
        return len({self.machine_of(first), self.machine_of(second)} - {""}) < 2

    def key_of(self, fact: Evidence) -> ProcessKey | None:
        """The process that a fact is about, or None where it names none."""
        return None if fact.subject.pid is None else (self.machines.of(fact), fact.subject.pid)

    def process_of(self, fact: Evidence) -> Process | None:
        """What was seen of the process that a fact is about."""
        key = self.key_of(fact)
        return self.processes.get(key) if key else None

    def may_be_one(self, first: Evidence, second: Evidence) -> bool:
        """True unless two facts are about different processes; one that names none may be of any on its machine."""
        pids = (first.subject.pid, second.subject.pid)
        return (pids[0] == pids[1] or None in pids) and self.machines.of(first) == self.machines.of(second)

    @cached_property
    def processes(self) -> dict[ProcessKey, Process]:
        """Every process that any tool showed."""
        found: dict[ProcessKey, Process] = {}
        for fact in self._facts.of(*KINDS):
            if (key := self.key_of(fact)) is None:
                continue
            process = found.setdefault(key, Process(*key))
            match fact:
                case ProcessState():
                    process.states.append(fact)
                case ThreadState():
                    process.threads.append(fact)
                case PythonStack():
                    process.stacks.append(fact)
                case NativeStack():
                    process.native.append(fact)
                case OpenFile():
                    process.files.append(fact)
        return found

    @cached_property
    def with_python(self) -> list[Process]:
        """The processes of which a Python stack was seen."""
        return [process for process in self.processes.values() if process.stacks]

    @cached_property
    def children(self) -> dict[ProcessKey, list[ProcessKey]]:
        """The processes whose parent each process was, as first seen."""
        found: dict[ProcessKey, list[ProcessKey]] = defaultdict(list)
        for key, process in self.processes.items():
            if process.parent_pid is not None:
                found[process.machine, process.parent_pid].append(key)
        return found

    def file_of(self, thread: ThreadState) -> OpenFile | None:
        """The open file behind the descriptor that a thread's system call was given."""
        process = self.process_of(thread)
        if thread.descriptor is None or process is None:
            return None
        return next((file for file in process.files if file.descriptor == thread.descriptor), None)
