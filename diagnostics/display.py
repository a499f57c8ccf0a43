"""Plain objects as a person reads them in a notebook: short HTML beside a repr that says the same.

Every string of an incident passes through `escaped` or `shortened`; colours are JupyterLab's own variables, so
that both themes work.
"""

from __future__ import annotations

import html

from .evidence import Source
from .report import visible


def shortened(text: str, limit: int = 160) -> str:
    """One visible line of at most `limit` characters and a note of how many were left out."""
    line = visible(" ".join(text[: limit * 4].split()))
    left_out = max(len(text), len(line)) - limit if len(text) > limit * 4 or len(line) > limit else 0
    return f"{line[:limit]}… [{left_out} more characters]" if left_out > 0 else line


def escaped(text: object) -> str:
    """Text for HTML: visible, without markup, and with no dollar that a page would read as mathematics."""
    return html.escape(visible(str(text))).replace("$", "&#36;")


def format_citation(source: Source) -> str:
    """`file:line`, or the file where the whole of it is meant."""
    return f"{source.file}:{source.line}" if source.line else source.file
