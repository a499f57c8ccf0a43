"""What the table advises, filled in for one incident: sentences ({mount}) and commands (MOUNT, JOB_PID).

A placeholder says what it stands for, and of a process whose it is: JOB_PID is never that of a server. What nobody
knows stays as it is in a command, for the reader to fill in, and becomes a plain word in a sentence.
"""

from __future__ import annotations

import re
import shlex
import string
from collections.abc import Iterable, Iterator

from .diagnosis import Diagnosis
from .evidence import Subject
from .filesystems import UNKNOWN, ByFilesystem, Filesystem, by_name
from .hypothesis import Hypothesis
from .observation import Observation

# the symptoms whose subject is such a process, those first that name it best
WHOSE = {
    "JOB_PID": (
        "busy-while-silent",
        "main-thread-waits-for-loader",
        "threads-wait-for-each-other",
        "waits-with-the-gil",
        "compile-waits-idle",
        "waits-for-build-lock",
        "one-rank-elsewhere",
        "collective-on-one-rank",
        "progress-stopped",
        "watchdog-killed",
    ),
    "STOPPED_PID": ("process-stopped",),
    "HOLDER_PID": ("gpu-worker-without-parent", "gpu-held-by-another", "gpu-memory-without-owner"),
    "WORKER_PID": ("child-at-runtime-lock", "worker-waits-for-lock"),
}
WHICH_FILESYSTEM = "findmnt -T MOUNT"
# of processes that no symptom is about
NEVER_KNOWN = ("SERVER_PID", "PARENT_PID", "STUCK_PID")
_PLACEHOLDER = re.compile(rf"\b(?:MOUNT|{'|'.join(WHOSE)})\b")
_UNKNOWN_WORDS = {
    "mount": "the volume",
    "server": "its server",
    "filesystem": "the filesystem",
    "pid": "a process",
    "comm": "the process",
    "path": "a file",
    "gpu": "a GPU",
    "rank": "a rank",
    "device": "the device",
    "host": "the host",
    "interface": "the network interface",
    "cgroup": "the container",
    "job": "the job",
    "pci": "the device",
    "tid": "a thread",
}
# of one process or file: what another symptom of the same cause is about is none of this one's
_ITS_OWN = frozenset("pid tid comm path rank".split())


def sentence(template: str, hypothesis: Hypothesis, observation: Observation | None = None) -> str:
    """A sentence of the table about a cause, or about one symptom of it; unknown placeholders become plain words."""
    if "{" not in template:
        return template
    about = hypothesis.about.known()
    if observation:
        about = {name: value for name, value in about.items() if name not in _ITS_OWN} | observation.subject.known()
    known = _UNKNOWN_WORDS | {name: str(value) for name, value in about.items()}
    if hypothesis.filesystem:
        known["filesystem"] = by_name(hypothesis.filesystem).title
    return string.Formatter().vformat(template, (), known)


def steps(told: Iterable[str | ByFilesystem], hypothesis: Hypothesis, diagnosis: Diagnosis) -> Iterator[str]:
    """What to do about a cause, as it fits its subject."""
    for each in told:
        yield command(sentence(_on(each, hypothesis), hypothesis), hypothesis.about, diagnosis)


def checks(hypothesis: Hypothesis, diagnosis: Diagnosis) -> Iterator[str]:
    """What would confirm or refute a cause, with the command for its subject."""
    for check in hypothesis.cause.checks:
        yield f"{check.looks_for}: {command(_on(check.command, hypothesis), hypothesis.about, diagnosis)}"


def command(text: str, about: Subject, diagnosis: Diagnosis) -> str:
    """A text with those placeholders of its commands filled in that are known: the subject's volume, and the processes
    that symptoms name.
    """

    def known(found: re.Match[str]) -> str:
        value = pid_of(found[0], diagnosis) if found[0] in WHOSE else about.mount
        return found[0] if value is None else shlex.quote(str(value))

    return _PLACEHOLDER.sub(known, text)


def pid_of(placeholder: str, diagnosis: Diagnosis) -> int | None:
    """The one process that a placeholder means; None where no symptom names one, or several do."""
    for symptom in WHOSE[placeholder]:
        pids = {each.subject.pid for each in diagnosis.present if each.symptom == symptom} - {None}
        if pids:
            return pids.pop() if len(pids) == 1 else None
    return None


def question(asked: str | ByFilesystem, hypothesis: Hypothesis, diagnosis: Diagnosis) -> str:
    """The command of a question as it fits the filesystem of a cause's volume; "" where that one has nothing to ask.

    Where nobody recorded which filesystem it is, that is asked first.
    """
    if isinstance(asked, str):
        return asked
    kind = _filesystem(hypothesis, diagnosis)
    return "; ".join(filter(None, (WHICH_FILESYSTEM, asked.otherwise))) if kind is UNKNOWN else asked.on(kind)


def _filesystem(hypothesis: Hypothesis, diagnosis: Diagnosis) -> Filesystem:
    """The filesystem of a cause's volume; of one that is not known, that of the only network filesystem there is."""
    mounted = {mount.filesystem for mount in diagnosis.incident.volumes.all_mounts if mount.network}
    only = mounted.pop() if len(mounted) == 1 and hypothesis.about.mount is None else ""
    return by_name(hypothesis.filesystem or only)


def _on(step: str | ByFilesystem, hypothesis: Hypothesis) -> str:
    return step if isinstance(step, str) else step.on(by_name(hypothesis.filesystem))
