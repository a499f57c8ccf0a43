"""A helper thread of the trainer ended with an exception of its own, which Python prints and nobody hears.

The thread that pins memory, feeds a queue or serves shared tensors: an exception whose outermost frames are a thread's.
One that says of itself what was lacking (memory, room, descriptors), that a device failed or that a
worker was killed is told by that symptom. A
worker process that is gone is another symptom: its parent is told. Nobody waits for threads that only report or measure,
and a run that goes on well after it did not need it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.job import PythonException
from ..incident import Incident
from . import Finding, Symptom
from ._errors import matching

HELPERS = re.compile(r"\b(?:_pin_memory_loop|_feed|_serve|_bootstrap_inner)\b")
REPORTS = re.compile(
    r"/(?:tensorboard\w{0,2}|wandb|mlflow|comet_ml|clearml|neptune|aim|sentry_sdk|prometheus_client|opentelemetry|tqdm"
    r"|psutil|pynvml|gpustat|codecarbon|usage_stats|debugpy|IPython|ipykernel|matplotlib)/"
)
SAYS_WHY = re.compile(
    r"No space|shared memory|Too many open|ancdata|[Cc]annot allocate|[Oo]ut ?of ?[Mm]emory|CUDA|NCCL|Input/output|Stale|quota"
    r"|killed by signal"
)
TOLD = re.compile(
    r"Exception in thread.{0,40}(?:pin_memory|[Ff]eed|[Pp]refetch|[Ll]oad)|QueueFeederThread.{0,80}(?:exception|error)"
)


def rule(incident: Incident) -> Iterator[Finding]:
    """Each exception of a thread, and each word of one."""
    for error in incident.of(PythonException):
        helper = any(map(HELPERS.search, error.frames)) and not any(map(REPORTS.search, error.frames))
        if helper and not SAYS_WHY.search(f"{error.type}: {error.text}"):
            yield Finding(Subject(pid=error.subject.pid), (error,), f"a helper thread ended with {error.type}")
    for said in matching(incident, TOLD):
        yield Finding(Subject(pid=said.fact.subject.pid), (said.fact,), said.text.splitlines()[0][:160])


SYMPTOM = Symptom(
    title="a helper thread ended by itself",
    rule=rule,
    leak=0.0004,
    because="a thread that feeds the training is written to live as long as it; other threads end so now and then",
    command="grep -n -A 20 'Exception in thread' *.log; py-spy dump --nonblocking --pid PID",
    may_pass=True,
)
