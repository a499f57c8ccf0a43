"""A device was taken when the job began, and processes that are not the job's are seen to hold it.

The holder may be a server of its own. The job names itself in its complaint (`(EngineCore pid=23107)`); another process has memory on a device, or is by its name a
worker that would, and is neither a child of the job nor defunct.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence.gpu import GpuProcess
from ..evidence.process import ProcessState
from ..incident import Incident
from . import Finding, Symptom
from ._reports import gpu_subject, said
from .gpu_memory_without_owner import IDLE_MIB
from .gpu_taken_before_start import AT_START
from .gpu_worker_without_parent import WORKER

SERVER = re.compile(
    r"\bvllm serve\b|\bapi_server\b|launch_server|tritonserver|text-generation-server|llama-server|\bollama\b"
)


def rule(incident: Incident) -> Iterator[Finding]:
    table = {row.subject.pid: row for row in incident.of(ProcessState)}
    for complaint in said(incident, AT_START):
        own = complaint.subject.pid
        if own is None:
            continue
        parent = table[own].parent_pid if own in table else None
        holders = [
            fact for fact in incident.of(GpuProcess) if fact.subject.pid != own and (fact.memory_mib or 0.0) > IDLE_MIB
        ]
        workers = [
            row
            for row in table.values()
            if row.state != "Z"
            and (WORKER.search(f"{row.subject.comm or ''} {row.command}") or SERVER.search(row.command))
            and row.subject.pid != own
            and row.parent_pid != own
            and (parent is None or row.parent_pid != parent)
        ]
        others = (*holders, *workers)[:4]
        if others:
            note = f"pid {others[0].subject.pid} and {len(holders) + len(workers) - 1} others, not the job's own {own}"
            yield Finding(gpu_subject(incident, complaint.subject), (complaint, *others), note)


SYMPTOM = Symptom(
    title="others hold the device that the job found taken",
    rule=rule,
    leak=0.0005,
    because="a job's own ranks begin with the device free",
    command="nvidia-smi --query-compute-apps=pid,name,used_memory --format=csv; ps -o pid,ppid,etime,cmd -p PID",
)
