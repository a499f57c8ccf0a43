"""Find the one root cause behind an incident, or say that the evidence does not decide.

PATH is an incident folder, a .tar(.gz|.zst) or .zip of one, or single files: dmesg, py-spy dumps, watchdog
and training logs, ps, /proc files, mounts, df, nvidia-smi, md5sum results ... in any mixture. What each file is
is told by its content. Control characters in logs are shown, never sent to the terminal.
"""

from __future__ import annotations

import argparse
import json
import sys

from ..diagnosis import Diagnosis, diagnose
from ..errors import DiagnosticsError
from ..explanation import explain, format_brief, format_explanation
from ..incident import open_incident
from ..printable import visible
from ..report import diagnosis_as_json
from ._progress import reading

TOUCHES = ("paths",)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "paths", nargs="+", metavar="PATH", help="an incident folder, an archive of one, or files; - is standard input"
    )
    parser.add_argument(
        "--probe", action="store_true", help="ask the suspect volumes of this machine, then judge again"
    )
    form = parser.add_mutually_exclusive_group()
    form.add_argument(
        "--brief", action="store_true", help="about one screen: the verdict, its best signs, what to do now; no whys"
    )
    form.add_argument("--json", action="store_true", help="the diagnosis as JSON (schemas/diagnosis.json)")


def run(arguments: argparse.Namespace) -> int:
    with reading(arguments.paths) as on_progress:
        incident = open_incident(*arguments.paths, on_progress=on_progress)
    diagnosis = diagnose(incident)
    if arguments.probe:
        diagnosis = _probed(diagnosis, arguments)
    _write(diagnosis, arguments)
    return 0


def _probed(diagnosis: Diagnosis, arguments: argparse.Namespace) -> Diagnosis:
    """The diagnosis made again with what the volumes answered; where none can be asked the first one is written."""
    from ..loop import probe_and_diagnose

    try:
        moved = probe_and_diagnose(diagnosis)
    except DiagnosticsError:
        _write(diagnosis, arguments)
        sys.stdout.flush()  # the error comes after it
        raise
    print(visible(f"{moved.report}\n\n{moved}\n"), file=sys.stderr if arguments.json else sys.stdout)
    return moved.after


def _write(diagnosis: Diagnosis, arguments: argparse.Namespace) -> None:
    if arguments.json:
        json.dump(diagnosis_as_json(diagnosis), sys.stdout, indent=1, ensure_ascii=False)
        sys.stdout.write("\n")
    else:
        form = format_brief if arguments.brief else format_explanation
        sys.stdout.write(visible(f"{diagnosis.headline}\n\n{form(explain(diagnosis))}"))
