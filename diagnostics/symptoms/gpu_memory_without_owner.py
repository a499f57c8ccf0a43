"""GPU memory is in use and no living process of this machine owns it.

nvidia-smi shows memory in use (over 1 GiB) and no process (in words, or an empty table beside a defunct process), or it
lists a process that it cannot name, or one that the process table shows as defunct or not at all, or that `kill` does
not find; or an out-of-memory report names a holder that has ended. ABSENT where every listed process lives, or no
memory is in use.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Evidence
from ..evidence.gpu import GpuProcess, GpuProcessesNone, GpuStatus
from ..evidence.process import ProcessState
from ..evidence.storage import ToolError
from ..evidence.supervisor import ProcessEnded
from ..incident import Incident
from ._gpus import IDLE_MIB, NAMELESS
from ._holders import HOLDER
from ._jobs import is_of_the_job
from ._reports import gpu_subject, said, words_of
from ._symptom import Finding, Symptom

NO_SUCH = re.compile(r"\((\d{1,10})\) - No such process|/proc/(\d{1,10})'?: No such file or directory")


def rule(incident: Incident) -> Iterator[Finding]:
    yield from _named_by_allocator(incident)
    key_of, machine_of = incident.links.key_of, incident.links.machines.of
    owners, none_listed = incident.of(GpuProcess), incident.of(GpuProcessesNone)
    table = {key_of(fact): fact for fact in incident.of(ProcessState)} if owners or none_listed else {}
    gone = {
        (machine_of(tool), int(found[1] or found[2])): tool
        for tool in incident.of(ToolError)
        if (found := NO_SUCH.search(tool.text))
    }
    alive: list[Evidence] = []
    for owner in owners:
        key = key_of(owner)
        row = table.get(key)
        # a table with pid 1 in it is no excerpt: who is missing there is not there
        whole_table = (machine_of(owner), 1) in table
        nameless = owner.name.strip("[]").lower() in NAMELESS
        if row is not None and row.state == "Z":
            yield _held(incident, owner, (owner, row), "a defunct process")
        elif key in gone:
            yield _held(incident, owner, (owner, gone[key]), f"pid {owner.subject.pid}, which is gone,")
        elif nameless and row is None:
            yield _held(incident, owner, (owner,), f"pid {owner.subject.pid}, which the driver cannot name,")
        elif row is None and whole_table and owner.subject.pid is not None:
            yield _held(incident, owner, (owner,), f"pid {owner.subject.pid}, which is not in the process table,")
        elif row is not None and row.parent_pid not in (None, 1):  # whom pid 1 has taken over lives on without its job
            alive.append(owner)
    defunct = any(row.state == "Z" for row in table.values())
    if not owners and not none_listed:
        yield from _of_the_defunct(incident)
    nobody = [each for each in none_listed if each.in_words or defunct]
    counted = [owner for owner in owners if owner.memory_mib is not None]  # by the driver; others hold the device file
    for status in incident.of(GpuStatus):
        here = [each for each in nobody if each.subject.gpu in (None, status.subject.gpu)]
        if not here or any(
            each.subject.gpu is None or owner.subject.gpu == each.subject.gpu for each in here for owner in counted
        ):
            continue
        if (status.memory_used_mib or 0) > IDLE_MIB:
            holder = "".join(f"; pid {owner.subject.pid} holds the device" for owner in owners[:1])
            note = f"{status.memory_used_mib:.0f} MiB in use and no process listed{holder}"
            yield Finding(gpu_subject(incident, status.subject), (status, *here, *owners[:1]), note)
        elif status.memory_used_mib is not None:
            yield Finding(gpu_subject(incident, status.subject), (status,), "no memory in use", present=False)
    if alive and table and not nobody:
        yield Finding(alive[0].subject, tuple(alive), "the processes that hold GPU memory are alive", present=False)


def _of_the_defunct(incident: Incident) -> Iterator[Finding]:
    """A program that was killed and cannot end, while memory of a GPU is in use and nobody listed who holds it."""
    dead = [row for row in incident.of(ProcessState) if row.state == "Z" and row.parent_pid == 1]
    dead = [row for row in dead if is_of_the_job(row)]
    lives = any(row.state != "Z" and is_of_the_job(row) for row in incident.of(ProcessState))
    for status in incident.of(GpuStatus) if dead and not lives else ():
        if (status.memory_used_mib or 0) > IDLE_MIB:
            note = f"{status.memory_used_mib:.0f} MiB in use, and {dead[0].subject.pid} is defunct"
            yield Finding(gpu_subject(incident, status.subject), (status, dead[0]), note)


def _named_by_allocator(incident: Incident) -> Iterator[Finding]:
    """Holders that PyTorch's report of a full device names although the log above it tells of their end."""
    ended = {(fact.source.file, fact.subject.pid): fact for fact in incident.of(ProcessEnded)}
    for report in said(incident, HOLDER):
        for pid, amount in HOLDER.findall(words_of(report)):
            end = ended.get((report.source.file, int(pid)))
            if end and end.source.line < report.source.line:
                note = f"pid {pid}, which has ended, holds {amount}"
                yield Finding(gpu_subject(incident, report.subject), (report, end), note)


def _held(incident: Incident, owner: GpuProcess, facts: tuple[Evidence, ...], who: str) -> Finding:
    amount = f"{owner.memory_mib:.0f} MiB" if owner.memory_mib is not None else "memory"
    return Finding(gpu_subject(incident, owner.subject), facts, f"{who} holds {amount}")


SYMPTOM = Symptom(
    title="GPU memory is held by nobody who lives",
    rule=rule,
    leak=0.0005,
    because="only a process that is hidden in another container does this without being dead",
    command="nvidia-smi; sudo fuser -v /dev/nvidia*; ps -eo pid,ppid,stat,comm",
)
