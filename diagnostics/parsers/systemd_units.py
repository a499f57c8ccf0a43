"""systemd about a service: its watchdog, how its main process ended, and that it was killed for memory.

    Mar 04 07:31:02 trn07 systemd[1]: train-agent.service: Watchdog timeout (limit 3min)!
    Mar 04 07:31:02 trn07 systemd[1]: train-agent.service: Killing process 21380 (python3) with signal SIGABRT.
    Mar 04 07:31:32 trn07 systemd[1]: train-agent.service: Main process exited, code=dumped, status=6/ABRT
    Mar 04 07:31:32 trn07 systemd[1]: train-agent.service: Failed with result 'watchdog'.

Units that start and stop in good order are skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..durations import DURATION, seconds_of
from ..evidence import Evidence, Severity
from ..evidence.supervisor import ProcessEnded, SchedulerEvent, WatchdogFired
from ..text import Text
from . import Parser
from ._job_lines import messages
from ._signals import signal_named

UNIT = re.compile(r"^([\w@.:\\-]{1,200}\.(?:service|scope|slice)): (.*)$")
WATCHDOG = re.compile(rf"^Watchdog timeout \(limit {DURATION}\)!")
KILLING = re.compile(r"^Killing process (\d{1,9}) \((.{1,30}?)\) with signal (SIG[A-Z0-9]{2,8})")
EXITED = re.compile(
    r"^(?:Main|Control) process exited, code=(exited|killed|dumped), status=(\d{1,3})(?:/([A-Z0-9-]{1,20}))?"
)
# start operation timed out. Terminating.      Start-pre operation timed out.
OPERATION = re.compile(r"^\w{4,8}(?:-\w{3,8})? operation timed out", re.I)
RUNTIME = re.compile(r"^(?:Service|Scope) reached runtime time limit")
RESULT = re.compile(r"^Failed with result '([a-z-]{1,30})'")
OOM = re.compile(r"^(?:A process of this unit has been killed by the OOM killer|systemd-oomd killed)")
LEFT = re.compile(
    r"^(?:State '([\w-]{1,40})' timed out\.|Processes still around after (?:final )?SIGKILL"
    r"|Found left-over process (\d{1,9}))"
)
RESTART = re.compile(r"^Scheduled restart job, restart counter is at (\d{1,6})")
INTERESTING = re.compile(
    r"\.(?:service|scope|slice): (?:Watchdog|Killing|Main|Control|Failed|A process|systemd-oomd|State|Processes"
    r"|Found|Scheduled|Service reached|Scope reached|[\w-]{4,20} operation timed out)"
)


def read(text: Text) -> Iterator[Evidence]:
    for message in messages(text, INTERESTING):
        unit = UNIT.match(message.text)
        if not unit:
            continue
        job, said = unit.groups()
        facts = message.facts(text, pid=None, job=job)
        if found := WATCHDOG.match(said):
            yield WatchdogFired(
                **facts,
                severity=Severity.CRITICAL,
                watchdog="systemd",
                action="kill",
                limit_s=seconds_of(found),
                text=said,
            )
        elif OPERATION.match(said):
            yield WatchdogFired(**facts, severity=Severity.CRITICAL, watchdog="systemd", action="kill", text=said)
        elif found := KILLING.match(said):
            facts = message.facts(text, pid=int(found[1]), comm=found[2], job=job)
            yield ProcessEnded(**facts, severity=Severity.WARNING, status=None, signal=found[3], text=said)
        elif found := EXITED.match(said):
            by_signal = found[1] != "exited"
            yield ProcessEnded(
                **facts,
                severity=Severity.INFO if found[2] == "0" and not by_signal else Severity.CRITICAL,
                status=None if by_signal else int(found[2]),
                signal=signal_named(found[3] or found[2]) if by_signal else None,
                text=said,
            )
        elif event := _event(said):
            yield SchedulerEvent(**facts, severity=Severity.WARNING, system="systemd", about=event, text=said)


def _event(said: str) -> str | None:
    if OOM.match(said):
        return "oom-killed"
    if found := RESULT.match(said):
        return {"oom-kill": "oom-killed"}.get(found[1], "failed")
    if RUNTIME.match(said):
        return "time-limit"
    if RESTART.match(said):
        return "restarted"
    return "other" if LEFT.match(said) else None


PARSER = Parser(
    tool="systemd",
    medium="system-log",
    footprint=(
        r"\.(service|scope): (Watchdog timeout|Killing process|(Main|Control) process exited|Failed with result"
        "|A process of this unit|State '"
        "|Processes still around|Found left-over|Scheduled restart|Service reached runtime"
        r"|[\w-]{4,20} operation timed out)"
    ),
    read=read,
)
