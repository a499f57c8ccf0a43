"""A helper thread of the trainer ended: with an exception of its own, which Python prints and nobody hears, or unseen.

Unseen, where one of two dumps of a process shows it and the later one does not, in which the main thread waits, by an
event, a condition or a queue, in the file whose code that thread ran and now no thread runs.

So did a task of an event loop whose exception nobody retrieved, where the main thread of a program that is no server
idles in that loop, and a helper of another process that raised, where the job thereafter only counts how often it has
looked in vain.

The thread that pins memory, feeds a queue or serves shared tensors: an exception whose outermost frames are a thread's.
One that says of itself what was lacking (memory, room, descriptors), that a device failed or that a worker was killed
is told by that symptom; one whose very error the main thread raised, too, was noticed. A worker process that is gone is
another symptom: its parent is told. Nobody waits for threads that only report or measure, and a run that goes on well
after it did not need it. ABSENT where all that raised is a thread that watches the others and reports their end, and
the main thread is not seen to wait.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ..evidence import Evidence, Subject
from ..evidence.job import PythonException
from ..evidence.process import PythonStack
from ..incident import Incident
from ._errors import matching
from ._runs import unanswered_waits
from ._symptom import Finding, Symptom
from ._waits import idles_in_event_loop, in_library, is_main, main_stacks, name_of, waits_for_helpers, waits_for_thread

HELPERS = re.compile(r"\b(?:_pin_memory_loop|_feed|_serve|_bootstrap_inner)\b")
REPORTS = re.compile(
    r"/(?:tensorboard\w{0,2}|wandb|mlflow|comet_ml|clearml|neptune|aim|sentry_sdk|prometheus_client|opentelemetry|tqdm"
    r"|psutil|pynvml|gpustat|codecarbon|usage_stats|debugpy|IPython|ipykernel|matplotlib)/"
)
SAYS_WHY = re.compile(
    "No space|shared memory|Too many open|ancdata|[Cc]annot allocate|[Oo]ut ?of ?[Mm]emory|CUDA|NCCL|Input/output"
    "|Stale|quota"
    r"|killed by signal"
)
# a thread that watches the others has noticed their end
WATCHES = re.compile(
    # One or more background workers are no longer alive.     worker 3 died     actor is dead
    r"\b(?i:worker|process|child|actor|producer|loader)(?:s|es|ren)?\b[^.\n]{0,40}"
    r"\b(?:no longer (?:alive|running)|not alive|died|(?:is|are) (?:dead|gone)|exited|(?:was|were) terminated)\b"
)
TOLD = re.compile(
    r"Exception in thread.{0,40}(?:pin_memory|[Ff]eed|[Pp]refetch|[Ll]oad)|QueueFeederThread.{0,80}(?:exception|error)"
)

# asyncio: Task exception was never retrieved     Unhandled error in Deferred:
UNHEARD = re.compile(r"\b(?:Task|Future) exception was never retrieved\b|\bUnhandled error in Deferred\b")
# a program that answers requests idles in its loop all day
SERVES = re.compile(
    "(?:^|/)(?:uvicorn|hypercorn|gunicorn|daphne|sanic|tornado|fastapi|starlette|quart|gradio|streamlit|ipykernel"
    r"|jupyter\w{0,10}"
    r"|distributed|ray|vllm|sglang)/|aiohttp/web\w{0,10}\.py$|api_server|\bserve(?:r|_forever)?\b"
)
NUMBER = re.compile(r"\d+")
EARLIER = re.compile(r"(?:^|[^a-z])(?:before|earlier|healthy|first|early|good|working)(?:[^a-z]|$)", re.I)
LATER = re.compile(r"(?:^|[^a-z])(?:after|later|hung|hang|hanging|stuck|stalled|second|late|bad)(?:[^a-z]|$)", re.I)


def rule(incident: Incident) -> Iterator[Finding]:
    """Each exception of a thread, each word of one, and each thread that a later dump lacks."""
    found = list(_ended(incident))
    yield from found
    watches = [error for error in incident.of(PythonException) if _is_watch(incident, error)]
    if watches and not found:
        yield Finding(Subject(), tuple(watches), "who raised watches the others and noticed their end", present=False)


def _ended(incident: Incident) -> Iterator[Finding]:
    for error in incident.of(PythonException):
        helper = any(map(HELPERS.search, error.frames)) and not any(map(REPORTS.search, error.frames))
        told = _is_watch(incident, error) or _is_raised_elsewhere(incident, error)
        if helper and not told and not SAYS_WHY.search(f"{error.type}: {error.text}"):
            yield Finding(Subject(pid=error.subject.pid), (error,), f"a helper thread ended with {error.type}")
    for said in matching(incident, TOLD):
        yield Finding(Subject(pid=said.fact.subject.pid), (said.fact,), said.text.splitlines()[0][:160])
    yield from _unheard_tasks(incident)
    yield from _of_counted_waits(incident)
    for process in incident.links.with_python:
        for gone, waiting in _missing(incident, process.stacks):
            own = next(frame for frame in waiting.frames if not in_library(frame))
            note = (
                f"{gone.thread} of {process.pid} is gone, and the main thread waits in its code: {own.function} "
                f"({own.file})"
            )
            yield Finding(Subject(pid=process.pid), (waiting, gone), note)


def _is_watch(incident: Incident, error: PythonException) -> bool:
    """True where a thread reports that others have ended, unless the main thread is seen to wait all the same."""
    waits = any(waits_for_thread(stack) or waits_for_helpers(stack) for stack in main_stacks(incident))
    return not waits and any(map(HELPERS.search, error.frames)) and WATCHES.search(error.text) is not None


def _is_raised_elsewhere(incident: Incident, error: PythonException) -> bool:
    """True where code that is no helper's raised with a thread's very words: it was told."""
    said = f"{error.type}: {error.text}"
    return bool(error.text) and any(
        said in (f"{each.type}: {each.text}", *each.causes)
        for each in incident.of(PythonException)
        if each.frames and not any(map(HELPERS.search, each.frames))
    )


def _unheard_tasks(incident: Incident) -> Iterator[Finding]:
    """Each task that raised unheard, beside a main thread that idles in its event loop."""
    idle = [stack for stack in main_stacks(incident) if _idles_in_loop(stack)]
    for said in matching(incident, UNHEARD) if idle else ():
        raised = (error for error in incident.of(PythonException) if error.source.file == said.fact.source.file)
        if not any(SAYS_WHY.search(f"{error.type}: {error.text}") for error in raised):
            note = "a task raised, nobody retrieved its exception, and the main thread idles in the event loop"
            yield Finding(Subject(pid=idle[0].subject.pid), (said.fact, idle[0]), note)


def _idles_in_loop(stack: PythonStack) -> bool:
    places = [f"{frame.file or ''} {frame.function}" for frame in stack.frames]
    return idles_in_event_loop(stack) and not any(map(SERVES.search, places))


def _of_counted_waits(incident: Incident) -> Iterator[Finding]:
    """Each exception of a helper below whose line the process that it serves counts its looks in vain."""
    for wait in unanswered_waits(incident):
        for error in incident.of(PythonException):
            before = error.source.file == wait.source.file and error.source.line < wait.source.line
            helper = error.worker is not None or error.subject.pid not in (None, wait.subject.pid)
            if before and helper and not SAYS_WHY.search(f"{error.type}: {error.text}"):
                note = f"a helper raised {error.type}; then the job looked in vain up to the {wait.last}th time"
                yield Finding(Subject(pid=error.subject.pid), (error, wait), note)
                break


def _missing(incident: Incident, stacks: Sequence[PythonStack]) -> Iterator[tuple[PythonStack, PythonStack]]:
    """Each thread of an earlier dump that a later one lacks, with the main thread that waits in its code there."""
    for main in (stack for stack in stacks if is_main(stack) and _is_served(stack)):
        file = next((frame.file for frame in main.frames if not in_library(frame)), None)
        alive = [stack for stack in stacks if stack.source.file == main.source.file]
        if file is None or len(alive) < 2 or any(_runs(stack, file) for stack in alive if stack is not main):
            continue
        known = {name for stack in alive for name in (stack.thread, stack.subject.tid) if name is not None}
        for stack in (
            each for each in stacks if not is_main(each) and _runs(each, file) and _is_before(incident, each, main)
        ):
            if known.isdisjoint((stack.thread, stack.subject.tid)):
                yield stack, main


def _is_served(stack: PythonStack) -> bool:
    """True where a thread waits for what another one does; a thread that is only now begun is waited for, too."""
    begins = any(name_of(frame) == "start" and in_library(frame) for frame in stack.frames[:4])
    return waits_for_thread(stack) and not (stack.active or stack.crashed or stack.interrupted or begins)


def _runs(stack: PythonStack, file: str) -> bool:
    return any(frame.file == file for frame in stack.frames)


def _is_before(incident: Incident, first: Evidence, second: Evidence) -> bool:
    """True where one dump was taken before another: by their times, else by their files' names."""
    if elapsed_s := incident.timeline.elapsed_s(first, second):
        return elapsed_s > 0
    names = first.source.file, second.source.file
    if NUMBER.sub("#", names[0]) == NUMBER.sub("#", names[1]):
        numbers = [[int(number) for number in NUMBER.findall(name)] for name in names]
        return numbers[0] < numbers[1]
    return bool(EARLIER.search(names[0]) and LATER.search(names[1]) and not LATER.search(names[0]))


SYMPTOM = Symptom(
    title="a helper thread or task ended by itself",
    rule=rule,
    leak=0.0004,
    because="a thread that feeds the training is written to live as long as it; other threads end so now and then",
    command="grep -n -A 20 'Exception in thread' *.log; py-spy dump --nonblocking --pid JOB_PID",
    may_pass=True,
)
