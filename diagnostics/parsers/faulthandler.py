"""Python's faulthandler: on a fatal signal, after a time-out, or on request.

    Fatal Python error: Segmentation fault

    Thread 0x00007feb759386c0 [pin_memory] (most recent call first):
      File "/opt/python/lib/python3.11/threading.py", line 982 in run

    Current thread 0x00007feb765c7b80 (most recent call first):
      File "<string>", line 1 in <module>

It stands in the middle of a job's log, where each line may have a rank in front. Threads are named by the pthread's
address, which no other tool prints. After a fatal error the current thread is the one that crashed; after `Timeout
(0:05:00)!` (dump_traceback_later) nothing crashed, and frames that follow at once are of the one thread that is dumped.
Skipped: the list of extension modules.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..envelope import Envelope
from ..evidence import Severity, Subject
from ..evidence.process import Frame, PythonStack
from ..footprint import footprint_of
from ..text import Line, Text, whole_number
from . import Parser
from ._job_lines import peel
from ._snapshot import source

# Fatal Python error: Segmentation fault
FATAL = re.compile(r"Fatal Python error: ([^\r\n]{1,300})")
# Timeout (0:00:02)!
TIMEOUT = re.compile(r"(?:^|\s)Timeout \(\d{1,6}:\d\d:\d\d(?:\.\d+)?\)!")
# Current thread 0x00007feb765c7b80 [MainThread] (most recent call first):
THREAD = re.compile(
    r"\b(Current thread|Thread) (0x[0-9a-fA-F]{4,16})(?: \[([^\]]{1,60})\])? \(most recent call first\):"
)
#   File "/opt/python/lib/python3.11/threading.py", line 982 in run
FRAME = re.compile(r'File "([^"]{1,4000})", line (\d{1,8}|\?\?\?) in (\S.{0,500}?)\s*$')
HEAD = re.compile(rf"{FATAL.pattern}|{TIMEOUT.pattern}|{THREAD.pattern}")
FRAMES_LIMIT = 200


def read(text: Text) -> Iterator[PythonStack]:
    error: dict[int | None, str] = {}  # by rank, since the dumps of several ranks may interleave
    for line in text.matching(HEAD):
        row = line.text[:6000]
        envelope = peel(row)
        if found := FATAL.search(row):
            error[envelope.rank] = found[1].strip()
        elif TIMEOUT.search(row):
            error.pop(envelope.rank, None)
            if frames := tuple(frames_after(text, line, envelope)):
                yield PythonStack(
                    source=source(text, line),
                    subject=Subject(host=envelope.host, rank=envelope.rank),
                    stamp=envelope.stamp,
                    severity=Severity.INFO,
                    thread="one thread",
                    frames=frames,
                )
        elif found := THREAD.search(row):
            current = found[1] == "Current thread"
            reason = error.get(envelope.rank) if current else None
            yield PythonStack(
                source=source(text, line),
                subject=Subject(host=envelope.host, rank=envelope.rank),
                stamp=envelope.stamp,
                severity=Severity.CRITICAL if reason else Severity.INFO,
                thread=found[3] or found[2],
                frames=tuple(frames_after(text, line, envelope)),
                active=current or None,
                crashed=reason is not None,
                error=reason,
            )


def frames_after(text: Text, head: Line, envelope: Envelope) -> Iterator[Frame]:
    """The frames under a thread's heading; lines of other ranks between them are passed over."""
    for line in text.after(head, FRAMES_LIMIT):
        row = line.text[:6000]
        if found := FRAME.search(row):
            if envelope.rank is None or peel(row).rank == envelope.rank:
                number = whole_number(found[2])
                yield Frame(found[3], short(found[1]), number)
        elif envelope.rank is None or peel(row).rank == envelope.rank:
            return


def short(path: str) -> str:
    """A file as py-spy shortens it: without the folder that Python imports from."""
    for root in ("/site-packages/", "/dist-packages/"):
        if root in path:
            return path.rpartition(root)[2]
    found = re.search(r"/lib/python\d\.\d+/(.*)$", path)
    return found[1] if found else path


PARSER = Parser(
    tool="faulthandler",
    medium="python-stacks",
    footprint=footprint_of(TIMEOUT, THREAD),
    read=read,
)
