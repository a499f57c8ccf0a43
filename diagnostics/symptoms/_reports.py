"""What several symptoms of one kind share: looking for reports of a driver, a kernel or a job, and for who was asked.

A GPU has two names, the driver's index and the PCI address; `gpu_subject` gives both where nvidia-smi told both.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from ..evidence import Coverage, Evidence, Subject
from ..evidence.collective import CollectiveMismatch, NcclMessage, RemoteFailure
from ..evidence.gpu import GpuStatus, GpuToolError
from ..evidence.job import LogLine, PythonException
from ..evidence.kernel import GpuDriverMessage, HungTask, OomKill, SearchedInVain, SoftLockup, Xid
from ..evidence.process import ThreadState
from ..evidence.supervisor import LauncherFailure, ProcessEnded, SchedulerEvent
from ..incident import Incident
from ..machines import Machines
from ._once import once_per_incident
from ._symptom import Finding

SPEAKERS = (
    PythonException,
    LauncherFailure,
    LogLine,
    NcclMessage,
    RemoteFailure,
    GpuToolError,
    ProcessEnded,
    CollectiveMismatch,
)
# what a launcher raises when one of its processes has ended
LAUNCHERS = ("ChildFailedError", "CalledProcessError", "SystemExit", "KeyboardInterrupt", "SignalException")
PREVIOUS = re.compile(r"caused by previous Xid (\d{1,4})\b")
CHATTER = ("INFO", "TRACE", "VERSION")  # levels at which NCCL complains of nothing, at great length
# Killing: Stopping container trainer     without a word of a probe that failed
STOPPED = re.compile(r"^(?:Killing: )?Stopping container \S{1,80}$")
LOG_THAT_SPEAKS = 20  # lines: a kernel log shorter than this is an excerpt, and its silence proves nothing


def words_of(fact: Evidence) -> str:
    """All that a job or tool said in one fact, on one line."""
    if isinstance(fact, PythonException):
        return " | ".join((f"{fact.type}: {fact.text}", *fact.causes))
    if isinstance(fact, LauncherFailure):
        return fact.error_text
    return str(getattr(fact, "text", ""))


def follows(later: Evidence, earlier: Evidence) -> bool:
    """True where one fact stands below another one in the same file."""
    return later.source.file == earlier.source.file and later.source.line > earlier.source.line


def said(incident: Incident, pattern: re.Pattern[str]) -> Iterator[Evidence]:
    """The facts in which a job, its launcher or a GPU tool says something that matches."""
    for words, facts in _spoken(incident).items():
        if pattern.search(words):
            yield from facts


@once_per_incident
def _spoken(incident: Incident) -> dict[str, list[Evidence]]:
    """What was said in an incident, each text once with the facts that say it: logs repeat themselves a lot."""
    spoken: dict[str, list[Evidence]] = {}
    for fact in incident.of(*SPEAKERS):
        if isinstance(fact, NcclMessage) and fact.level in CHATTER:
            continue
        spoken.setdefault(words_of(fact), []).append(fact)
    return spoken


def kernel_log(incident: Incident) -> list[Coverage]:
    """The kernel logs whose silence means something: longer than an excerpt."""
    return [each for each in incident.reads("kernel-log") if each.lines >= LOG_THAT_SPEAKS]


def kill_log(incident: Incident, kills: Sequence[OomKill]) -> list[Coverage]:
    """The kernel logs in which the silence of the out-of-memory killer means something: those that speak, and those
    that kept its older kills, and would have kept a later one.
    """
    kept = {kill.source.file for kill in kills}
    return [each for each in incident.reads("kernel-log") if each.lines >= LOG_THAT_SPEAKS or each.file in kept]


def driver_log(incident: Incident) -> list[Coverage]:
    """The kernel logs in which the GPU driver's silence means something.

    Whole ones, and excerpts that hold its own lines or a hang: its report comes minutes before anything hangs.
    """
    speakers: tuple[type[Evidence], ...] = (Xid, GpuDriverMessage, HungTask, SoftLockup, ThreadState)
    spoken = {fact.source.file for fact in incident.of(*speakers)}
    whole = {each.file for each in kernel_log(incident)}
    return [each for each in incident.reads("kernel-log") if each.file in spoken | whole]


def ended_log(incident: Incident) -> list[Coverage]:
    """The job's logs that run to its end: an error of its own would stand in them."""
    ends = {fact.source.file for fact in incident.of(LauncherFailure, ProcessEnded)}
    return [each for each in incident.reads("job-log") if each.file in ends]


def gpu_subject(incident: Incident, subject: Subject) -> Subject:
    """The subject with both of its GPU's names, where a status told which index has which address."""
    known = subject.gpu if subject.pci is None else subject.pci
    names = None if known is None else _names_of_gpus(incident).get(known)
    return replace(subject, gpu=names[0], pci=names[1]) if names else subject


@once_per_incident
def _names_of_gpus(incident: Incident) -> dict[int | str, tuple[int, str] | None]:
    """Each index and each address with both; None where two machines have different GPUs of that name."""
    names: dict[int | str, tuple[int, str] | None] = {}
    for both in dict.fromkeys((each.subject.gpu, each.subject.pci) for each in incident.of(GpuStatus)):
        index, address = both
        if index is not None and address is not None:
            for name in (index, address):
                names[name] = (index, address) if name not in names else None
    return names


def by_device(incident: Incident, statuses: Iterable[GpuStatus]) -> list[list[GpuStatus]]:
    """The looks at each GPU, however many there are of one: every host has a GPU 0."""
    statuses = list(statuses)
    machines = Machines(statuses)
    found: dict[tuple[str, int | str | None], list[GpuStatus]] = defaultdict(list)
    for status in statuses:
        subject = gpu_subject(incident, status.subject)
        names = (subject.gpu, subject.pci, status.uuid)
        found[machines.of(status), next((name for name in names if name is not None), None)].append(status)
    return list(found.values())


def gpu_reports(
    incident: Incident,
    *,
    codes: Iterable[int] = (),
    driver: Sequence[str] = (),
    tool: Sequence[str] = (),
    words: re.Pattern[str] | None = None,
    passes: bool = False,
) -> Iterator[Finding]:
    """Findings for Xid codes, driver messages and tool errors by topic, and for words of the job; else the absence.

    What was over before the run began is no finding: a report before a reboot, and where the trouble `passes` by
    itself, any report before the run.
    """
    wanted = frozenset(codes)
    facts: list[tuple[Evidence, str]] = [
        (xid, f"Xid {xid.code}: {xid.meaning or xid.detail}")
        for xid in incident.of(Xid)
        if xid.code in wanted or _caused_by(xid) in wanted
    ]
    facts += [(each, each.text) for each in incident.of(GpuDriverMessage) if each.about in driver]
    facts += [(each, each.text) for each in incident.of(GpuToolError) if each.about in tool]
    if words:
        facts += [(each, words_of(each)) for each in said(incident, words)]
    facts = [(fact, note) for fact, note in facts if not is_over(incident, fact, passes=passes)]
    yield from findings(incident, facts, lambda fact: gpu_subject(incident, fact.subject))
    if not facts and (wanted or driver):
        yield from nothing(driver_log(incident), "the kernel log was read and the driver reports nothing of the kind")
    searches = [each for each in incident.of(SearchedInVain) if "xid" in each.pattern.lower()]
    if not facts and wanted and searches:
        yield Finding(Subject(), tuple(searches), "the kernel log was searched and holds no Xid", present=False)


def host_and_port(fact: Evidence) -> tuple[str, str]:
    """Whom a fact is about, and on which port; "" for what is not told. A bare IPv6 address has no port."""
    return split_port(fact.subject.server or "")


def split_port(server: str) -> tuple[str, str]:
    """A server's host and its port; "" for what is not told."""
    host, colon, port = server.rpartition(":")
    told = colon and port.isdecimal() and (":" not in host or host.endswith("]"))
    return (host, port) if told else (server, "")


def node_of(fact: Evidence) -> Subject:
    """The subject of a fact without the port: two ports of one host are one host."""
    return replace(fact.subject, server=host_and_port(fact)[0] or None)


def scheduler_reports(
    incident: Incident,
    *topics: str,
    words: re.Pattern[str] | None = None,
    unless: str = "",
    system: str = "",
    what: str,
) -> Iterator[Finding]:
    """Findings for the scheduler's events by topic, and for words of the job; else the absence of `what`.

    An event about `unless` may stand for this one, so with it nothing is known to be absent; where only one `system`
    speaks of such things, another's silence says nothing. Nor does a list that tells of a stop and not of who ordered
    it: the word of whoever did stands elsewhere.
    """
    events = incident.of(SchedulerEvent)
    facts: list[tuple[Evidence, str]] = [(event, event.text) for event in events if event.about in topics]
    if words:
        facts += [(fact, words_of(fact)) for fact in said(incident, words)]
    yield from findings(incident, facts)
    removed = any(event.about == "node-removed" for event in events)  # whose node it was is not always told
    asked = [event for event in events if system in ("", event.system) and not removed]
    silent = not any(event.about == unless for event in events) and not _stopped_without_reason(events)
    if asked and not facts and silent:
        yield from nothing(incident.reads("scheduler"), f"the scheduler was asked and tells of no {what}")


def _stopped_without_reason(events: Sequence[SchedulerEvent]) -> bool:
    """True where containers were stopped, and nothing in the list is a reason for it."""
    stopped = [event for event in events if STOPPED.search(event.text)]
    return bool(stopped) and all(event.about in ("other", "pending") for event in events)


def _caused_by(xid: Xid) -> int | None:
    """The report that the driver itself names as the reason of this one."""
    found = PREVIOUS.search(xid.detail)
    return int(found[1]) if found else None


def is_over(incident: Incident, fact: Evidence, *, passes: bool) -> bool:
    """True when what a fact reports was over before the incident's first run began."""
    timeline = incident.timeline
    return timeline.cleared_by_reboot(fact) or (passes and (timeline.precedes_runs(fact) or timeline.long_over(fact)))


def killed(kill: OomKill) -> str:
    """Whom the kernel killed for memory, and how much it held; a report that is cut does not say."""
    if kill.subject.pid is None:
        return (
            f"the kernel began to kill when {kill.invoker or 'a process'} asked for memory; whom it killed is cut off"
        )
    used = f" at {kill.anon_rss_kib / 2**20:.1f} GiB resident" if kill.anon_rss_kib else ""
    return f"{kill.subject.comm or 'process'} {kill.subject.pid} was killed{used}"


def complaints(incident: Incident, pattern: re.Pattern[str]) -> Iterator[Finding]:
    """A finding for what jobs or tools said in words that a pattern knows."""
    return findings(incident, [(fact, words_of(fact)) for fact in said(incident, pattern)])


def findings(
    incident: Incident, facts: Sequence[tuple[Evidence, str]], subject: Callable[[Evidence], Subject] | None = None
) -> Iterator[Finding]:
    """One finding a fact, each fact once, with the note cut to a sentence's length."""
    seen: set[int] = set()
    for fact, note in facts:
        if id(fact) not in seen:
            seen.add(id(fact))
            yield Finding(subject(fact) if subject else fact.subject, (fact,), note[:200])


def nothing(coverage: Sequence[Coverage], note: str) -> Iterator[Finding]:
    """The finding that a symptom was looked for and is not there; none where nobody looked."""
    if coverage:
        yield Finding(Subject(), tuple(coverage), note, present=False)
