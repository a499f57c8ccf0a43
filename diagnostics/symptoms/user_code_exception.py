"""The run died of an ordinary error of its own code or configuration: a wrong type, key, shape, name or argument, a
module that is not there, packages that do not fit each other, an option that a program does not know, a call that its
own settings have switched off.

A runtime's own status (DEADLINE_EXCEEDED, UNAVAILABLE of a JaxRuntimeError) is its word on a peer or a device; of such
only INVALID_ARGUMENT, with which it refuses what it was handed, is the code's.

An exception after which the log goes on with steps was caught. One in a helper thread or a destructor ends no run,
and exceptions that speak for something else (a file that is not there, or still there from a save that was cut off,
memory, space, I/O, workers, collectives, CUDA, shared memory, caches, builds) are other symptoms.
ABSENT where every exception of the log is of those.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ..evidence import Subject
from ..evidence.job import LogLine, PythonException
from ..evidence.storage import ZeroRun
from ..evidence.supervisor import SchedulerEvent
from ..incident import Incident
from ._builds import lacking
from ._caches import CACHE, cannot_decode
from ._checkpoints import PART_MISSING, PARTS, SAVING_CODE, UNREADABLE, mismatches, raised_while_saving
from ._exceptions import DIVERGED, SETUP
from ._gpus import AT_START, FEWER_GPUS, MEMORY_FULL
from ._registry import findings_of
from ._runs import went_on_after
from ._shared_memory import is_gone
from ._symptom import Finding, Symptom

ORDINARY = frozenset(
    (
        "TypeError ValueError KeyError IndexError AttributeError NameError AssertionError ZeroDivisionError "
        "ImportError ModuleNotFoundError NotImplementedError SyntaxError IndentationError "
        "UnboundLocalError UnicodeDecodeError JSONDecodeError RecursionError LookupError ArgumentError "
        "ConfigAttributeError ValidationError MissingConfigException ConfigKeyError NotADirectoryError "
        "IsADirectoryError OverflowError FloatingPointError HFValidationError RepositoryNotFoundError ScannerError "
        "ParserError ArithmeticError InstantiationException"
    ).split()
)
# KeyError: Caught KeyError in DataLoader worker process 0.     what the worker raised, where its own words are cut off
IN_A_WORKER = re.compile(r"^Caught \w{1,60} in DataLoader worker process \d{1,6}\.\s{0,4}")
OF_TENSORS = re.compile(
    r"mat1 and mat2 shapes|size of tensor a|Expected all tensors to be on the same device|expected scalar type"
    r"|does not require grad|[Ss]hape mismatch|shapes cannot be"
    r"|inplace operation|invalid shape|Trying to backward through the graph|should be the same|must match the size"
    r"|Sizes of tensors must match|not implemented for '|Given groups="
    "|stack expects each tensor to be equal size|default_collate"
    r"|\bgot (?:an )?inputs? of (?:invalid|wrong|different) (?:size|shape)|Invalid device|unused parameters"
    "|Matrix size-incompatible|[Ii]ncompatible shapes"
    r"|Expected to have finished reduction|size mismatch for \S+: copying a param with shape torch\.Size\(\[[1-9]",
)
# the name of a switch, as a message writes it: 'x'  `x`  --x  enable_x
_SWITCH = r"(?:['\"`][\w.-]{2,80}['\"`]|--[\w-]{2,80}|[A-Za-z]\w{0,60}_\w{1,60})"
_ON = r"(?:is |was |has been |to be |be )?(?:enabled|turned on|switched on|set to ['\"`]?[Tt]rue)"
# a call that the job's own settings have switched off, with the switch that turns it on
SWITCHED_OFF = re.compile(
    # Make sure the 'x' config is enabled     ensure that --x is set to true
    rf"\b(?:[Mm]ake sure|[Ee]nsure|[Cc]heck)(?: that)?(?: the)? {_SWITCH} (?:\w{{2,20}} )?{_ON}"
    # requires `x` to be enabled     enable_x must be set to True
    rf"|\brequires?(?: the| that)? {_SWITCH} (?:\w{{2,20}} )?{_ON}"
    rf"|{_SWITCH} (?:\w{{2,20}} )?(?:must|needs to|has to|should) {_ON}"
    # please set trust_remote_code=True to use it
    rf"|\b(?:[Ss]et|[Pp]ass|[Uu]se) ['\"`]?[A-Za-z]\w{{1,80}} ?= ?[Tt]rue['\"`]? (?:to|before|when|if|in)\b"
    # only supported when use_orig_params=True
    r"|\b(?:only (?:supported|allowed|valid|available)|cannot be used|not supported) "
    f"(?:when|with|if|unless|without) {_SWITCH} ?(?:=|is|set to) ?(?:[Tt]rue|[Ff]alse|enabled|disabled)"
)
# (gather at /src/torch/csrc/cuda/comm.cpp:231)      where native code raised says nothing of what it was about
NATIVE_PLACE = re.compile(r"\((?:[\w:~<>]{1,80} )?at \S{1,300}\.(?:cpp|cc|cxx|cu|cuh|h|hpp):\d{1,6}\)")
OTHER = re.compile(
    "No space|/dev/shm|check-?sum (?:mismatch|failure)|[Cc]hecksum failure|checksum does not match"
    "|No usable temporary directory|quota|Read-only|Input/output|Stale|Too many open|ancdata|shared memory|Cannot "
    "allocate"
    r"|out of memory|CUDA|cuda|NCCL|nccl|gloo|Connection|DataLoader worker"
    "|killed by signal|exited unexpectedly|[Tt]imed? ?out|[Dd]eadline [Ee]xceeded|DEADLINE_EXCEEDED|UNAVAILABLE"
    "|CalledProcessError|device-side|XLA|socket|Broken pipe"
    r"|Mismatched elements: |due to shape mismatches\. All shapes across devices|[Nn]ame or service not known"
    "|name resolution|host not found|No route to host|unreachable|refused",
)

# an empty file: who emptied it, or has not filled it yet, is not said
EMPTY_FILE = re.compile(r"line 1 column 1 \(char 0\)|Ran out of input")
DECODING = re.compile(r"JSONDecodeError|UnicodeDecodeError|UnpicklingError")
# what data that are not what was written come to
OF_DATA = re.compile(r"^(?:IndexError|ValueError|OverflowError|KeyError|struct\.error|SyntaxError)\b")
NULL_BYTES = re.compile(r"null byte")  # in source code: an editor writes none
DECODER = re.compile(r"/(?:json|pickle)(?:/\w{1,20})?\.py:")
INSTALLED = re.compile(r"/(?:site|dist)-packages/")
SPECIAL = (
    OTHER,
    SAVING_CODE,
    PARTS,
    UNREADABLE,
    PART_MISSING,
    FEWER_GPUS,
    AT_START,
    MEMORY_FULL,
    DIVERGED,
)  # other symptoms


def rule(incident: Incident) -> Iterator[Finding]:
    """What tells of a wrong setup, and the ordinary exceptions; else the others."""
    others = []
    found = any(lacking(incident))  # an error of the setup, too, and a symptom of its own
    for line in incident.of(LogLine):
        if line.level != "WARNING" and SETUP.search(line.text) and not went_on_after(incident, line):
            found = True
            yield Finding(Subject(rank=line.subject.rank), (line,), line.text[:160])
    for event in incident.of(SchedulerEvent):
        if event.about == "failed" and SETUP.search(event.text):
            found = True
            yield Finding(event.subject, (event,), event.text[:160])
    left = [finding.evidence[0] for finding in findings_of(incident, "leftover-in-the-way")]
    taken = [fact for finding in findings_of(incident, "port-taken") for fact in finding.evidence]
    for fact in incident.of(PythonException):
        text = f"{fact.type}: {fact.text}"
        if fact in left:
            others.append(fact)
            continue
        if fact in taken:
            continue
        wrong = SETUP.search(text) or _is_switched_off(text) or _is_ordinary(incident, fact, text)
        if wrong and not went_on_after(incident, fact):
            found = True
            yield Finding(Subject(rank=fact.subject.rank), (fact,), text.splitlines()[0][:160])
        else:
            others.append(fact)
    if others and not found and not taken:  # what is raised for want of a port has many names
        yield Finding(Subject(), tuple(others), "the exceptions speak for something else", present=False)


def _is_switched_off(text: str) -> bool:
    return SWITCHED_OFF.search(text) is not None and not any(pattern.search(text) for pattern in SPECIAL)


def _is_ordinary(incident: Incident, fact: PythonException, text: str) -> bool:
    name = fact.type.rpartition(".")[2]
    if IN_A_WORKER.match(fact.text):
        if DECODING.search(name):
            return False  # what its file was like is in the words that are cut off
        text = f"{fact.type}: {IN_A_WORKER.sub('', fact.text)}"
    if name not in ORDINARY and not OF_TENSORS.search(fact.text):
        return False
    if fact.error not in (None, "ENOTDIR", "EISDIR"):
        return False
    frames = " ".join(fact.frames[:4])
    text = NATIVE_PLACE.sub("", text)
    if any(pattern.search(text) for pattern in SPECIAL) or CACHE.search(f"{text} {frames}"):
        return False
    if is_gone(fact) or raised_while_saving(fact) or (EMPTY_FILE.search(text) and _read_by_library(fact.frames)):
        return False
    if cannot_decode("\n".join((text, *fact.causes)), frames):
        return False
    if NULL_BYTES.search(text) and "cannot contain" in text:
        return False
    if OF_DATA.search(text) and any(mismatches(incident)):
        return False
    if DECODING.search(text) and (incident.of(ZeroRun) or any(mismatches(incident))):
        return False  # the file is damaged
    aside = any("_bootstrap_inner" in frame or "__del__" in frame for frame in fact.frames)
    return not aside


def _read_by_library(frames: Sequence[str]) -> bool:
    """True where the innermost frame outside of the decoder is an installed package's."""
    readers = [frame for frame in frames if not DECODER.search(frame)]
    return bool(readers) and INSTALLED.search(readers[0]) is not None


SYMPTOM = Symptom(
    title="the job's own code raised an exception",
    rule=rule,
    leak=0.006,
    because="exceptions of this kind that are caught or come in tear-down are seen now and then",
    command="grep -n -A 40 Traceback train.log",
)
