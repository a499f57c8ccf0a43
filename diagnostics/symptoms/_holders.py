"""Who is seen to hold a device, and whether whoever started it is gone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ..evidence import Evidence
from ..evidence.gpu import GpuProcess
from ..evidence.process import ProcessState
from ..incident import Incident
from ..machines import Machines
from ._jobs import OF_A_JOB
from ._once import once_per_incident
from ._reports import said, words_of

# Process 107636 has 71.62 GiB memory in use.
HOLDER = re.compile(r"\bProcess (\d{1,10}) has (\d{1,6}(?:\.\d{1,3})? [GM]iB) memory in use")
WORKER = re.compile(
    # VLLM::EngineCore, sglang::scheduler_TP0, ray::Worker: titles that a worker gives itself
    r"\b[A-Za-z]\w{1,30}::[A-Za-z]|multiprocessing\.(?:spawn|forkserver|resource_tracker)|spawn_main|pt_data_worker"
    "|pt_main_thread"
    r"|EngineCore|ModelRunner|\bTPWorker|deepspeed\.launcher\.launch|--local[-_]rank|torch\.distributed\.run"
    r"|\[?python\d?[\d.]*\]? <defunct>",
    re.I,
)
# a notebook keeps what its cells took until its kernel is stopped
NOTEBOOK = re.compile(r"ipykernel|jupyter|colab_kernel", re.I)
# the first process of a machine, or a container's that takes over orphans as one does
INIT = re.compile(r"\b(?:init|systemd|tini|dumb-init|docker-init|catatonit|s6-svscan|pause|launchd)\b")


class Holder(NamedTuple):
    """A process and the facts that show what it holds; without a row nobody looked for it in a process table."""

    pid: int | None
    facts: tuple[Evidence, ...]
    row: ProcessState | None
    owner: GpuProcess | None = None

    @property
    def names(self) -> str:
        """All the names that it goes by."""
        row = self.row
        of_row = row.names if row else ""
        return f"{self.owner.name if self.owner else ''} {of_row}".strip()


class Table(NamedTuple):
    """The last row of each process, by its machine and pid: every pod has a pid 1."""

    machines: Machines
    rows: dict[tuple[str, int | None], ProcessState]
    only: dict[int | None, ProcessState | None]  # by the pid alone; None where several machines have it

    def row(self, fact: Evidence, pid: int | None) -> ProcessState | None:
        """The process of that number on the machine of a fact; of a fact without one, where only one machine has it."""
        machine = self.machines.of(fact)
        return self.rows.get((machine, pid)) or (None if machine else self.only.get(pid))

    def may_be_beside(self, fact: Evidence, other: Evidence) -> bool:
        """True unless two facts are known to be of two machines."""
        return len({self.machines.of(fact), self.machines.of(other)} - {""}) < 2


@once_per_incident
def process_table(incident: Incident) -> Table:
    """The processes of an incident by their machine and number."""
    rows = incident.of(ProcessState)
    machines = Machines([*rows, *incident.of(GpuProcess)])
    last = {(machines.of(row), row.subject.pid): row for row in rows}
    only: dict[int | None, ProcessState | None] = {}
    for (_, pid), row in last.items():
        only[pid] = None if pid in only else row
    return Table(machines, last, only)


def holders(incident: Incident) -> Iterator[Holder]:
    """The processes that a tool lists on a device, or that an allocator names in its report of a full one."""
    table = process_table(incident)
    for owner in incident.of(GpuProcess):
        row = table.row(owner, owner.subject.pid)
        yield Holder(owner.subject.pid, (owner, row) if row else (owner,), row, owner)
    for report in said(incident, HOLDER):
        for pid in {int(number) for number, _ in HOLDER.findall(words_of(report))}:
            if row := table.row(report, pid):
                yield Holder(pid, (report, row), row)


def is_orphan(incident: Incident, row: ProcessState) -> bool:
    """True for a process that process 1 has taken over; a container's first process that is no init, or an init that
    was told to start a program, has children of its own.
    """
    if row.parent_pid != 1:
        return False
    first = process_table(incident).row(row, 1)
    if first is None:
        return True
    return INIT.search(first.names) is not None and OF_A_JOB.search(first.command) is None
