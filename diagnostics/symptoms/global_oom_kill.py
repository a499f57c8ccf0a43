"""The machine itself ran out of memory: the global OOM killer's report, the kubelet's of it, or a daemon's that acts
before it.

A report that is cut before it says whose memory was full counts where somebody saw the machine without memory, or
where a service of the machine and another program asked for memory in vain: they share no container. A kill that
took a program of somebody's desktop explains no end of a job, and neither does one after which the job made steps
for more than a day.

ABSENT where a kernel log that is long enough to speak, or has kept such an older kill, was read and reports no other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ..evidence import Subject
from ..evidence.kernel import OomKill, PageAllocationFailure
from ..evidence.storage import MemoryInfo
from ..evidence.supervisor import SchedulerEvent
from ..incident import Incident
from ._errors import matching
from ._memory import OF_THE_MACHINE, OOMD, is_low
from ._reports import kill_log, killed
from ._runs import killed_another
from ._symptom import Finding, Symptom

BY_A_DAEMON = re.compile(
    r"node (?:is )?running low on memory|systemd-oomd.{0,40}[Kk]illed|earlyoom.{0,60}SIG|low memory! at or below"
    r"|\bRayOutOfMemoryError: More than \d{1,3}% of the memory on node"
)


# what is killed first on a workstation, by its own wish
DESKTOP = re.compile(
    r"^(?:chrom(?:e|ium)|firefox|Web Content|Isolated Web|slack|teams|electron|code$|discord|spotify|thunderbird)", re.I
)
# programs that a machine runs for itself, outside of any job's container
SERVICES = re.compile(
    "^(?:systemd|init$|gsd-|gnome|Xorg|Xwayland|kde|kwin|plasma|kubelet|containerd|dockerd|sshd|snapd|rsyslogd|cron"
    "|irqbalance"
    r"|NetworkManager|polkitd|dbus|udisksd|slurmd|munged|chronyd|ntpd|tuned|agetty|node_exporter|dcgm)"
)


def rule(incident: Incident) -> Iterator[Finding]:
    """Each kill for the whole machine; else the logs without one."""
    found = False
    old = [kill for kill in incident.of(OomKill) if incident.timeline.long_over(kill)]
    recent = [kill for kill in incident.of(OomKill) if kill not in old]
    kills = [kill for kill in recent if not killed_another(incident, kill)]
    for kill in kills:
        if kill.scope == "global" and not DESKTOP.match(kill.subject.comm or ""):
            found = True
            yield Finding(kill.subject, (kill,), killed(kill))
    for kill in _of_the_machine(incident, kills):
        found = True
        yield Finding(kill.subject, (kill,), killed(kill))
    for failure in incident.of(PageAllocationFailure):
        if (failure.order or 0) <= 3:
            found = True
            yield Finding(failure.subject, (failure,), "the kernel could not get memory for itself")
    for event in incident.of(SchedulerEvent):
        if OF_THE_MACHINE.search(event.text) or OOMD.match(event.text):
            found = True
            yield Finding(event.subject, (event,), event.text[:160])
    for said in matching(incident, BY_A_DAEMON):
        found = True
        yield Finding(said.fact.subject, (said.fact,), said.text.splitlines()[0][:160])
    logs = kill_log(incident, old)
    if logs and not found and not recent:
        yield Finding(Subject(), tuple(logs), "no kill for the machine's memory is reported", present=False)


def _of_the_machine(incident: Incident, kills: Sequence[OomKill]) -> list[OomKill]:
    """The cut reports of a machine without memory."""
    cut = [kill for kill in kills if kill.scope == "unknown"]
    invokers = {kill.invoker for kill in cut if kill.invoker}
    services = {invoker for invoker in invokers if SERVICES.match(invoker)}
    low = any(is_low(info) for info in incident.of(MemoryInfo))
    return cut if low or (services and invokers - services) else []


SYMPTOM = Symptom(
    title="the machine's out-of-memory killer struck",
    rule=rule,
    leak=0.0003,
    because="the kernel reports it only when it did it",
    tells_apart=("host",),
    command="dmesg -T | grep -i 'out of memory'; free -h",
)
