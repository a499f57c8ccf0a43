"""gdb's `bt`, `thread apply all bt` and `info threads`.

    Thread 2 (Thread 0x7fa917caf6c0 (LWP 5682) "python3"):
    #0  __futex_abstimed_wait_common64 (private=<optimized out>, ...) at ./nptl/futex-internal.c:57
    #4  PyEval_AcquireThread (tstate=0x16c3650) at Python/ceval.c:385
    [Inferior 1 (process 5638) detached]
    * 1    Thread 0x7fc73ac5d700 (LWP 36346) "python" __lll_lock_wait () at ../sysdeps/.../lowlevellock.S:135

A frame's arguments may run over several lines, and several frames stand on one where somebody wrote them in short.
The process is the one that gdb names, else the lightweight process of its Thread 1, which is the main thread.
Arguments are not kept. A row of `info threads` is a stack of one frame, where the thread has no backtrace.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from ..evidence import Evidence, Severity, Subject
from ..evidence.process import Frame, NativeStack, StackDumpFailed
from ..text import Line, Text
from . import Parser
from ._snapshot import source

# Thread 2 (Thread 0x7fa917caf6c0 (LWP 5682) "python3"):      Thread 1 (process 4242):
THREAD = re.compile(
    r'^Thread (\d{1,6}) \((?:Thread 0x[0-9a-f]{1,16} )?\(?(?:LWP|process) (\d{1,10})\)?(?: "([^"]{0,40})")?\)'
)
# Thread 1 "python3" (LWP 4402):      Thread 41 (LWP 8220) "python3":      Thread 7:      Thread 22 (pid 5512
# "ThreadPoolExec"):
SHORT = re.compile(
    r'^Thread (?P<number>\d{1,6}) ?(?:"(?P<comm>[^"]{0,40})" ?)?'
    r'(?:\((?:LWP (?P<tid>\d{1,10})|pid \d{1,10}|[a-zA-Z ]{3,30})(?: "(?P<inside>[^"]{0,40})")?\) ?)?'
    r'(?:"(?P<after>[^"]{0,40})" ?)?:\s*$'
)
# Thread 9: #0 pthread_cond_timedwait  #1 take_gil  #3 PyGILState_Ensure
IN_ONE_LINE = re.compile(
    r'^(?P<head>Thread \d{1,6} ?(?:"[^"]{0,40}" ?)?(?:\(LWP \d{1,10}\) ?)?): {1,4}(?=#\d{1,3} {1,3}\S)'
)
NEXT = re.compile(r" {1,8}(?=#\d{1,3} {1,3}[A-Za-z_~?(])")
# * 1    Thread 0x7fc73ac5d700 (LWP 36346) "python" 0x00007fc739c8384d in poll () at
# ../sysdeps/unix/syscall-template.S:84
LISTED = re.compile(
    r'^[* ] {1,4}(\d{1,6}) {1,8}Thread 0x[0-9a-f]{1,16} \(LWP (\d{1,10})\) (?:"([^"]{0,40})" {1,4})?'
    r"(?:0x[0-9a-f]{1,16} in )?((?:[A-Za-z_]\S{0,300}|\?\?)(?: \(.{0,2000})?)$"
)
# #2  0x00007fa9184a3f7b in __GI___futex_abstimed_wait_cancelable64 (futex_word=...
FRAME = re.compile(r"^#(\d{1,5})  ?(?:0x[0-9a-f]{1,16} in )?(\S.*)$")
#  at ./nptl/futex-internal.c:57          from /lib/x86_64-linux-gnu/libc.so.6
AT = re.compile(r"\) at (\S{1,1000}):(\d{1,8})\s*$")
FROM = re.compile(r"\) from (\S{1,1000})\s*$")
PROCESS = re.compile(r"\(process (\d{1,10})\)|^Attaching to (?:program: \S+, )?process (\d{1,10})")
# (gdb) info threads        (gdb) thread apply all bt          Id   Target Id         Frame
ALL = re.compile(r"\binfo threads\b|\bthread apply all\b|^ {1,3}Id +Target Id +Frame")
# ptrace: Operation not permitted.        Could not attach to process.
FAILED = re.compile(r"^(?:warning: process \d+ is .{1,80}|ptrace: .{1,80}|Could not attach to process.{0,200})$")
FRAME_LIMIT = 20_000


@dataclass
class Thread:
    """One thread while its frames are read, innermost first."""

    line: Line
    number: int | None = None
    tid: int | None = None
    comm: str | None = None
    pid: int | None = None  # of the process that was attached to last, where a file holds several
    frames: list[str] = field(default_factory=list)


def read(text: Text) -> Iterator[Evidence]:
    threads: list[Thread] = []
    listed: list[Thread] = []
    pid: int | None = None
    lists_all = False
    for line, row in rows(text):
        lists_all = lists_all or ALL.search(row) is not None
        if found := THREAD.match(row):
            threads.append(Thread(line, int(found[1]), int(found[2]), found[3], pid))
        elif found := SHORT.match(row):
            tid = int(found["tid"]) if found["tid"] else None
            comm = found["comm"] or found["inside"] or found["after"]
            threads.append(Thread(line, int(found["number"]), tid, comm, pid))
        elif found := LISTED.match(row):
            listed.append(Thread(line, int(found[1]), int(found[2]), found[3] or None, pid, [found[4]]))
        elif found := FRAME.match(row):
            if not threads or (found[1] == "0" and threads[-1].frames):
                threads.append(Thread(line, pid=pid))
            threads[-1].frames.append(found[2])
        elif found := PROCESS.search(row):
            pid = int(found[1] or found[2])
        elif FAILED.match(row):
            yield StackDumpFailed(source=source(text, line), subject=Subject(pid=pid), tool="gdb", reason=row.strip())
        elif threads and threads[-1].frames and row[:1] in (" ", "\t") and len(threads[-1].frames[-1]) < FRAME_LIMIT:
            threads[-1].frames[-1] += " " + row.strip()
    traced = {thread.tid for thread in threads if thread.frames}
    threads += [thread for thread in listed if thread.tid not in traced]
    if pid is None:
        pid = next((thread.tid for thread in threads if thread.number == 1), None)
    numbers = {thread.number for thread in threads if thread.number is not None}
    for thread in threads:
        if thread.frames:
            yield told(text, thread, thread.pid or pid, alone=lists_all and len(numbers) <= 1)


def rows(text: Text) -> Iterator[tuple[Line, str]]:
    """The lines, and what somebody wrote on one of them in short: the thread and its frames, or several frames."""
    for line in text.lines():
        row = line.text[:4000]
        head = IN_ONE_LINE.match(row)
        if head:
            yield line, f"{head['head'].rstrip()}:"
            row = row[head.end() :]
        if row.startswith("#"):
            yield from ((line, part) for part in NEXT.split(row))
        else:
            yield line, row


def told(text: Text, thread: Thread, pid: int | None, *, alone: bool) -> NativeStack:
    name = f"Thread {thread.number}" if thread.number is not None else "current thread"
    return NativeStack(
        source=source(text, thread.line),
        subject=Subject(pid=pid, tid=thread.tid, comm=thread.comm),
        severity=Severity.INFO,
        thread=name,
        frames=tuple(frame_of(frame) for frame in thread.frames),
        alone=alone,
    )


def frame_of(text: str) -> Frame:
    """A frame without its arguments."""
    at, library = AT.search(text), FROM.search(text)
    return Frame(
        function_of(text),
        at[1] if at else None,
        int(at[2]) if at else None,
        library[1].rsplit("/", 1)[-1] if library else None,
    )


def function_of(text: str) -> str:
    """The name up to its arguments; a space inside a template's brackets does not end it."""
    depth = 0
    for position, letter in enumerate(text[:2000]):
        if letter == "<":
            depth += 1
        elif letter == ">" and depth:
            depth -= 1
        elif letter == " " and text[position + 1 : position + 2] == "(" and (not depth or position > 1900):
            return text[:position]
    return text[:200].split(" (", 1)[0].strip()


PARSER = Parser(
    tool="gdb",
    medium="native-stacks",
    footprint=(
        r'^Thread \d{1,6} ?("[^"]{0,40}" ?)?(\(LWP \d{1,10}\) ?)?: {1,4}#\d{1,3} {1,3}\S'
        r'|^Thread \d{1,6} \(LWP \d{1,10}\)(?: "[^"]{0,40}")?:\s*$'
        r"|^#\d{1,3} {1,3}[A-Za-z_]\S{0,200} {1,8}#\d{1,3} {1,3}[A-Za-z_]"
        r"|^#\d{1,5}  ?(0x[0-9a-f]{1,16} in \S|\S{1,200} \([^\n]{0,400}\) (at|from) )|^#\d{1,2}  \S{1,200} \("
        r"|^[* ] {1,4}\d{1,6} {1,8}Thread 0x[0-9a-f]{1,16} \(LWP \d|^ptrace: (Operation|No such)"
        "|^Could not attach to process"
    ),
    read=read,
)
