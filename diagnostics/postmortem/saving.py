"""A write-up into a file: its name's ending says which kind."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from ..durable import write_durably
from ..errors import DiagnosticsError, UsageError
from .markdown import format_markdown
from .notebook import executed, format_notebook
from .page import format_page
from .pdf import format_pdf
from .write_up import Postmortem

FORMATS = (".md", ".html", ".ipynb", ".pdf")


def save(postmortem: Postmortem, path: str | Path, *, incident: Sequence[str | Path] = ()) -> Path:
    """Write it to `path` and return that path; a reader never sees half of it.

    Parameters
    ----------
    incident : what the notebook's cells open again; needed for .ipynb only

    Raises UsageError for another ending, DiagnosticsError when the file cannot be written.
    """
    file = Path(path)
    data = render(postmortem, file, incident)
    try:
        write_durably(file, data)
    except OSError as error:
        raise DiagnosticsError(f"{file} cannot be written: {error.strerror}", "give another name with -o") from None
    return file


def render(postmortem: Postmortem, file: Path, incident: Sequence[str | Path] = ()) -> bytes:
    """The write-up as the bytes of that file; a notebook names the incident as seen from its own folder."""
    match file.suffix:
        case ".md":
            return format_markdown(postmortem).encode()
        case ".html":
            return format_page(postmortem).encode()
        case ".pdf":
            return format_pdf(format_page(postmortem))
        case ".ipynb":
            folder = file.resolve().parent
            paths = [os.path.relpath(Path(each).resolve(), folder) for each in incident]
            notebook = format_notebook(postmortem, paths)
            return (executed(notebook, folder) if postmortem.diagnosis else notebook).encode()
    raise UsageError(f"no write-up ends in {file.suffix or 'nothing'}", f"use one of {', '.join(FORMATS)}")
