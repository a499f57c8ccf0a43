"""Ask a volume live: does it answer, read, write, and keep what it was given.

Every question is asked in a child under a deadline, so a dead volume costs seconds and never hangs this
command. Probe files lie in one marked folder, which is removed at the end, on Ctrl-C, or by the next run;
no existing file is opened for writing. The answers (`--out probe.jsonl`) are evidence for `diagnose`.
"""

from __future__ import annotations

import argparse
import signal
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import DiagnosticsError, UsageError
from ._numbers import positive
from ._sizes import size

MIB = 1 << 20

if TYPE_CHECKING:
    from ..probes import ProbeProgress, ProbeReport


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("mounts", nargs="*", metavar="MOUNT", help="a mounted volume, or a folder on one")
    parser.add_argument("--only", action="append", default=[], metavar="PROBE", help="this probe (may be repeated)")
    parser.add_argument("--size", type=size, default="256MiB", help="what the write ladder climbs to (default 256MiB)")
    parser.add_argument("--budget", type=size, default="10GiB", help="most bytes written on one volume (default 10GiB)")
    parser.add_argument("--reserve", type=size, help="bytes that stay free (default 5 %% of the volume, at most 10GiB)")
    parser.add_argument(
        "--deadline", type=positive, default=120.0, metavar="SECONDS", help="for one volume (default 120)"
    )
    parser.add_argument("--control", default="", metavar="FOLDER", help="local folder to compare with ('none': do not)")
    parser.add_argument("--dry-run", action="store_true", help="say what would be asked and written, and ask nothing")
    parser.add_argument("--who", action="store_true", help="who is stuck on the volume; nothing is asked of it")
    parser.add_argument("--json", action="store_true", help="one JSON object for each answer")
    parser.add_argument("--out", metavar="FILE", help="also write the answers there, for `diagnose`")
    parser.add_argument("--list", action="store_true", help="the probes there are")


def run(arguments: argparse.Namespace) -> int:
    from ..localpath import local
    from ..probes import all_probes, run_probes

    if arguments.list:
        for name, probe in all_probes().items():
            print(f"{name:18} {probe.title}")
        return 0
    if not arguments.mounts:
        raise UsageError("no volume was named", "name one, such as `probe /workspace`")
    if arguments.who:
        return _who(arguments)
    out = Path(local(arguments.out)) if arguments.out else None
    if out:
        out.touch()  # before two minutes of questions are asked in vain
    cancel = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: cancel.set())
    show = _Line() if not arguments.json and sys.stderr.isatty() else None
    report = run_probes(
        arguments.mounts, only=arguments.only, size=arguments.size, budget=arguments.budget,
        deadline_s=arguments.deadline, reserve=arguments.reserve,
        control=None if arguments.control == "none" else arguments.control,
        on_progress=show, cancel=cancel, dry_run=arguments.dry_run,
    )  # fmt: skip
    if show:
        show.clear()
    _print(report, arguments)
    if out:
        try:
            out.write_text(report.json_lines(), encoding="utf-8")
        except OSError as error:
            raise DiagnosticsError(f"{out} cannot be written: {error.strerror}", "name another file") from error
    return 130 if report.cancelled else 0


def _print(report: ProbeReport, arguments: argparse.Namespace) -> None:
    from ..printable import visible

    if arguments.dry_run:
        for folder, name, written in report.planned:
            print(visible(f"would ask {name} of {folder}") + (f", writing {written / MIB:,.1f} MiB" if written else ""))
        most = sum(row[2] for row in report.planned) / MIB
        print(f"would write {most:,.1f} MiB in all, and remove them again")
    elif arguments.json:
        sys.stdout.write(report.json_lines())
    else:
        print(visible(str(report)))


def _who(arguments: argparse.Namespace) -> int:
    from ..printable import visible
    from ..stuck import format_stuck, who_waits

    waiting = [row for mount in arguments.mounts for row in who_waits(mount)]
    for row in waiting:
        print(row.as_json() if arguments.json else visible(format_stuck(row)))
    if not waiting and not arguments.json:
        print("no thread that this user may look at waits for it")
    return 0


class _Line:
    """One line on the terminal: what is being asked, how far it is, how long it may take."""

    def __call__(self, progress: ProbeProgress) -> None:
        from ..printable import visible

        left = f", about {progress.remaining_s:.0f} s left" if progress.remaining_s else ""
        text = f"[{progress.done}/{progress.total}] {progress.probe} {progress.mount} {progress.doing}{left}"
        sys.stderr.write(f"\r\x1b[2K{visible(text)[:100]}")
        sys.stderr.flush()

    def clear(self) -> None:
        sys.stderr.write("\r\x1b[2K")
