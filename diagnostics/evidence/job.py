"""What the job's code raised and logged, what it was set to, what it runs on."""

from __future__ import annotations

from dataclasses import dataclass

from . import Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class PythonException(Evidence):
    """A Python traceback, or the line that a torn one left. Subject: rank, pid, path where the text names it.

    `frames` are "function (file:line)", innermost first; `causes` are the exceptions it was raised from,
    nearest first, as "Type: text"; `worker` is the DataLoader worker it came from; `error` is the errno's name.

        RuntimeError: PytorchStreamReader failed reading zip archive: failed finding central directory.
    """

    type: str
    text: str
    frames: tuple[str, ...] = ()
    causes: tuple[str, ...] = ()
    worker: int | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingSeen(Evidence):
    """A configuration value that somebody set: environment variable, flag, sysctl, mount feature. Subject: job.

    NCCL_BLOCKING_WAIT=1
    """

    name: str
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LogLine(Evidence):
    """A line of a job log at warning level or above that no pattern knows; kept so that nothing is lost.

    [rank3] WARNING: something odd
    """

    level: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PackageChanged(Evidence):
    """A package was installed, upgraded or removed (apt history, unattended-upgrades).

    Upgrade: nvidia-driver-535:amd64 (535.154.05-0ubuntu1, 535.161.08-0ubuntu1)
    """

    package: str
    old: str | None
    new: str | None
