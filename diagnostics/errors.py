"""The exceptions of this package. Each says what happened and what to do next.

DiagnosticsError
├── UnreadableInput        an artefact, archive or folder that cannot be opened or is not what it claims
├── UsageError             the request itself does not make sense
├── ProbeError             a live question could not even be asked
├── BrokenInstallation     a file that this package brought is missing, cut or altered
└── CheckpointError        something about a checkpoint
    ├── PublishError       a write, flush, fsync, close or rename failed; the previous checkpoint is untouched
    ├── NotWhole           an artefact is truncated, altered or unreadable
    ├── NothingToResume    no whole checkpoint on any side
    └── ManifestError      a manifest is torn, forged or of another version

A command turns one of these into one line on stderr and exit status 1; a notebook shows the same line.
"""

from __future__ import annotations


class DiagnosticsError(Exception):
    """Base of all errors that a person is meant to read.

    `problem` says what happened, `remedy` what to do next; both are one sentence without a full stop
    at the end of the last. `str()` joins them.
    """

    def __init__(self, problem: str, remedy: str = "") -> None:
        super().__init__(problem, remedy)
        self.problem = problem
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.problem}; {self.remedy}" if self.remedy else self.problem


class UnreadableInput(DiagnosticsError):
    """An artefact, archive or folder cannot be opened, or is not what it claims to be."""


class UsageError(DiagnosticsError):
    """The request does not make sense: an unknown name, a contradiction, a value out of range."""


class ProbeError(DiagnosticsError):
    """A live question could not even be asked (a probe that got no answer is not an error)."""


class BrokenInstallation(DiagnosticsError):
    """A file that this package brought is missing, cut or altered."""


class CheckpointError(DiagnosticsError):
    """Something about a checkpoint."""


class PublishError(CheckpointError):
    """A checkpoint was not published; the previous one is untouched."""


class NotWhole(CheckpointError):
    """An artefact is truncated, altered or unreadable."""


class NothingToResume(CheckpointError):
    """No side holds a whole checkpoint."""


class ManifestError(CheckpointError):
    """A manifest is torn, forged or written by an unknown version."""
