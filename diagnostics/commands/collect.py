"""Collect what this pod can tell about a run, as an incident folder.

Every source is asked in a child under a deadline, so a dead volume delays nothing but itself; what was
refused or silent is named. Secrets are masked. Works without root, and sees more with it.
"""

from __future__ import annotations

import argparse
import signal
import sys
from pathlib import Path

from ..errors import UsageError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("out", metavar="OUT", help="a new folder on a local disk")
    parser.add_argument(
        "--pid", type=int, action="append", default=[], help="the trainer (default: every Python process)"
    )
    parser.add_argument("--log", action="append", default=[], metavar="FILE", help="a log to keep the end of")
    parser.add_argument("--checkpoints", action="append", default=[], metavar="FOLDER", help="a folder to list")
    parser.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="COLLECTOR",
        help="only this one, such as python_stacks (may be repeated)",
    )
    parser.add_argument("--no-probe", action="store_true", help="ask the network volumes nothing")


def run(arguments: argparse.Namespace) -> int:
    from ..collect import collect
    from ..collectors import Scope
    from ..mounttable import absolute
    from ..printable import visible

    if gone := [pid for pid in arguments.pid if not Path("/proc", str(pid)).exists()]:
        raise UsageError(f"no process {gone[0]} runs here", "name a living one, or leave --pid out to look at all")
    scope = Scope(
        pids=arguments.pid,
        logs=[absolute(path) for path in arguments.log],
        folders=[absolute(path) for path in arguments.checkpoints],
        ask_volumes=not arguments.no_probe,
    )
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: scope.cancel.set())
    shown = sys.stderr.isatty()

    def show(done: int, total: int, name: str) -> None:
        if shown:
            sys.stderr.write(f"\r\x1b[2K[{done}/{total}] {name}")

    collection = collect(arguments.out, scope, only=arguments.only, on_progress=show)
    if shown:
        sys.stderr.write("\r\x1b[2K")
    print(visible(str(collection)))
    print(f"next: python -m diagnostics diagnose {collection.folder}")
    return 0
