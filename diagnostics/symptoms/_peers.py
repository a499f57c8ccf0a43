"""What ranks say when others are gone or silent, and which of them only suffer from it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ..evidence.job import PythonException
from ..evidence.supervisor import SchedulerEvent
from ._reports import LAUNCHERS, words_of

GAVE_UP = re.compile(
    r"collective operation timeout|Timed out waiting \d+ ?ms for (?:send|recv)|Timeout at NCCL work"
    r"|watchdog (?:hang|got stuck|thread terminated with exception.{0,200}timeout)|communicator was aborted"
    r"|monitoredBarrier.{0,80}time|barrier timed out",
    re.I,
)
CLOSED = re.compile(
    r"Connection (?:closed|reset) by (?:remote )?peer|remote process exited|socketProgress: Connection closed"
    r"|ncclRemoteError|Broken pipe",
    re.I,
)
NAME_UNKNOWN = re.compile(
    "Name or service not known|Temporary failure in name resolution|getaddrinfo|gaierror|nodename nor servname"
    r"|cannot be retrieved \(gai error|The hostname of '?\S{1,120}'? could not be resolved"
    r"|[Cc]ould not resolve host(?:name)?\b",
    re.I,
)
REFUSED = re.compile(r"connection refused|ECONNREFUSED", re.I)
NO_ROUTE = re.compile(
    r"No route to host|(?:Host|Network) is (?:unreachable|down)|EHOSTUNREACH|ENETUNREACH|errno:? 1(?:01|13)\b"
    r"|\bRC: -?1(?:01|13)\b|\bUNDELIVERABLE\b",
    re.I,
)
UNREACHABLE = re.compile(
    "No route to host|unable to complete a TCP connection|unreachable remote"
    r"|waiting for clients\. \d+/\d+ clients joined|client socket has timed out"
    r"|connect\(\) timed out\. Original timeout|connect timeout|EHOSTUNREACH|ENETUNREACH|errno: 11[03]"
    r"|Call to connect .{0,80}(?:timed? ?out|unreachable)|Network is unreachable|Host is unreachable"
    r"|was not reachable via ssh|Failed to connect to (?:coordination service|GCS)"
    r"|failed to connect to all addresses"
    r"|RendezvousTimeoutError|RendezvousConnectionError|failed to connect to .{0,120}(?:timed? ?out|unreachable)",
    re.I,
)
# srun: error: n3: task 5: Segmentation fault (core dumped)
TASK = re.compile(
    r"\btask (\d{1,6}): (Segmentation fault|Aborted|Bus error|Floating point exception|Illegal instruction"
    r"|Exited with exit code \d{1,3})"
)
SHUT_DOWN = re.compile(r"Horovod has been shut down\. This was caused by an exception on one of the ranks")
NCCL_VICTIM = re.compile(
    r"Please check rank \d{1,6} logs for faulty rank"
    r"|NCCL (?:communicator was aborted|Error \d: (?:unhandled system|remote process))|DistBackendError"
)


def tasks_ended(events: Iterable[SchedulerEvent]) -> list[tuple[SchedulerEvent, re.Match[str]]]:
    """The tasks that ended by themselves, as Slurm saw it."""
    return [(event, match) for event in events if (match := TASK.search(event.text))]


def is_victim(raised: PythonException) -> bool:
    """True when the exception only says that others are gone, late or unreachable."""
    words = words_of(raised)
    return raised.type.rpartition(".")[2] in LAUNCHERS or any(
        pattern.search(words)
        for pattern in (GAVE_UP, CLOSED, UNREACHABLE, REFUSED, NAME_UNKNOWN, NCCL_VICTIM, SHUT_DOWN)
    )
