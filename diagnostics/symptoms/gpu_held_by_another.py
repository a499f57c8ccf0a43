"""A device was taken when the job began or when it asked for memory, and processes that are not the job's are seen
to hold it.

Where the job's complaint is of its start, the holder may be a server of its own: the job names itself in its complaint
(`(EngineCore pid=23107)`), and another process has memory on a device, or is by its name a worker that would, and
is neither a
child of the job nor defunct. Where the job ran out of memory, or does not name itself, the holder must have lost
whoever started
it, or be a notebook: one of the job's own ranks has a launcher. Where nobody listed the holders, they are siblings
of several starts of one command that all lost their parent: at most the last start is the job that complains.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from ..evidence import Evidence
from ..evidence.gpu import GpuProcess
from ..evidence.process import ProcessState
from ..incident import Incident
from ._gpus import AT_START, HELD_BY_ITSELF, IDLE_MIB, MEMORY_FULL
from ._holders import NOTEBOOK, WORKER, holders, is_orphan, process_table
from ._jobs import OF_A_JOB, is_of_the_job
from ._reports import gpu_subject, said, words_of
from ._symptom import Finding, Symptom

SERVER = re.compile(
    r"\bvllm serve\b|\bapi_server\b|launch_server|tritonserver|text-generation-server|llama-server|\bollama\b"
)
APART_S = 600.0  # what began within this time of each other is of one start


def rule(incident: Incident) -> Iterator[Finding]:
    for complaint in said(incident, AT_START):
        own = complaint.subject.pid
        others = _not_the_jobs(incident, complaint, own) if own is not None else _left_over(incident, complaint)
        yield from _found(incident, complaint, others)
    for complaint in said(incident, MEMORY_FULL):
        if not AT_START.search(words_of(complaint)):
            yield from _found(incident, complaint, _left_over(incident, complaint))


def _found(incident: Incident, complaint: Evidence, others: list[Evidence]) -> Iterator[Finding]:
    if others:
        of = f", not the job's own {complaint.subject.pid}" if complaint.subject.pid is not None else ""
        note = f"pid {others[-1].subject.pid} and {len(others) - 1} others{of}"
        yield Finding(gpu_subject(incident, complaint.subject), (complaint, *others[:4]), note)


def _not_the_jobs(incident: Incident, complaint: Evidence, own: int) -> list[Evidence]:
    """Holders and workers on the machine of a job that names itself in its complaint."""
    table = process_table(incident)
    itself = table.row(complaint, own)
    parent = itself.parent_pid if itself else None
    listed = [
        fact
        for fact in incident.of(GpuProcess)
        if fact.subject.pid != own and (fact.memory_mib or 0.0) > IDLE_MIB and table.may_be_beside(complaint, fact)
    ]
    workers = [
        row
        for row in table.rows.values()
        if row.state != "Z"
        and table.may_be_beside(complaint, row)
        and (WORKER.search(row.names) or SERVER.search(row.command))
        and row.subject.pid != own
        and row.parent_pid != own
        and (parent is None or row.parent_pid != parent)
    ]
    return [*listed, *workers]


def _left_over(incident: Incident, complaint: Evidence) -> list[Evidence]:
    """Programs without a parent, and notebooks, that hold a device although the job that complains is another."""
    own = complaint.subject.pid
    left: dict[int | None, tuple[Evidence, ...]] = {}
    for holder in holders(incident):
        row = holder.row
        if row is None or holder.pid == own:
            continue
        notebook = NOTEBOOK.search(holder.names) and not HELD_BY_ITSELF.search(words_of(complaint))
        may_be_itself = own is None and holder.owner is None and _is_alone(incident, row)
        orphan = (
            not may_be_itself
            and is_orphan(incident, row)
            and (OF_A_JOB.search(holder.names) or WORKER.search(holder.names))
        )
        if notebook or orphan:
            left[holder.pid] = holder.facts
    if not left and (own is not None or AT_START.search(words_of(complaint))):
        workers = (row for row in incident.of(ProcessState) if is_orphan(incident, row) and WORKER.search(row.names))
        left = {row.subject.pid: (row,) for row in workers if row.subject.pid != own and row.state != "Z"}
    if not left:
        left = {row.subject.pid: (row,) for row in _of_earlier_starts(incident) if row.subject.pid != own}
    return [fact for facts in left.values() for fact in facts]


def _of_earlier_starts(incident: Incident) -> list[ProcessState]:
    """Siblings of the job's kind without a parent, of one command and of several starts; all but those of the last."""
    starts: dict[str, list[list[ProcessState]]] = defaultdict(list)
    orphans = [row for row in process_table(incident).rows.values() if row.state != "Z" and is_orphan(incident, row)]
    timed = [(row.elapsed_s, row) for row in orphans if row.elapsed_s is not None and is_of_the_job(row)]
    for elapsed_s, row in sorted(timed, key=lambda pair: pair[0]):
        groups = starts[row.command or row.subject.comm or ""]
        if not groups or elapsed_s - (groups[-1][-1].elapsed_s or 0.0) > APART_S:
            groups.append([])
        groups[-1].append(row)
    whole = [groups for groups in starts.values() if len(groups) > 1 and all(len(group) > 1 for group in groups)]
    return [row for groups in whole for group in groups[1:] for row in group]


def _is_alone(incident: Incident, row: ProcessState) -> bool:
    """True for the only program of a table: whoever complains without a name may be it."""
    rows = (each for each in incident.of(ProcessState) if each.state != "Z" and is_of_the_job(each))
    return {each.subject.pid for each in rows} <= {row.subject.pid, 1}


SYMPTOM = Symptom(
    title="others hold the device that the job found taken",
    rule=rule,
    leak=0.0005,
    because="a job's own ranks begin with the device free",
    command="nvidia-smi --query-compute-apps=pid,name,used_memory --format=csv; ps -o pid,ppid,etime,cmd -p HOLDER_PID",
)
