"""torchrun (torch elastic): the summary of failed ranks, and what its agent does to the others.

    Root Cause (first observed failure):
    [0]:
      time      : 2026-03-04_07:47:36
      host      : trn07
      rank      : 0 (local_rank: 0)
      exitcode  : -6 (pid: 21544)
      error_file: <N/A>
      traceback : Signal 6 (SIGABRT) received by PID 21544

The "root cause" is the first failure that the agent observed, which is not always the first that happened. A torn
summary is read as far as it goes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from ..evidence import Clock, Evidence, Severity, Stamp
from ..evidence.supervisor import LauncherFailure, ProcessEnded
from ..text import Text
from . import Parser
from ._job_lines import Message, messages
from ._signals import signal_of_status

FIELD = re.compile(r"^\s{0,8}(time|host|rank|exitcode|error_file|traceback)\s*: (.*)$")
ITEM = re.compile(r"^\[(\d{1,6})\]:\s*$")
ROOT = re.compile(r"^Root Cause \(first observed failure\):")
OTHERS = re.compile(r"^(?:Other )?Failures:")
RULE = re.compile(r"^[=-]{20,}$")
NUMBER = re.compile(r"(-?\d{1,9})")
PID = re.compile(r"\bpid: (\d{1,9})\)|PID (\d{1,9})\b")
# failed (exitcode: -6) local_rank: 0 (pid: 21544) of binary: /opt/venv/bin/python3
# ERROR:torch.distributed.elastic.multiprocessing.api:failed ...     (before torch 2.2)
LOGGER = r"^(?:(?:ERROR:|WARNING:)?torch\.distributed[\w.]{0,80}: ?)?(?:\[(?:ERROR|WARNING)\] )?"
FAILED = re.compile(
    rf"{LOGGER}failed \(exitcode: (-?\d{{1,4}})\) local_rank: (\d{{1,6}}) \(pid: (\d{{1,9}})\) of (?:binary|fn): "
    rf"(\S{{1,300}})"
)
# Sending process 21545 closing signal SIGTERM
CLOSING = re.compile(LOGGER + r"Sending process (\d{1,9}) closing signal (SIG[A-Z]{2,8})")
FORCED = re.compile(
    r"^Unable to shutdown process (\d{1,9}) via (?:Signals\.)?(SIG[A-Z]{2,8}), forcefully exiting via (?:Signals\.)?"
    "(SIG[A-Z]{2,8})"
)
INTERESTING = re.compile(
    r"^\s{0,8}(?:time|host|rank|exitcode|error_file|traceback)\s*: |Root Cause|Failures:|\[\d{1,6}\]:\s*$|[=-]{20}"
    r"|failed \(exitcode|closing signal|Unable to shutdown process"
)


def read(text: Text) -> Iterator[Evidence]:
    block: dict[str, tuple[str, Message]] = {}
    first = False
    for message in messages(text, INTERESTING):
        said = message.text.rstrip()
        field = FIELD.match(said)
        if field and field[1] not in block:
            block[field[1]] = (field[2].strip(), message)
            continue
        if block:
            yield _failure(text, block, first)
            block = {field[1]: (field[2].strip(), message)} if field else {}
        if ROOT.match(said):
            first = True
        elif OTHERS.match(said):
            first = False
        else:
            yield from _agent(text, message, said)
    if block:
        yield _failure(text, block, first)


def _agent(text: Text, message: Message, said: str) -> Iterator[Evidence]:
    """What the agent says while it happens. The pid of such a line's prefix is the agent's own."""
    if found := FAILED.match(said):
        status = int(found[1])
        yield ProcessEnded(
            **message.facts(text, pid=int(found[3])),
            severity=Severity.CRITICAL,
            status=status,
            signal=signal_of_status(status),
            text=said,
        )
    elif found := CLOSING.match(said) or FORCED.match(said):
        groups = found.groups()
        yield ProcessEnded(
            **message.facts(text, pid=int(groups[0])),
            severity=Severity.WARNING,
            status=None,
            signal=groups[-1],
            text=said,
        )


def _failure(text: Text, block: dict[str, tuple[str, Message]], first: bool) -> LauncherFailure:
    values = {name: value for name, (value, _) in block.items()}
    name = next(each for each in ("rank", "exitcode", "traceback", *block) if each in block)
    subject: dict[str, Any] = {"host": values.get("host")}
    if found := NUMBER.match(values.get("rank", "")):
        subject["rank"] = int(found[1])
    if found := PID.search(values.get("exitcode", "")) or PID.search(values.get("traceback", "")):
        subject["pid"] = int(found[1] or found[2])
    code = NUMBER.match(values.get("exitcode", ""))
    error = values.get("traceback", "")
    facts = block[name][1].facts(text, **subject)
    return LauncherFailure(
        **facts | {"stamp": _time(values.get("time", "")) or facts["stamp"]},
        severity=Severity.CRITICAL,
        first=first,
        exit_code=int(code[1]) if code else None,
        error_text="" if error.startswith("To enable traceback") else error,
    )


def _time(text: str) -> Stamp | None:
    try:
        return Stamp(Clock.LOCAL, datetime.strptime(text, "%Y-%m-%d_%H:%M:%S").replace(tzinfo=UTC).timestamp())
    except ValueError:
        return None


PARSER = Parser(
    tool="torchrun",
    medium="job-log",
    footprint=(
        r"ChildFailedError|Root Cause \(first observed failure\)|^\s*exitcode  : |failed \(exitcode: -?\d+\) local_rank"
        r"|closing signal SIG|Unable to shutdown process \d+ via"
    ),
    read=read,
)
