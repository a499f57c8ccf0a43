"""Watch a run and collect at the moment it stalls, before a watchdog kills the evidence.

    python -m diagnostics watch -- python train.py ...     run it under the watch; its exit status is passed on
    python -m diagnostics watch --pid 4242 --log train.log  watch one that runs already

A stall is no step for several usual step times, a thread that waits for a volume and does not move, or steps
that take many times what they took. Each capture is an incident folder in --out, its diagnosis beside it.
Without --log the command's output goes to --out/run.log and from there to standard output.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from ..errors import UsageError
from ._numbers import count, positive


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--pid", type=int, help="watch this process instead of starting one")
    parser.add_argument("--log", metavar="FILE", help="the log that shows its steps")
    parser.add_argument("--out", metavar="FOLDER", help="where captures go (default: a folder in /tmp)")
    parser.add_argument("--checkpoints", action="append", default=[], metavar="FOLDER", help="a folder to list")
    parser.add_argument("--keep", type=count, default=5, help="captures to keep (default 5)")
    parser.add_argument("--factor", type=positive, default=6.0, help="usual step times that make a stall (default 6)")
    parser.add_argument(
        "--least", type=positive, default=5.0, metavar="SECONDS", help="never a stall below (default 5)"
    )
    parser.add_argument(
        "--startup", type=positive, default=300.0, metavar="SECONDS", help="silence before the first steps"
    )
    parser.add_argument("run", nargs=argparse.REMAINDER, metavar="-- COMMAND", help="the command to run")


def run(arguments: argparse.Namespace) -> int:
    from ..mounttable import absolute
    from ..watch import Settings, watch_command, watch_process

    command = arguments.run[1:] if arguments.run[:1] == ["--"] else arguments.run
    if bool(command) == (arguments.pid is not None):
        raise UsageError("name a command after -- or a process with --pid", "one of the two")
    if arguments.pid is not None and not arguments.log:
        raise UsageError("without its log the steps of a running process cannot be seen", "name it with --log FILE")
    folder = arguments.out or f"/tmp/diagnostics-watch-{os.getpid()}"  # TMPDIR may lead onto the volume
    settings = Settings(
        out=Path(absolute(folder)),
        log=arguments.log,
        folders=[absolute(path) for path in arguments.checkpoints],
        keep=arguments.keep,
        factor=arguments.factor,
        least_s=arguments.least,
        startup_s=arguments.startup,
    )
    return watch_command(command, settings) if command else watch_process(arguments.pid, settings)
