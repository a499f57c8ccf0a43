"""A person's own tool (df, ls, stat, dd, md5sum, cp) never came back from a volume, or timed out on it.

Also a probe that stayed silent, a tool that the hung-task detector names, and one that a process table shows waiting in
a client: for a minute, or of those that move no data; or in D where no wait channel is told, by a tool that is about
the mount itself. A tool that failed with an error came back and does not count, and neither does a reader that ran into
its limit while the job's own reads came back, late: that is a measurement (volume_slow_measured). ABSENT, for a mount,
where a tool read data from it and came back, unless another of the same folder did not: a cache holds some of the
files.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.kernel import HungTask
from ..evidence.probe import Outcome, ProbeAnswer
from ..evidence.process import ProcessState
from ..evidence.storage import CommandOutcome
from ..incident import Incident
from ..kernel_waits import CLIENT_WAITS
from ._loading import reads_came_after
from ._places import on_network, only_network_mount, place
from ._symptom import Finding, Symptom
from ._volume_calls import (
    READERS,
    TIMED_OUT,
    _of_words,
    brought_nothing,
    commands_about_a_mount,
    folder_of,
    place_of,
    ran_into_its_limit,
)

TOOLS = re.compile(
    r"\b(?:df|ls|stat|du|dd|cat|cp|mv|rm|md5sum|sha\d+sum|b2sum|rsync|find|touch|head|tail|umount|lsof)\b"
)
MOVES_NO_DATA = re.compile(r"(?:df|stat|umount|lsof)\b")
LONG_S = 60.0


def rule(incident: Incident) -> Iterator[Finding]:
    """Each tool and probe that did not come back; else those that did."""
    commands = incident.of(CommandOutcome)
    stuck = {folder_of(command) for command in commands if brought_nothing(command)}
    for command in commands:
        if not TOOLS.search(command.command) or (ran_into_its_limit(command) and reads_came_after(incident, command)):
            continue
        subject = place_of(incident, command)
        hung = command.outcome in ("hanging", "timed-out") or command.status == TIMED_OUT
        if hung and on_network(incident, subject, command) is not False:
            yield Finding(subject, (command,), f"`{command.command[:100]}` did not come back")
        elif command.outcome == "ok" and READERS.search(command.command) and subject.path:
            if folder_of(command) in stuck:
                continue
            yield Finding(subject, (command,), f"`{command.command[:100]}` came back", present=False)
    for answer in incident.of(ProbeAnswer):
        subject = place(incident, answer.subject.path or answer.subject.mount, answer)
        if answer.outcome is Outcome.SILENT:
            yield Finding(subject, (answer,), f"the probe {answer.probe} stayed silent for {answer.elapsed_s:.0f} s")
        elif answer.outcome is Outcome.ANSWERED and "read" in answer.probe:
            yield Finding(subject, (answer,), f"the probe {answer.probe} was answered", present=False)
    for task in incident.of(HungTask):
        if TOOLS.fullmatch(task.subject.comm or "") and (task.function or "").startswith(CLIENT_WAITS):
            mount = only_network_mount(incident, task)
            yield Finding(
                mount.subject if mount else Subject(), (task,), f"{task.subject.comm} hangs in {task.function}"
            )
    for row in incident.of(ProcessState):
        waits = row.state == "D" and (row.wchan or "").startswith(CLIENT_WAITS) and TOOLS.match(row.command)
        if waits and (MOVES_NO_DATA.match(row.command) or (row.elapsed_s or 0.0) >= LONG_S):
            yield Finding(_waited_for(incident, row), (row,), f"`{row.command[:100]}` is in {row.wchan}")
    for row, mount in commands_about_a_mount(incident):
        yield Finding(mount.subject, (row, mount), f"`{row.command[:100]}` is in D")


def _waited_for(incident: Incident, row: ProcessState) -> Subject:
    """The network volume that a command in a client's wait is about: what its words name may be a list of files
    elsewhere.
    """
    named, only = _of_words(incident, row.command, row), only_network_mount(incident, row)
    if named and on_network(incident, named, row):
        return named
    return only.subject if only else Subject()


SYMPTOM = Symptom(
    title="an operator's own tool hangs on the volume",
    rule=rule,
    leak=0.002,
    because="ls and df of a healthy volume take milliseconds",
    tells_apart=("mount",),
    command="python -m diagnostics probe MOUNT",
    cost_minutes=2,
)
