"""The run died of an ordinary exception of its own code or configuration: a wrong type, key, shape, name or
argument, a module or file that is not there.

An exception in a helper thread or a destructor ends no run, a file that a network volume lacks may be the volume's,
and exceptions that speak for something else (memory, space, I/O, workers, collectives, CUDA, shared memory, caches)
are other symptoms. ABSENT where every exception of the log is of those.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.job import PythonException
from ..incident import Incident
from . import Finding, Symptom
from ._places import on_network, place
from .cache_race_error import CACHE
from .checkpoint_code_error import CODE
from .checkpoint_unreadable import PART_MISSING, UNREADABLE
from .fewer_gpus_than_expected import WORDS as FEWER
from .gpu_taken_before_start import AT_START

ORDINARY = frozenset(
    (
        "TypeError ValueError KeyError IndexError AttributeError NameError AssertionError ZeroDivisionError "
        "ImportError ModuleNotFoundError FileNotFoundError NotImplementedError SyntaxError IndentationError "
        "UnboundLocalError UnicodeDecodeError JSONDecodeError RecursionError LookupError ArgumentError "
        "ConfigAttributeError ValidationError MissingConfigException ConfigKeyError NotADirectoryError "
        "IsADirectoryError OverflowError FloatingPointError HFValidationError RepositoryNotFoundError ScannerError "
        "ParserError ArithmeticError"
    ).split()
)
OF_TENSORS = re.compile(
    r"mat1 and mat2 shapes|size of tensor a|Expected all tensors to be on the same device|expected scalar type"
    r"|does not require grad|[Ss]hape mismatch|shapes cannot be"
    r"|inplace operation|invalid shape|Trying to backward through the graph|should be the same|must match the size"
    r"|Sizes of tensors must match|not implemented for '|Given groups="
    r"|stack expects each tensor to be equal size|default_collate|Invalid device|unused parameters"
    r"|Expected to have finished reduction|size mismatch for \S+: copying a param with shape torch\.Size\(\[[1-9]",
)
OTHER = re.compile(
    r"No space|quota|Read-only|Input/output|Stale|Too many open|ancdata|shared memory|Cannot allocate"
    r"|out of memory|CUDA|cuda|NCCL|nccl|gloo|Connection|DataLoader worker"
    r"|killed by signal|exited unexpectedly|[Tt]imed? ?out|CalledProcessError|device-side|XLA|socket|Broken pipe",
)


def rule(incident: Incident) -> Iterator[Finding]:
    """The ordinary exceptions; else the others."""
    others = []
    found = False
    for fact in incident.of(PythonException):
        name = fact.type.rpartition(".")[2]
        text = f"{fact.type}: {fact.text}"
        ordinary = name in ORDINARY or OF_TENSORS.search(fact.text) is not None
        special = any(
            pattern.search(text) for pattern in (OTHER, CODE, UNREADABLE, PART_MISSING, FEWER, AT_START)
        ) or CACHE.search(f"{text} {' '.join(fact.frames[:4])}")
        aside = any("_bootstrap_inner" in frame or "__del__" in frame for frame in fact.frames)
        remote = fact.error == "ENOENT" and on_network(incident, place(incident, fact.subject.path))
        if (
            ordinary
            and not special
            and not aside
            and not remote
            and fact.error in (None, "ENOENT", "ENOTDIR", "EISDIR")
        ):
            found = True
            yield Finding(Subject(rank=fact.subject.rank), (fact,), text.splitlines()[0][:160])
        else:
            others.append(fact)
    if others and not found:
        yield Finding(Subject(), tuple(others), "the exceptions speak for something else", present=False)


SYMPTOM = Symptom(
    title="the job's own code raised an exception",
    rule=rule,
    leak=0.006,
    because="exceptions of this kind that are caught or come in tear-down are seen now and then",
    command="grep -n -A 40 Traceback train.log",
)
