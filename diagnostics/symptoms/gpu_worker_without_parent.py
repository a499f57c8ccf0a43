"""A worker process holds GPU memory and the job that started it is gone.

The process is a worker by its name (a worker of vLLM, SGLang, Ray, or of Python's multiprocessing), or it waits in D
and the driver cannot name it any more, and its parent is process 1: whoever started it ended before it. Who holds the
memory is listed by a tool, or named in an allocator's report of a full device. One that stands inside of the GPU's
driver and that no kill ends is kept by the driver, whoever its parent is.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..incident import Incident
from . import Finding, Symptom
from ._holders import WORKER, holders, is_orphan
from ._reports import gpu_subject
from .gpu_memory_without_owner import NAMELESS
from .hung_in_gpu_driver import kept_by_driver


def rule(incident: Incident) -> Iterator[Finding]:
    kept = {thread.subject.pid for thread in kept_by_driver(incident)}
    for holder in holders(incident):
        row, owner = holder.row, holder.owner
        if row is None or row.subject.pid in kept or not is_orphan(incident, row):
            continue
        nameless = owner is not None and owner.name.strip("[]").lower() in NAMELESS
        if WORKER.search(holder.names) or (nameless and row.state == "D"):
            name = owner.name if owner and owner.name else row.subject.comm
            note = f"{name} ({row.subject.pid}) holds GPU memory, and who started it is gone"
            yield Finding(gpu_subject(incident, holder.facts[0].subject), holder.facts, note)


SYMPTOM = Symptom(
    title="a worker holds GPU memory after its job is gone",
    rule=rule,
    leak=0.0006,
    because="a job whose launcher left it on purpose (nohup, setsid) names itself as no worker",
    command="nvidia-smi; ps -o pid,ppid,stat,etime,cmd -p PID",
)
