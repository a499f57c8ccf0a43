"""A worker process holds GPU memory and the job that started it is gone.

The process is a worker by its name (a worker of vLLM, SGLang, Ray, or of Python's multiprocessing), or it waits in D and the
driver cannot name it any more, and its parent is process 1: whoever started it ended before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence.gpu import GpuProcess
from ..evidence.process import ProcessState
from ..incident import Incident
from . import Finding, Symptom
from ._reports import gpu_subject
from .gpu_memory_without_owner import NAMELESS

WORKER = re.compile(
    r"VLLM::|sglang::|\bray::|multiprocessing\.(?:spawn|forkserver|resource_tracker)|spawn_main|pt_data_worker|pt_main_thread"
    r"|EngineCore|ModelRunner|\bTPWorker|deepspeed\.launcher\.launch|--local[-_]rank|torch\.distributed\.run|\[?python\d?[\d.]*\]? <defunct>",
    re.I,
)


def rule(incident: Incident) -> Iterator[Finding]:
    table = {row.subject.pid: row for row in incident.of(ProcessState)}
    for owner in incident.of(GpuProcess):
        row = table.get(owner.subject.pid)
        if row is None or row.parent_pid != 1:
            continue
        names = f"{owner.name} {row.subject.comm or ''} {row.command}"
        nameless = owner.name.strip("[]").lower() in NAMELESS
        if WORKER.search(names) or (nameless and row.state == "D"):
            note = f"{owner.name} ({row.subject.pid}) holds GPU memory, and who started it is gone"
            yield Finding(gpu_subject(incident, owner.subject), (owner, row), note)


SYMPTOM = Symptom(
    title="a worker holds GPU memory after its job is gone",
    rule=rule,
    leak=0.0006,
    because="a job whose launcher left it on purpose (nohup, setsid) names itself as no worker",
    command="nvidia-smi; ps -o pid,ppid,stat,etime,cmd -p PID",
)
