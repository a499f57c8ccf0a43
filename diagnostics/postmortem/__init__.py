"""A diagnosis as a write-up: Markdown, one self-contained HTML file, a notebook, or PDF.

    postmortem = write_postmortem(diagnosis, written=read_written("postmortem.md"))
    save(postmortem, "postmortem.md")

Every sentence carries the lines it stands on, or says that it comes from the table of causes. What evidence
cannot know is a blank; what people wrote into one survives when the write-up is made again.
"""

from __future__ import annotations

from .document import Blank, Rates, Said, Section
from .pseudonyms import KINDS as MASKS
from .saving import FORMATS, save
from .write_up import Postmortem
from .writing import write_postmortem
from .written import read_written

__all__ = [
    "FORMATS",
    "MASKS",
    "Blank",
    "Postmortem",
    "Rates",
    "Said",
    "Section",
    "read_written",
    "save",
    "write_postmortem",
]
