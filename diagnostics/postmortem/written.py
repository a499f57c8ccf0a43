"""What people wrote into an earlier write-up, read back from its marks.

    <!-- people: lessons -->We will read the checkpoint back.<!-- end people -->

The marks are the same in Markdown, HTML and the cells of a notebook. Everything outside them is made anew.
"""

from __future__ import annotations

import html
import json
import re
from pathlib import Path

from ..errors import UnreadableInput, UsageError

OPEN, CLOSE, END = "<!-- people: ", " -->", "<!-- end people -->"
HEADER = "Text between people marks is kept when this write-up is made again; everything else is made anew."
SIZE_LIMIT = 64 << 20
_BLANK = re.compile(r"____ \(fill in: [^\n]*\)")
_KEY = re.compile(r"[a-z0-9-]{1,80}")


def read_written(path: str | Path) -> dict[str, str]:
    """What people wrote into the write-up at `path`, by key; empty when there is no such file.

    Raises UnreadableInput when the file cannot be read and UsageError when it is something else, so that no
    file of somebody's own is ever written over.
    """
    file = Path(path)
    if not file.exists() or file.suffix == ".pdf":
        return {}
    try:
        if file.stat().st_size > SIZE_LIMIT:
            raise UsageError(f"{file} is too large to be a write-up", "give another name with -o")
        text = file.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise UnreadableInput(f"{file} cannot be read: {error.strerror}", "give another name with -o") from None
    if not text.strip():
        return {}
    if file.suffix == ".ipynb":
        text = _cells(text)
    if OPEN not in text:
        raise UsageError(f"{file} exists and is no write-up of this program", "give another name with -o")
    found = marked(text)
    return {key: html.unescape(said) for key, said in found.items()} if file.suffix in (".html", ".htm") else found


def marked(text: str) -> dict[str, str]:
    """The filled-in blanks of a text, by key."""
    found: dict[str, str] = {}
    start = text.find(OPEN)
    while start >= 0:
        opened = text.find(CLOSE, start)
        end = text.find(END, start)
        if opened < 0 or end < opened:
            break
        key, said = text[start + len(OPEN) : opened], text[opened + len(CLOSE) : end].strip()
        if _KEY.fullmatch(key) and said and not _BLANK.fullmatch(said):
            found.setdefault(key, said)
        start = text.find(OPEN, end)
    return found


def mark(key: str, text: str) -> str:
    """A text between its marks; a mark inside it is taken apart, so that it ends nothing."""
    return f"{OPEN}{key}{CLOSE}{text.replace('<!--', '<! --').replace('-->', '-- >')}{END}"


def _cells(text: str) -> str:
    try:
        cells = json.loads(text)["cells"]
        return "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    except (ValueError, KeyError, TypeError):
        return ""
