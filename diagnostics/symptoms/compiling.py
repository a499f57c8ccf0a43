"""A compiler of kernels is at work: compiler processes below the trainer, a stack inside torch.compile, inductor or
Triton that is on a CPU or waits for a compiler's process, an error that a compilation took longer than its limit, a
log that ends with the compiler's own alarm that it is slow, or one in which a compilation took half a minute or more
and came to its end, or ends with its begin while a process is on a CPU, or a person's measurement of one.

A compiler that waits for the other ranks is no sign of work, nor is one that waits for a GPU in a job of several ranks,
where a collective may hold the GPU; nor is inductor's idle worker pool. ABSENT where the main thread's
stack was taken (a child of a pool has none of a trainer's) and no compiler is on any thread's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Evidence, Subject
from ..evidence.collective import CollectiveStuck, CollectiveTimeout
from ..evidence.job import PythonException
from ..evidence.people import Trial
from ..evidence.process import ProcessState, PythonStack
from ..evidence.training import Phase, PhaseTook, RunFinished, TrainingSteps
from ..incident import Incident
from ._compilers import _calls_ranks, compilers, waits_for_child, waits_for_ranks
from ._errors import matching
from ._runs import went_on_after
from ._symptom import Finding, Symptom
from ._waits import compiles, is_child, main_stacks

SLOW = re.compile(
    r"compile-worker future for|COMPILE_WORKER_WAIT_TIMEOUT"
    r"|compil\w{1,8} (?:did not complete|took longer|timed out)|recompile_limit|cache_size_limit|register spill",
    re.I,
)
ALARM = re.compile(
    r"Very slow compile\?|Constant folding an instruction is taking|\bcompil\w{1,8} (?:is|has been) (?:very )?slow"
    "|still compiling|still running",
    re.I,
)
COMPILATION = re.compile(r"\bcompil(?:e|ation|ing)\b", re.I)
LONG_S = 30.0
BUSY_PERCENT = 50.0
MOSTLY = 0.8
# The operation took 3m46.35s        AUTOTUNE benchmarking takes 51.2 seconds        graph capturing finished in 35 secs
# Time to load cpu_adam op: 312.44 seconds
TOOK = re.compile(r"\b(?:took|takes|in|op:) (?:(\d{1,4})m ?)?(\d{1,6}(?:\.\d{1,12})?) ?s(?:ec|\b)")


def rule(incident: Incident) -> Iterator[Finding]:
    """Each sign of a compiler at work; else the main threads that do something else."""
    signs = [*_seen(incident), *_told(incident)]
    yield from signs
    elsewhere = [stack for stack in main_stacks(incident) if not is_child(stack)]
    if elsewhere and not signs and not any(map(compiles, incident.of(PythonStack))):
        yield Finding(Subject(), tuple(elsewhere), "no main thread compiles", present=False)


def _seen(incident: Incident) -> Iterator[Finding]:
    at_work = compilers(incident)
    for row in at_work:
        yield Finding(Subject(), (row,), f"{row.subject.comm or row.command[:40]} is running")
    for stack in main_stacks(incident):
        waits = waits_for_ranks(stack) and (_calls_ranks(stack) or _has_several_ranks(incident, stack))
        if compiles(stack) and not waits and (stack.active or at_work or waits_for_child(stack)):
            yield Finding(Subject(), (stack,), f"the main thread compiles: {stack.frames[0].function}")


def _has_several_ranks(incident: Incident, stack: PythonStack) -> bool:
    key_of = incident.links.key_of
    trainers = {key_of(each) for each in main_stacks(incident) if not is_child(each)}
    if trainers - {key_of(stack)} or incident.of(CollectiveTimeout, CollectiveStuck):
        return True
    return any((fact.subject.rank or 0) > 0 for fact in incident.evidence)


def _told(incident: Incident) -> Iterator[Finding]:
    for said in matching(incident, SLOW):
        if went_on_after(incident, said.fact):
            continue
        yield Finding(Subject(), (said.fact,), said.text.splitlines()[0][:160])
    phases = [phase for phase in incident.of(Phase) if phase.phase == "compile"]
    ends: list[Evidence] = [*(phase for phase in phases if phase.edge == "end"), *incident.of(TrainingSteps)]
    long = [phase for phase in phases if phase.edge == "end" and _said_to_take(phase.text) >= LONG_S]
    for phase in long:
        yield Finding(Subject(), (phase,), f"the log says: {phase.text[:120]}")
    told = {fact.source for fact in (*long, *incident.of(Trial))}  # a trial's time is how that one went
    for took in (each for each in incident.of(PhaseTook) if each.phase == "compile" and each.seconds >= LONG_S):
        if took.source not in told and COMPILATION.search(took.text):
            yield Finding(Subject(), (took,), f"a compilation took {took.seconds:.0f} s: {took.text[:120]}")
    yield from _alarms(incident, phases)
    yield from _busy_since(incident, phases)
    for begin in (phase for phase in phases if phase.edge == "begin"):
        later = [e for e in ends if e.source.file == begin.source.file and e.source.line > begin.source.line]
        end = min(later, key=lambda each: each.source.line, default=None)
        took_s = incident.timeline.elapsed_s(begin, end) if end else None
        if end and took_s is not None and took_s >= LONG_S:
            yield Finding(Subject(), (begin, end), f"the compilation took {took_s:.0f} s and ended")


def _alarms(incident: Incident, phases: list[Phase]) -> Iterator[Finding]:
    """The compiler's own alarm that it is slow, where it is the last that a log tells of and nobody saw all at rest."""
    used = [row.cpu_percent for row in incident.of(ProcessState) if row.cpu_percent is not None]
    if used and max(used) < BUSY_PERCENT:
        return
    for phase in phases:
        if ALARM.search(phase.text):
            others = [*incident.of(TrainingSteps), *incident.of(PythonException), *incident.of(RunFinished)]
            if not any(e.source.file == phase.source.file and e.source.line > phase.source.line for e in others):
                yield Finding(Subject(), (phase,), f"the compiler says: {phase.text[:60]}")


def _busy_since(incident: Incident, phases: list[Phase]) -> Iterator[Finding]:
    """The begin of a compilation as the last that a log tells of, with a process that has been on a CPU for most of its
    life.
    """
    ends = [*incident.of(TrainingSteps), *incident.of(PythonException), *incident.of(RunFinished), *phases]
    busy = [row for row in incident.of(ProcessState) if row.state == "R" and (row.cpu_percent or 0.0) >= BUSY_PERCENT]
    busy += [
        row
        for row in incident.of(ProcessState)
        if row.state == "R" and row.cpu_s and row.elapsed_s and MOSTLY * row.elapsed_s <= row.cpu_s >= LONG_S
    ]
    tables = {row.source.file for row in incident.of(ProcessState)}
    for begin in (phase for phase in phases if phase.edge == "begin" and phase.source.file not in tables and busy):
        if not any(e.source.file == begin.source.file and e.source.line > begin.source.line for e in ends):
            yield Finding(
                Subject(), (begin, busy[0]), "the log ends with the begin of a compilation, and a CPU is at it"
            )


def _said_to_take(text: str) -> float:
    found = TOOK.search(text)
    return float(found[1] or 0) * 60 + float(found[2]) if found else 0.0


SYMPTOM = Symptom(
    title="a compiler is at work",
    rule=rule,
    leak=0.0015,
    because="compilation takes a small part of a run; caught in the act it is usually what one waits for",
    command="ps -ef --forest | grep -E 'cc1plus|ptxas|nvcc|compile_worker'; py-spy dump --nonblocking --pid JOB_PID",
    cost_minutes=1,
)
