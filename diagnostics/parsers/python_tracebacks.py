"""Python tracebacks, and the exception lines that torn ones leave.

    Traceback (most recent call last):
      File "/workspace/train/trainer.py", line 228, in load
        state = torch.load(path, map_location="cpu")
    RuntimeError: PytorchStreamReader failed reading zip archive: failed finding central directory.

Where somebody pressed Ctrl-C, the traceback is also a stack: it shows what the main thread was doing. A chain ("During
handling of ...", "... was the direct cause ...", a DataLoader worker's "Original Traceback") is one fact: the last
exception, with those it came from as its causes. Ranks are kept apart by their prefix; within one stream, tracebacks
that were printed into each other are closed in the order they were opened.
"""

from __future__ import annotations

import dataclasses
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from ..evidence import Evidence, Severity
from ..evidence.job import PythonException
from ..evidence.process import Frame, PythonStack
from ..evidence.supervisor import WorkerKilled
from ..text import Text
from . import Parser
from ._errno import errno_in
from ._exceptions import names_path, worker_killed
from ._job_lines import Message, messages, of_lines
from ._kernel_voice import is_kernel

HEADER = re.compile(r"(Original )?(?:Exception Group )?Traceback \(most recent call last\):$")
FRAME = re.compile(r'^File "([^"]{1,1000})", line (\d{1,9})(?:, in (.{1,300}))?$')
# RuntimeError: basic_ios::clear: iostream error     torch.cuda.OutOfMemoryError: CUDA out of memory.     EOFError
EXCEPTION = re.compile(
    r"^((?:[A-Za-z_]\w{0,80}\.){0,8}[A-Z]\w{0,80}(?:Error|Exception|Interrupt|Exit|Failure|Empty|Full|Timeout"
    "|Expired|Iteration|Missing)"
    r"|(?:[A-Za-z_]\w{0,80}\.){1,8}(?:Error|Empty|Full|BrokenExecutor|BrokenProcessPool|TooManyRequests|SlowDown"
    "|ServiceUnavailable|ServiceRequestTimeout|GatewayTimeout|DeadlineExceeded|ProcessRaisedException"
    "|Bad(?:Zip|Gzip)File(?!: Bad CRC)"  # a wrong sum inside of an archive is no archive that ends early
    "|error|timeout))"
    r"(?: \(see above for traceback\))?(?:: ?(.*))?$"  # TensorFlow 1 repeats an error so
)
# torch._dynamo.exc.BackendCompilerFailed: backend='inductor' raised:
WRAPPER = re.compile(r"^((?:[A-Za-z_]\w{0,80}\.){0,8}[A-Z]\w{0,80}): (.{1,200} raised:)$")
# what closes a traceback although nobody would take it for an exception by itself: sqlite3.Warning: text
CLOSING = re.compile(r"^((?:[A-Za-z_]\w{0,80}\.){0,8}[A-Za-z_]\w{0,80}): (.*)$")
FRAME_TEXT = re.compile(r"^(.+?) \((.*):(\d{1,9})\)$")
CHAINED = re.compile(r"^(?:During handling of the above exception, another|The above exception was the direct cause)")
# PicklingError: <type at 0x558f46434c50>      among the locals of a py-spy dump
VARIABLE = re.compile(r": <[\w. ]{1,80} at 0x[0-9a-f]{1,16}>$")
WORKER = re.compile(r"^Caught (\S{1,80}) in DataLoader worker process (\d{1,6})\.")
BUS_ERROR = re.compile(r"Unexpected bus error encountered in worker")

INTERESTING = re.compile(
    r'Traceback \(most recent|^[^"]{0,120}File "|(?:Error|Exception|Interrupt|Exit|Failure|Empty|Full|Timeout'
    r"|Expired)(?:: |:?$| \(see above)"
    r"|above exception|\braised:$|\b(?:queue|concurrent|subprocess|socket)(?:\.\w+){1,4}: |BrokenProcessPool"
    r"|\.(?:TooManyRequests|SlowDown|ServiceUnavailable|ServiceRequestTimeout|GatewayTimeout|DeadlineExceeded"
    r"|Bad(?:Zip|Gzip)File): "
    "|DataLoader worker|bus error encountered"
)
LISTED = 2  # lines of a list below an exception


@dataclass
class _Open:
    """A traceback whose exception line has not come yet."""

    last: Message
    original: bool = False
    frames: list[str] = field(default_factory=list)
    wrapper: str = ""  # what the exception was put into, where that was printed first


@dataclass
class _Stream:
    """What one writer has printed so far: its open tracebacks, and the exceptions the next one is chained to."""

    open: list[_Open] = field(default_factory=list)
    chain: list[PythonException] = field(default_factory=list)
    chained: bool = False


def read(text: Text) -> Iterator[Evidence]:
    streams: dict[tuple[int | None, int | None], _Stream] = defaultdict(_Stream)
    found: list[Evidence] = []
    for message in messages(text, INTERESTING):
        found += _read(text, streams[message.rank, message.pid], message)
    for stream in streams.values():
        found += _close_unusual(text, stream)
        found += _flush(stream)
    yield from sorted(found, key=lambda fact: fact.source.line)


def _read(text: Text, stream: _Stream, message: Message) -> Iterator[Evidence]:
    said = message.text.strip(" |+") if stream.open else message.text.strip()
    if header := HEADER.search(said):
        yield from _close_unusual(text, stream)
        if not (stream.chained or header[1]):
            yield from _flush(stream)
        stream.open.append(_Open(message, original=bool(header[1])))
    elif CHAINED.match(said):
        yield from _close_unusual(text, stream)
        stream.chained = True
    elif frame := FRAME.match(said):
        if not stream.open:
            yield from _flush(stream)
            stream.open.append(_Open(message))
        stream.open[-1].frames.append(f"{frame[3] or '<module>'} ({frame[1]}:{frame[2]})")
        stream.open[-1].last = message
    elif (found := WRAPPER.match(said)) and message.level not in ("INFO", "DEBUG"):
        if not stream.open:
            yield from _flush(stream)
            stream.open.append(_Open(message))
        stream.open[0].wrapper = said
        stream.open[0].last = message
    elif (found := EXCEPTION.match(said)) and message.level not in ("INFO", "DEBUG") and not _is_no_exception(message):
        yield from _close(text, stream, message, found[1], (found[2] or "").strip())
    elif BUS_ERROR.search(said):
        yield WorkerKilled(**message.facts(text), severity=Severity.CRITICAL, signal="SIGBUS")


def _is_no_exception(message: Message) -> bool:
    """True for a driver whose name ends as an exception's (LustreError: text), and for a variable that holds one."""
    return message.program == "kernel" or is_kernel(message.text) or VARIABLE.search(message.text) is not None


def _close_unusual(text: Text, stream: _Stream) -> Iterator[Evidence]:
    """Close a traceback by an exception that is not named like one: the line after its last frame tells."""
    if stream.open and stream.open[-1].frames:
        last = stream.open[-1].last
        for message in of_lines(text.after(last.line, limit=6)):
            if (found := CLOSING.match(message.text)) and message.rank == last.rank and message.level is None:
                yield from _close(text, stream, message, found[1], found[2].strip())
                return


def _close(text: Text, stream: _Stream, message: Message, type_: str, said: str) -> Iterator[Evidence]:
    opened = stream.open.pop(0) if stream.open else _Open(message)
    if not (stream.chained or opened.original):
        yield from _flush(stream)
    stream.chained = False
    if type_ == "KeyboardInterrupt" and opened.frames:
        yield _interrupted(text, message, opened.frames)
    stream.chain.append(
        PythonException(
            **message.facts(text, path=names_path(said)),
            severity=Severity.WARNING if type_ in ("KeyboardInterrupt", "SystemExit") else Severity.CRITICAL,
            type=type_,
            text=_with_list(text, message, said),
            frames=tuple(reversed(opened.frames)),
            causes=(opened.wrapper,) if opened.wrapper else (),
            error=errno_in(said),
        )
    )
    for pid, signal in worker_killed(said):
        yield WorkerKilled(**message.facts(text, pid=pid), severity=Severity.CRITICAL, signal=signal)


def _interrupted(text: Text, message: Message, frames: list[str]) -> PythonStack:
    found = [FRAME_TEXT.match(frame) for frame in reversed(frames)]
    return PythonStack(
        **message.facts(text),
        thread="MainThread",
        frames=tuple(Frame(each[1], each[2], int(each[3])) for each in found if each),
        interrupted=True,
    )


def _with_list(text: Text, message: Message, said: str) -> str:
    """The text with the lines below it: the list that it announces by a colon, or all of it where it begins there."""
    if not message.text.rstrip().endswith(":"):
        return said
    listed = [each.text.strip() for each in of_lines(text.after(message.line, limit=LISTED)) if each.text[:1] in " \t"]
    return "\n".join(each for each in (said, *listed) if each and not FRAME.match(each))


def _flush(stream: _Stream) -> Iterator[PythonException]:
    """The chain that has come to its end, as one fact."""
    chain, stream.chain = stream.chain, []
    if not chain:
        return
    worker = next((found for fact in chain if (found := WORKER.match(fact.text))), None)
    if worker and len(chain) > 1:  # the wrapper was printed first, the worker's own exception after it
        chain.sort(key=lambda fact: WORKER.match(fact.text) is not None, reverse=True)
    yield _joined(chain, int(worker[2]) if worker else None)


def _joined(chain: list[PythonException], worker: int | None) -> PythonException:
    last, before = chain[-1], chain[-2::-1]
    told = next((fact for fact in (last, *before) if fact.error), last)
    subject = last.subject if last.subject.path else dataclasses.replace(last.subject, path=told.subject.path)
    causes = tuple(f"{fact.type}: {fact.text}" if fact.text else fact.type for fact in before)
    return dataclasses.replace(last, subject=subject, causes=(*last.causes, *causes), error=told.error, worker=worker)


PARSER = Parser(
    tool="Python",
    medium="job-log",
    footprint=(
        r"Traceback \(most recent call last\):|bus error encountered in worker|File \"[^\"]{1,300}\", line \d+, in "
        r"|(^|[ :\]\"])([A-Za-z_][\w.]{0,120}\.)?[A-Z]\w{0,80}(Error|Exception|Interrupt)(: |:?$| \(see above)"
        r"|\bBrokenProcessPool: "
        r"|(^|[ :\]\"])([a-z_]\w{0,60}\.){1,8}([A-Z]\w{0,80}Timeout|TooManyRequests|SlowDown|ServiceUnavailable"
        "|ServiceRequestTimeout|GatewayTimeout|DeadlineExceeded|Bad(Zip|Gzip)File)(: |$)"
    ),
    read=read,
)
