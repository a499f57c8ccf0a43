r"""Strings of an incident made safe to show: on a terminal, in HTML, in one line, as a citation.

    visible("\x1b[1m")  ->  "␛[1m"        escaped("<b>")  ->  "&lt;b&gt;"

Everything shown to a person passes through `visible`, and through `escaped` where it becomes HTML.
"""

from __future__ import annotations

import html
import unicodedata
from collections.abc import Sequence

from .evidence import Source, each_once

PLAIN = "class='mathjax_ignore tex2jax_ignore'"  # a log line holding $x^ is no mathematics


def visible(text: str) -> str:
    """Text without anything that a terminal would obey: control characters become their pictures."""
    return "".join(c if c in "\n\t" or not unicodedata.category(c).startswith("C") else _picture(c) for c in text)


def _picture(character: str) -> str:
    code = ord(character)
    return chr(0x2400 + code) if code < 0x20 else f"\\u{code:04x}"


def escaped(text: object) -> str:
    """Text for HTML: visible and without markup."""
    return html.escape(visible(str(text)))


def shortened(text: str, limit: int = 160) -> str:
    """One visible line of at most `limit` characters and a note of how many were left out."""
    line = visible(" ".join(text[: limit * 4].split()))
    left_out = max(len(text), len(line)) - limit if len(text) > limit * 4 or len(line) > limit else 0
    return f"{line[:limit]}… [{left_out} more characters]" if left_out > 0 else line


def format_citation(source: Source) -> str:
    """`file:line`, or the file where the whole of it is meant."""
    return f"{source.file}:{source.line}" if source.line else source.file


def format_citations(sources: Sequence[Source], limit: int = 3) -> str:
    """The first `limit` citations, each once, and how many more there are: "train.log:3, df.txt:2, 4 more"."""
    cited = each_once(sources)
    more = [f"{len(cited) - limit} more"] if len(cited) > limit else []
    return ", ".join([*map(format_citation, cited[:limit]), *more])


def cite(sources: Sequence[Source]) -> str:
    """Citations to set behind a sentence, " [train.log:3, df.txt:2]", or nothing."""
    return f" [{format_citations(sources)}]" if sources else ""
