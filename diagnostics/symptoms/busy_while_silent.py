"""The log is silent, yet the trainer works: its main thread is on a CPU in its own or the framework's compute code,
or its CPU time grows.

Waiting in a collective or for the GPU burns CPU too and does not count, nor does a compiler (see compiling).
Nor does a silence after which the log goes on. ABSENT where the trainer was looked at and is idle.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..evidence import Evidence, Subject
from ..evidence.supervisor import WatchdogFired, WatchdogObservation
from ..incident import Incident
from ..links import Process
from ._progress import growing, has_passed, last_signs
from ._registry import findings_of
from ._symptom import Finding, Symptom
from ._waits import compiles, in_collective, is_main, is_worker

SILENT_S = 15.0


def rule(incident: Incident) -> Iterator[Finding]:
    """The trainers of a silent job."""
    silences = _silences(incident)
    if not silences:
        return
    idle: list[Evidence] = []
    found = False
    for process in incident.links.with_python:
        mains = [stack for stack in process.stacks if is_main(stack) and not stack.crashed]
        if not mains or is_worker(process) or not _concerns(incident, silences, process):
            continue
        if any(in_collective(stack) or compiles(stack) for stack in mains):
            continue
        evidence = [stack for stack in mains if stack.active] or growing(process)
        if evidence:
            found = True
            note = f"process {process.pid} works while its log is silent"
            yield Finding(Subject(pid=process.pid), tuple(evidence), note)
        elif any(stack.active is False for stack in mains):
            idle += mains[:1]
    if idle and not found:
        yield Finding(Subject(), tuple(idle), "the trainer is idle", present=False)


def _silences(incident: Incident) -> list[tuple[int | None, Evidence]]:
    """The processes whose logs are silent, None where nobody says which, each with what says so."""
    signs = last_signs(incident)
    fired = [fact for fact in incident.of(WatchdogFired) if fact.watchdog != "nccl"]
    alarms = [fact for fact in fired if not (fact.action == "alert" and has_passed(incident, fact, signs))]
    looks = [look for look in incident.of(WatchdogObservation) if (look.age_s or 0) > SILENT_S]
    quiet = [look for look in looks if not has_passed(incident, look, signs)]
    found = [(each.subject.pid, each.evidence[0]) for each in findings_of(incident, "progress-stopped") if each.present]
    stopped = [(pid, fact) for pid, fact in found if isinstance(fact, Evidence)]
    return [(fact.subject.pid, fact) for fact in (*alarms, *quiet)] or stopped


def _concerns(incident: Incident, silences: Sequence[tuple[int | None, Evidence]], process: Process) -> bool:
    """True where the silence is of this process or of one that it descends from."""
    fact = process.stacks[0]
    silent = {pid for pid, shown in silences if incident.links.may_be_beside(shown, fact)}
    seen: set[int] = set()
    one: int | None = process.pid
    while one is not None and one not in seen:
        if one in silent:
            return True
        seen.add(one)
        above = incident.links.processes.get((process.machine, one))
        one = above.parent_pid if above else None
    return None in silent


SYMPTOM = Symptom(
    title="the trainer works while its log is silent",
    rule=rule,
    leak=0.03,
    because="long evaluations and preparations are normal; that they coincide with an alarm is rare",
    command="py-spy dump --nonblocking --pid JOB_PID; for i in 1 2; do ps -o pid,stat,time -p JOB_PID; sleep 5; done",
    cost_minutes=1,
)
