"""Lines that say that a process waits for the lock of what another one compiles or tunes, as its last word.

    (Worker_TP5) [aiter] waiting for baton release at /tmp/tuned/gemm.csv.lock
    Another process must be compiling /cache/MODULE_19/model.hlo_module.pb, been waiting for: 80.0 minutes
    filelock: Lock 1402 not acquired on /home/u/.cache/kernels/k.lock, waiting 0.05 seconds ...
    Waiting for another process (pid: 5719) to finish precompiling CUDA
    INFO (theano.gof.compilelock): Waiting for existing lock by process '50112' (I am process '50119')

A writer of whom something else is heard below has got the lock, and is skipped. Writers are told apart by the bracket
that begins their lines, or by what a launcher's prefix says; without either everybody writes as one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..durations import seconds
from ..evidence import Severity
from ..evidence.training import BuildLockWait
from ..text import Text
from . import Parser
from ._job_lines import Message, Words, footprint_of_messages, messages

# waiting for baton release at /tmp/tuned/gemm.csv.lock
BATON = re.compile(r"\bwaiting for (?:the )?(?:baton|build lock)(?: release)? (?:at|on|in) (?P<path>/\S{1,400})", re.I)
# Another process must be compiling /cache/MODULE_19/model.hlo_module.pb, been waiting for: 80.0 minutes
COMPILING = re.compile(
    r"\banother process must be compiling (?P<path>\S{1,400}), been waiting for: "
    r"(?P<took>[\d.]{1,12} (?:minutes|seconds|hours))",
    re.I,
)
# Lock 1402 not acquired on /home/u/.cache/kernels/k.lock, waiting 0.05 seconds ...
FILELOCK = re.compile(r"\block \d{1,20} not acquired on (?P<path>/\S{1,400}), waiting [\d.]{1,9} seconds", re.I)
# Being precompiled by another process (pid: 19746, pidfile: /home/u/.julia/compiled/v1.10/X/q.ji.pidfile)
# Waiting for another process (pid: 5719) to finish precompiling CUDA
JULIA = re.compile(
    r"\b(?:being precompiled by|waiting for) another process \(pid: (?P<owner>\d{1,10})"
    r"(?:, pidfile: (?P<path>[^\s)]{1,400}))?\)",
    re.I,
)
# INFO (theano.gof.compilelock): Waiting for existing lock by process '50112' (I am process '50119')
THEANO = re.compile(
    r"\bwaiting for existing lock by (?:process '(?P<owner>\d{1,10})'|unknown process)"
    r"(?: \(I am process '(?P<waiter>\d{1,10})'\))?",
    re.I,
)
PATTERNS = (BATON, COMPILING, FILELOCK, JULIA, THEANO)
WAITS = Words.of(PATTERNS)
# what belongs to the line above: └ @ Base loading.jl:2831      To manually release the lock, delete /x/lock_dir
CONTINUES = re.compile(r"^\s{0,8}(?:└|│)|.{0,80}\bTo manually release the lock, delete ")
INTERRUPTED = re.compile(r"^\^C")
BRACKET = re.compile(r"^(?:\([^()\s]{1,80}\)|\[[^\[\]\s]{1,80}\])(?= )")


def read(text: Text) -> Iterator[BuildLockWait]:
    if not any(WAITS.search(line.text) for line in text.lines()):
        return
    waiting: dict[object, tuple[Message, re.Match[str]]] = {}
    for message in messages(text):
        found = next((found for pattern in PATTERNS if (found := pattern.search(message.text[:1200]))), None)
        writer = (found and found.groupdict().get("waiter")) or _writer(message)
        if CONTINUES.match(message.text):
            continue
        if INTERRUPTED.match(message.text):
            break  # what follows is the end of who waited
        if found:
            waiting[writer] = message, found
        elif message.text.strip():
            waiting.pop(writer, None)
    for message, found in waiting.values():
        named = found.groupdict()
        took, owner = named.get("took"), named.get("owner")
        yield BuildLockWait(
            **message.facts(text, path=named.get("path")),
            severity=Severity.WARNING,
            text=message.text.strip(),
            waited_s=seconds(took) if took else None,
            owner=int(owner) if owner else None,
        )


def _writer(message: Message) -> object:
    """Who wrote a line: the bracket that begins it, else the rank and pid of its prefixes."""
    bracket = BRACKET.match(message.line.text)
    return bracket[0] if bracket else (message.host, message.rank, message.pid)


PARSER = Parser(
    tool="a build's lock",
    medium="job-log",
    footprint=footprint_of_messages(PATTERNS),
    read=read,
)
