"""A worker process holds GPU memory and the job that started it is gone.

The process is a worker by its name (a worker of vLLM, SGLang, Ray, or of Python's multiprocessing), a notebook's kernel
without its server, one of several of one command and one start, or it waits in D and the driver cannot name it any
more, and its parent is process 1: whoever started it ended before it. A run that was put into the background on
purpose (nohup) is one process without a parent, and the others are its children.

Who holds the memory is listed by a tool, or named in an allocator's report of a full device; or memory of a device is
in use, nobody is listed, and no other process of the job's kind is in the table. One that stands inside of the GPU's
driver and that no kill ends is kept by the driver, whoever its parent is.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence.gpu import GpuProcess, GpuStatus
from ..evidence.process import ProcessState
from ..incident import Incident
from ._gpu_driver import kept_by_driver
from ._gpus import IDLE_MIB, NAMELESS
from ._holders import NOTEBOOK, WORKER, holders, is_orphan, process_table
from ._jobs import is_of_the_job
from ._reports import gpu_subject
from ._symptom import Finding, Symptom

APART_S = 60.0  # what one process started is of one age


def rule(incident: Incident) -> Iterator[Finding]:
    kept = {thread.subject.pid for thread in kept_by_driver(incident)}
    for holder in holders(incident):
        row, owner = holder.row, holder.owner
        if row is None or row.subject.pid in kept or not is_orphan(incident, row):
            continue
        nameless = owner is not None and owner.name.strip("[]").lower() in NAMELESS
        if _is_left(incident, row, holder.names) or (nameless and row.state == "D"):
            name = owner.name if owner and owner.name else row.subject.comm
            note = f"{name} ({row.subject.pid}) holds GPU memory, and who started it is gone"
            yield Finding(gpu_subject(incident, holder.facts[0].subject), holder.facts, note)

    yield from _unlisted(incident, kept)


def _is_left(incident: Incident, row: ProcessState, names: str) -> bool:
    """True for an orphan that is a worker or a kernel by its name, or has a sibling of its age and command."""
    return bool(WORKER.search(names) or NOTEBOOK.search(names)) or any(
        other.subject.pid != row.subject.pid
        and other.command == row.command
        and other.state != "Z"
        and is_of_the_job(row)
        and abs((other.elapsed_s or 0.0) - (row.elapsed_s or 0.0)) <= APART_S
        and is_orphan(incident, other)
        for other in process_table(incident).rows.values()
    )


def _unlisted(incident: Incident, kept: set[int | None]) -> Iterator[Finding]:
    """The orphans of a table in which nobody else is of the job's kind, where a device's memory is in use."""
    used = [status for status in incident.of(GpuStatus) if (status.memory_used_mib or 0.0) > IDLE_MIB]
    if not used or any(owner.subject.pid is not None for owner in incident.of(GpuProcess)):
        return
    rows = [row for row in process_table(incident).rows.values() if row.state != "Z" and row.subject.pid not in kept]
    orphans = [row for row in rows if is_orphan(incident, row) and _is_left(incident, row, row.names)]
    if orphans and not any(is_of_the_job(row) and row not in orphans for row in rows):
        note = (
            f"{used[0].memory_used_mib:.0f} MiB in use; {orphans[0].subject.comm} ({orphans[0].subject.pid}) has lost "
        )
        note += "who started it"
        yield Finding(gpu_subject(incident, used[0].subject), (used[0], *orphans[:4]), note)


SYMPTOM = Symptom(
    title="a worker holds GPU memory after its job is gone",
    rule=rule,
    leak=0.0006,
    because="a job whose launcher left it on purpose (nohup, setsid) names itself as no worker",
    command="nvidia-smi; ps -o pid,ppid,stat,etime,cmd -p HOLDER_PID",
)
