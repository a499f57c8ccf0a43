"""The write-up of a diagnosis, which a notebook shows as Markdown."""

from __future__ import annotations

from dataclasses import dataclass

from ..diagnosis import Diagnosis
from .document import Document
from .markdown import format_markdown


@dataclass(frozen=True, repr=False)
class Postmortem(Document):
    """A write-up. `diagnosis` is what the pictures are drawn from; None where they could show what is masked."""

    diagnosis: Diagnosis | None = None

    def __repr__(self) -> str:
        return (
            f"<Postmortem {self.title!r}: {len(self.sections)} sections, {len(self.cited)} lines cited, "
            f"{len(self.blanks)} blanks to fill in>"
        )

    def _repr_markdown_(self) -> str:
        return format_markdown(self)
