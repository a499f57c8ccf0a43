"""A write-up as PDF, printed by an installed Chromium that is kept off the network."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from ..errors import DiagnosticsError

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
DEADLINE_S = 60


def browser() -> str | None:
    """The browser that would print: $CHROMIUM, or the first one on the path."""
    return os.environ.get("CHROMIUM") or next((found for name in BROWSERS if (found := shutil.which(name))), None)


def format_pdf(page: str) -> bytes:
    """An HTML page as PDF. Raises DiagnosticsError when there is no browser or it does not print."""
    program = browser()
    if program is None:
        raise DiagnosticsError(
            "PDF needs Chromium or Chrome and none was found", "install one, set CHROMIUM, or write .html and print it"
        )
    with tempfile.TemporaryDirectory(prefix="diagnostics-pdf-", ignore_cleanup_errors=True) as folder:
        source, target = Path(folder, "page.html"), Path(folder, "page.pdf")
        source.write_text(page, encoding="utf-8")
        command = [
            program,
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--disable-background-networking",
            "--host-resolver-rules=MAP * ~NOTFOUND",
            "--no-pdf-header-footer",
            f"--user-data-dir={folder}/profile",
            f"--print-to-pdf={target}",
            source.as_uri(),
        ]
        try:
            done = subprocess.run(command, capture_output=True, timeout=DEADLINE_S, check=False)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise DiagnosticsError(f"{program} did not print: {error}", "write .html and print it") from None
        if not target.exists():
            said = done.stderr.decode(errors="replace").strip().splitlines()[-1:] or ["no word"]
            raise DiagnosticsError(f"{program} did not print: {said[0]}", "write .html and print it")
        return target.read_bytes()
