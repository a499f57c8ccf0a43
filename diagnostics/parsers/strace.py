"""`strace -f`, with or without -p, -t/-tt/-ttt, -T, -r and -y.

    [pid 21544] 07:21:09.122731 fsync(37 <unfinished ...>
    [pid 21544] 07:24:40.990114 <... fsync resumed>) = -1 EIO (Input/output error) <211.867370>

The two halves of an interrupted call are joined. Of a long trace only the calls that say something are kept: those
that never returned, failed, or took half a second; of a short one all. `strace` shows nothing of a process that is
already in state D when it attaches: it hangs itself. A process that a signal stopped and nobody let go on is a
state of its own:

    3114  --- stopped by SIGTTOU ---
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ..evidence import Clock, Evidence, Severity, Stamp, Subject
from ..evidence.process import ProcessState, StackDumpFailed, SystemCall
from ..system_calls import X86_64
from ..text import Line, Text
from . import Parser
from ._snapshot import source, stamp_of

# [pid 21544] 07:21:09.118402      21544 07:21:09.118402      1772608329.118402
PREFIX = re.compile(
    r"^(?:\[pid +(\d{1,10})\] |(\d{1,10}) +(?=[\d<a-z-]))?(?:(\d\d:\d\d:\d\d(?:\.\d{1,9})?|\d{9,11}\.\d{1,9}) +)?"
    r"(?:\(?\+? *\d{1,6}\.\d{6}\)? +)?"
)
# write(37, "PK"..., 1048576) = 1048576 <0.004110>
CALL = re.compile(r"^([a-z][a-z0-9_]{1,40})\((.*)$", re.DOTALL)
RESUMED = re.compile(r"^<\.\.\. ([a-z][a-z0-9_]{1,40}) resumed>,? ?(.*)$", re.DOTALL)
# ) = -1 EIO (Input/output error) <211.867370>
RESULT = re.compile(
    r"\) += (-?\d{1,20}|0x[0-9a-f]{1,16}|\?)(?:<[^<>]{0,400}>)?(?: (E[A-Z0-9]{2,20})(?: \([^)]{0,100}\))?)?"
    r"(?: \([^)]{0,400}\))?(?: <(\d{1,9}\.\d{1,9})>)?\s*$"
)
# --- stopped by SIGTTOU ---      --- SIGCONT {si_signo=SIGCONT, si_code=SI_USER} ---
STOPPED = re.compile(r"^--- stopped by SIG(?:STOP|TSTP|TTIN|TTOU) ---$")
GOES_ON = re.compile(r"^--- SIGCONT \{")
UNFINISHED = re.compile(r"(?: <unfinished \.\.\.>| <detached \.\.\.>|strace: Process \d{1,10} detached)\s*$")
# 37</workspace/ckpt/step_20.pt>, ...
DESCRIPTOR = re.compile(r"^(\d{1,7})(?:<([^>]{1,4000})>)?(?=[,) ]|$)")
PATH = re.compile(r'^(?:AT_FDCWD(?:<[^>]{1,4000}>)?, )?"(/[^"]{1,4000})"')
ATTACH_FAILED = re.compile(r"^strace: attach: ptrace\(.{1,40}, \d+\): (.{1,100})$")
WITH_DESCRIPTOR = frozenset(call.name for call in X86_64.values() if call.begins_with_descriptor)
SLOW_S = 0.5
SHORT_TRACE = 200
COMMON_ERRORS = frozenset(
    {"ENOENT", "EAGAIN", "EINTR", "ETIMEDOUT", "ENOTTY", "EEXIST", "ECHILD", "ERESTARTSYS", "ENODATA"}
)
DISK_ERRORS = frozenset({"EIO", "ENOSPC", "EDQUOT", "EROFS", "ENXIO", "ESTALE", "ENOTCONN"})


@dataclass
class Call:
    """A system call while it is unfinished, or finished."""

    line: Line
    pid: int | None
    stamp: Stamp | None
    name: str
    arguments: str
    result: str | None = None
    error: str | None = None
    duration_s: float | None = None
    unfinished: bool = True


def read(text: Text) -> Iterator[Evidence]:
    calls: list[Call] = []
    waiting: dict[int | None, Call] = {}
    stopped: dict[int | None, Line] = {}
    attached: int | None = None
    for line in text.lines():
        row = line.text[:20_000]
        if row.startswith("strace:"):
            if found := ATTACH_FAILED.match(row):
                yield StackDumpFailed(source=source(text, line), tool="strace", reason=found[1])
            elif attached is None and (found := re.match(r"strace: Process (\d{1,10}) attached", row)):
                attached = int(found[1])
            continue
        prefix = PREFIX.match(row)
        pid = int(prefix[1] or prefix[2]) if prefix and (prefix[1] or prefix[2]) else attached
        body = row[prefix.end() :] if prefix else row
        if found := RESUMED.match(body):
            if call := waiting.pop(pid, None):
                finish(call, found[2])
        elif STOPPED.match(body):
            stopped[pid] = line
        elif GOES_ON.match(body) or body.startswith("+++ "):
            stopped.pop(pid, None)
        elif found := CALL.match(body):
            stopped.pop(pid, None)
            call = Call(line, pid, time_of(prefix[3]) if prefix else None, found[1], found[2])
            finish(call, found[2])
            calls.append(call)
            if call.unfinished:
                waiting[pid] = call
    for pid, line in stopped.items():
        yield ProcessState(source=source(text, line), subject=Subject(pid=pid), severity=Severity.WARNING, state="T")
    for call in calls:
        if len(calls) <= SHORT_TRACE or tells(call):
            yield told(text, call)


def time_of(text: str | None) -> Stamp | None:
    """-t and -tt write the time of day, -ttt seconds since the epoch."""
    if not text:
        return None
    return stamp_of(text) if ":" in text else Stamp(Clock.UTC, float(text))


def finish(call: Call, rest: str) -> None:
    """Note how a call ended, when the rest of its line says so."""
    if found := RESULT.search(rest[-1000:]):
        call.result, call.error, took = found.groups()
        call.duration_s = float(took) if took else None
        call.unfinished = call.result == "?" and call.name not in ("exit", "exit_group")
    elif not UNFINISHED.search(rest):
        call.unfinished = ")" not in rest  # the trace ends in the middle of the call


def tells(call: Call) -> bool:
    """True for a call that never returned, failed unusually, or was slow."""
    return call.unfinished or bool(call.error and call.error not in COMMON_ERRORS) or (call.duration_s or 0) >= SLOW_S


def told(text: Text, call: Call) -> SystemCall:
    descriptor = DESCRIPTOR.match(call.arguments) if call.name in WITH_DESCRIPTOR else None
    path = PATH.match(call.arguments)
    named = path[1] if path else descriptor[2] if descriptor and (descriptor[2] or "").startswith("/") else None
    return SystemCall(
        source=source(text, call.line),
        subject=Subject(pid=call.pid, path=named),
        stamp=call.stamp,
        severity=Severity.WARNING if call.error in DISK_ERRORS else Severity.INFO,
        name=call.name,
        arguments=RESULT.sub("", UNFINISHED.sub("", call.arguments[:2000]))[:400].strip(),
        result=call.result,
        error=call.error,
        duration_s=call.duration_s,
        unfinished=call.unfinished,
        descriptor=int(descriptor[1]) if descriptor and not path else None,
    )


PARSER = Parser(
    tool="strace",
    medium="system-calls",
    footprint=(
        r"^strace: |^\[pid +\d+\] ([\d:.]+ )?(<\.\.\. )?[a-z_0-9]{2,40}[( ]|<unfinished \.\.\.>"
        r"|^(\d{1,10} +)?--- stopped by SIG[A-Z]{3,4} ---$"
        r"|^[a-z][a-z_0-9]{1,40}\(\"/[^\n)]{1,2000}$"
        r"|^([\d:.]+ )?(\(\+ *[\d.]+\) )?[a-z_0-9]{2,40}\([^\n]{0,2000}\) += (-?\d|0x|\?)"
    ),
    read=read,
)
