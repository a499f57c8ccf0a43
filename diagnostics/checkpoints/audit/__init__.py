"""Audit: where else is something written straight onto its final name?

Python by its syntax tree with data flow inside a function, shell by parsed command. A line is excused by
`# audit: allow[rule] because REASON` on it or above it; an excuse without a reason is a finding itself.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path

from ...errors import UnreadableInput
from .python_source import python_hits
from .report import AuditFinding, AuditReport
from .shell_source import shell_hits

Hit = tuple[int, str, str]
LARGEST = 4 << 20  # bytes; no source that people write is larger
SKIPPED = frozenset(
    (
        ".git",
        ".hg",
        ".venv",
        "venv",
        "node_modules",
        "__pycache__",
        ".tox",
        ".mypy_cache",
        "site-packages",
        ".ipynb_checkpoints",
    )
)
SHELL = (".sh", ".bash", ".zsh", ".ksh", ".sbatch", ".slurm", ".pbs", ".lsf", ".qsub")
SHEBANG = re.compile(rb"#!\s*\S*?(?:env\s+(?:-S\s+)?)?(?:\S*/)?(python|bash|sh|zsh|ksh|dash)[\d.]*\b")
ALLOW = re.compile(r"#\s*audit:\s*allow\[([\w, -]+)\]\s*(.*)")
REASON = re.compile(r"(?:because|since|as|:|-)?\s*(.{4,})")

__all__ = ["AuditFinding", "AuditReport", "audit"]


def audit(*paths: str | os.PathLike[str]) -> AuditReport:
    """Read every Python file, shell script and notebook below the paths. Nothing is run or imported.

    Raises UnreadableInput when a path does not exist.
    """
    findings: list[AuditFinding] = []
    unread: list[tuple[str, str]] = []
    count = 0
    for path in _sources([Path(each) for each in paths], unread):
        try:
            language, source = _read(path)
            if not language:
                continue
            found = list(audit_source(str(path), language, source))
        except (SyntaxError, ValueError, RecursionError, MemoryError, OSError) as error:
            unread.append((str(path), f"{type(error).__name__}: {str(error)[:120]}"))
            continue
        count += 1
        findings += found
    return AuditReport(tuple(sorted(findings)), count, tuple(unread))


def audit_source(file: str, language: str, source: str) -> Iterator[AuditFinding]:
    """The findings of one text; `language` is python, shell or notebook."""
    if language == "notebook":
        source = _cells(source)
    lines = source.splitlines()
    hits = list(shell_hits(source, about=Path(file).stem) if language == "shell" else python_hits(source))
    for line, slug, about in hits:
        yield AuditFinding(file, line, slug, about, _quote(lines, line), _excuse(lines, line, slug))
    for number, text in enumerate(lines, start=1):
        if (found := ALLOW.search(text)) and not _reason(found[2]):
            yield AuditFinding(file, number, "suppression-without-reason", found[1], text.strip()[:200])


def _sources(paths: list[Path], unread: list[tuple[str, str]]) -> Iterator[Path]:
    """The files at or below the paths; a folder that cannot be listed is noted as unread."""

    def note(error: OSError) -> None:
        unread.append((str(error.filename), f"{type(error).__name__}: {error.strerror}"))

    for path in paths:
        if not os.path.lexists(path):
            raise UnreadableInput(f"{path} does not exist", "name a file or directory of code")
        if path.is_dir():
            for top, folders, names in os.walk(path, onerror=note):
                folders[:] = sorted(each for each in folders if each not in SKIPPED)
                yield from (Path(top) / each for each in sorted(names))
        elif path.is_file():
            yield path
        else:
            raise UnreadableInput(f"{path} is neither a file nor a directory", "name a file or directory of code")


def _read(path: Path) -> tuple[str, str]:
    """The language and text of a file; no language for what is neither Python nor shell."""
    if path.is_symlink() or not path.is_file():
        return "", ""
    known = path.suffix in (".py", ".pyw", ".ipynb", *SHELL)
    with path.open("rb") as file:
        head = file.read(128)
        if not known and not head.startswith(b"#!"):
            return "", ""
        content = head + file.read(LARGEST)
    if len(content) > LARGEST:
        raise ValueError("larger than any source that people write")
    return _language(path, head), content.decode("utf-8-sig", "replace")


def _language(path: Path, head: bytes) -> str:
    if path.suffix == ".ipynb":
        return "notebook"
    if path.suffix in (".py", ".pyw"):
        return "python"
    if path.suffix in SHELL:
        return "shell"
    found = SHEBANG.match(head)
    return "" if not found else "python" if found[1] == b"python" else "shell"


def _cells(source: str) -> str:
    """A notebook's code, one cell after another; `!command` and `%magic` lines become comments."""
    cells = json.loads(source).get("cells", [])
    code = ["".join(cell.get("source", [])) for cell in cells if cell.get("cell_type") == "code"]
    return "\n".join(re.sub(r"(?m)^(\s*)([!%].*)$", r"\1pass  # \2", each) for each in code)


def _excuse(lines: list[str], line: int, slug: str) -> str:
    for number in (line, line - 1):
        text = lines[number - 1] if 0 < number <= len(lines) else ""
        found = ALLOW.search(text)
        if found and (number == line or text.lstrip().startswith("#")):
            allowed = {each.strip() for each in found[1].split(",")}
            if slug in allowed or "all" in allowed:
                return _reason(found[2])
    return ""


def _reason(text: str) -> str:
    found = REASON.fullmatch(text.strip())
    return found[1].strip() if found else ""


def _quote(lines: list[str], line: int) -> str:
    return lines[line - 1].strip()[:200] if 0 < line <= len(lines) else ""
