"""Every command in the documentation runs, every link resolves, every page is reachable."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from diagnostics.cli import command_summaries

ROOT = Path(__file__).parents[1]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), *(ROOT / "sample_logs").rglob("*.md")])
BLOCK = re.compile(r"^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?:)([^)#\s]+)")


def commands() -> list[tuple[str, str]]:
    """Each line of each ```sh block that calls this package, with its page."""
    found = []
    for page in PAGES:
        for block in BLOCK.findall(page.read_text()):
            for line in block.replace("\\\n", " ").splitlines():
                command = line.split("  #")[0].strip()
                if "-m diagnostics" in command:
                    found.append((page.relative_to(ROOT).as_posix(), command))
    return found


@pytest.mark.parametrize(("page", "command"), commands())
def test_documented_commands_run(page: str, command: str, tmp_path: Path) -> None:
    """Commands on shipped files run as they stand; those on a person's own pod are checked as far as their arguments."""
    words = shlex.split(command)
    at = words.index("diagnostics")
    arguments = words[at + 1 :]
    assert arguments[0] in command_summaries() or arguments[0].startswith("-"), f"{page}: no such command"
    shipped = all(
        (ROOT / word).exists() for word in arguments if word.startswith(("sample_logs", "notebooks", "diagnostics"))
    )
    runs = shipped and arguments[0] in ("diagnose", "parse", "postmortem", "audit") and "sample_logs" in command
    if not runs:
        arguments = [arguments[0], "--help"] if not arguments[0].startswith("-") else arguments
    for place, word in enumerate(arguments):
        if place and arguments[place - 1] in ("-o", "--output"):
            arguments[place] = str(tmp_path / Path(word).name)
    ran = subprocess.run([sys.executable, "-m", "diagnostics", *arguments], cwd=ROOT, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    options = {word.split("=")[0] for word in words[at + 2 :] if word.startswith("--") and word != "--"}
    if not runs and options:
        missing = {option for option in options if option not in ran.stdout} if "watch" not in arguments else set()
        assert not missing, f"{page}: {command}: unknown options {missing}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_resolve(page: Path) -> None:
    broken = [target for target in LINK.findall(page.read_text()) if not (page.parent / target).exists()]
    assert not broken
