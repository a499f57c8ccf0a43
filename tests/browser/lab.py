"""A JupyterLab of its own, and a page in it, as a person would have them."""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
SHOTS = ROOT / ".artifacts" / "notebooks"
BROWSER = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-dev-shm-usage",
]
START_S = 90
TO_TOP = "() => { document.querySelector('.jp-WindowedPanel-outer').scrollTop = 0 }"
BOTTOM = """() => {
    const panel = document.querySelector('.jp-WindowedPanel-outer');
    const cells = panel.querySelectorAll('.jp-Cell');
    const last = cells[cells.length - 1].getBoundingClientRect().bottom;
    return last - panel.getBoundingClientRect().top + panel.scrollTop;
}"""
SETTINGS = {
    "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
    # every cell is in the page, also those out of sight
    "notebook-extension/tracker": {"windowingMode": "none"},
}


@contextmanager
def jupyterlab(folder: Path) -> Iterator[tuple[str, str]]:
    """A running JupyterLab on copies of the notebooks and samples: its address and token."""
    work = folder / "work"
    for name in ("notebooks", "sample_logs"):
        shutil.copytree(ROOT / name, work / name)
    for name, settings in SETTINGS.items():
        file = folder / "settings" / "@jupyterlab" / f"{name}.jupyterlab-settings"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(settings))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    token = secrets.token_hex(8)
    places = {f"JUPYTER_{name}_DIR": str(folder / name.lower()) for name in ("CONFIG", "DATA", "RUNTIME")}
    labs = {f"JUPYTERLAB_{name}_DIR": str(folder / name.lower()) for name in ("WORKSPACES", "SETTINGS")}
    command = [
        *(sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--ip=127.0.0.1", f"--port={port}"),
        *("--ServerApp.port_retries=0", f"--IdentityProvider.token={token}", f"--ServerApp.root_dir={work}"),
        *("--LabApp.extension_manager=readonly", "--LabApp.expose_app_in_browser=True"),
    ]
    environment = {**os.environ, **places, **labs, "PYTHONPATH": str(ROOT)}
    with (folder / "lab.log").open("w") as log:
        process = subprocess.Popen(command, env=environment, stdout=log, stderr=subprocess.STDOUT, cwd=work)
        try:
            address = f"http://127.0.0.1:{port}"
            wait_for_server(process, f"{address}/api/status?token={token}", folder / "lab.log")
            yield address, token
        finally:
            process.terminate()
            try:
                process.wait(15)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait(15)


def wait_for_server(process: subprocess.Popen[bytes], address: str, log: Path) -> None:
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline:
        assert process.poll() is None, log.read_text()[-2000:]
        try:
            urllib.request.urlopen(address, timeout=2).close()
            return
        except OSError:
            process_is_starting(process)
    raise AssertionError(f"JupyterLab did not answer within {START_S} s:\n{log.read_text()[-2000:]}")


def process_is_starting(process: subprocess.Popen[bytes]) -> None:
    """Give the server a moment, or notice its end."""
    try:
        process.wait(0.2)
    except subprocess.TimeoutExpired:
        return


class Lab:
    """One browser page on one JupyterLab. `offsite` are requests that left this machine, `errors` those of widgets."""

    def __init__(self, page: Any, address: str, token: str) -> None:
        self.page, self.address, self.token = page, address, token
        self.offsite: list[str] = []
        self.errors: list[str] = []
        page.route("**/*", self._guard)
        page.on("pageerror", lambda error: self._script_failed(f"{error}\n{error.stack}"))
        page.on("console", lambda message: self._script_failed(message.text) if message.type == "error" else None)

    def _guard(self, route: Any) -> None:
        if route.request.url.startswith((self.address, self.address.replace("http", "ws"), "data:", "blob:", "about:")):
            route.continue_()
        else:
            self.offsite.append(route.request.url)
            route.abort()

    def _script_failed(self, told: str) -> None:
        """Note an error that went through widgets; JupyterLab's own, which no panel can cause or cure, is printed."""
        if "/lab/extensions/" in told:
            self.errors.append(told[:2000])
        else:
            print(f"JupyterLab itself: {told[:2000]}")

    def open(self, notebook: str) -> None:
        """Open a notebook and wait for its kernel: what is clicked before that is lost."""
        self.page.goto(f"{self.address}/lab/tree/notebooks/{notebook}.ipynb?token={self.token}&reset")
        self.page.wait_for_selector(".jp-Notebook .jp-Cell", timeout=90_000)
        self.idle()

    def idle(self) -> None:
        """Wait until the kernel has nothing to do."""
        busy = "[...document.querySelectorAll('.jp-InputPrompt')].some(e => e.textContent.includes('*'))"
        self.page.wait_for_function(f"() => !{busy}", timeout=180_000)
        self.page.locator("#jp-main-statusbar", has_text=re.compile(r"\| Idle")).wait_for(timeout=90_000)

    def run_all(self) -> None:
        """Run > Run All Cells, as in the menu."""
        self.page.locator(".lm-MenuBar-itemLabel", has_text=re.compile("^Run$")).click()
        self.page.locator(".lm-Menu-itemLabel", has_text=re.compile("^Run All Cells$")).click()
        self.idle()

    def theme(self, name: str) -> None:
        """Switch to "JupyterLab Light" or "JupyterLab Dark"."""
        self.page.evaluate(f"() => window.jupyterapp.commands.execute('apputils:change-theme', {{theme: '{name}'}})")
        light = "true" if "Light" in name else "false"
        self.page.wait_for_selector(f"body[data-jp-theme-light='{light}']", state="attached", timeout=30_000)

    def shoot(self, name: str) -> None:
        """The whole notebook, 1280 pixels wide, in both themes."""
        SHOTS.mkdir(parents=True, exist_ok=True)
        for theme in ("Light", "Dark"):
            self.theme(f"JupyterLab {theme}")
            height = self.page.evaluate(BOTTOM)
            self.page.set_viewport_size({"width": 1280, "height": min(int(height) + 160, 14_000)})
            self.page.evaluate(TO_TOP)
            self.page.screenshot(path=str(SHOTS / f"{name}-{theme.lower()}.png"))
        self.page.set_viewport_size({"width": 1280, "height": 1600})
        self.theme("JupyterLab Light")

    def errors_shown(self) -> list[str]:
        """The error outputs in the notebook."""
        found = self.page.locator(".jp-OutputArea-output[data-mime-type='application/vnd.jupyter.error']")
        return [str(text) for text in found.all_inner_texts()]
