"""The kernel cannot let go of a network device, and with it of the network namespaces of its containers.

Two or more reports that it waits for one device, which come ten seconds apart; or a task that is hung in the removal of
a device or in making a namespace, or two processes that wait in D for the latter. A single report is how the end of a
container with open connections looks.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from ..evidence.kernel import HungTask, NetworkDeviceKept
from ..evidence.process import ProcessState
from ..incident import Incident
from ._symptom import Finding, Symptom

FEWEST = 2
# what makes and ends the network of a container
NAMESPACES = re.compile(r"^(?:copy_net_ns|cleanup_net|netdev_run_todo|netdev_wait_allrefs|unregister_netdevice_\w{1,20}"
    r"|rollback_registered\w{0,10})$")  # fmt: skip


def rule(incident: Incident) -> Iterator[Finding]:
    kept: dict[tuple[str | None, str | None], list[NetworkDeviceKept]] = defaultdict(list)
    for report in incident.of(NetworkDeviceKept):
        kept[report.subject.host, report.subject.interface].append(report)
    for (_, interface), reports in kept.items():
        if len(reports) >= FEWEST:
            note = f"{interface} was waited for in {len(reports)} reports: {reports[-1].text}"
            yield Finding(reports[-1].subject, tuple(reports[:8]), note)
    for task in incident.of(HungTask):
        if inside := next((name for name in (task.function or "", *task.frames) if NAMESPACES.match(name)), None):
            yield Finding(task.subject, (task,), f"{task.subject.comm or 'a task'} hangs in {inside}")
    waiting = [row for row in incident.of(ProcessState) if row.state == "D" and NAMESPACES.match(row.wchan or "")]
    if len(waiting) >= FEWEST:
        note = f"{len(waiting)} processes wait in D for {waiting[0].wchan}"
        yield Finding(waiting[0].subject, tuple(waiting[:8]), note)


SYMPTOM = Symptom(
    title="the kernel cannot let go of a network device",
    rule=rule,
    leak=0.0002,
    because="the references to a device are given back within a second or two, unless the kernel has lost one",
    tells_apart=("host",),
    command="sudo dmesg -T | grep unregister_netdevice; ps -eo pid,stat,wchan:32,comm | grep -E 'net_ns|rtnl'",
)
