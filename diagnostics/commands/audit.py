"""Find code that writes straight onto a final name, and what lives on network volumes.

    python -m diagnostics audit train/ scripts/mirror.sh
    python -m diagnostics audit . --sarif > audit.sarif
    python -m diagnostics audit config.yaml --hot-path
    python -m diagnostics audit config.yaml --hot-path --mounts pod/mountinfo

Exit 0: nothing to do; 1: findings (or a path that cannot be read). Excuse a line with
`# audit: allow[rule] because REASON`.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from ..errors import NotWhole, UnreadableInput

TOUCHES = ("path", "local", "mounts")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", nargs="+", help="Python files, shell scripts, notebooks, or directories of them")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print one JSON object")
    form.add_argument("--sarif", action="store_true", help="print SARIF 2.1.0, for code scanning")
    parser.add_argument("--hot-path", action="store_true", help="list what a configuration keeps on network volumes")
    parser.add_argument(
        "--mounts", metavar="FILE", help="/proc/self/mountinfo of the machine that runs it, for --hot-path [this one's]"
    )
    parser.add_argument("--local", default="/", metavar="DIR", help="where local disk is, for --hot-path [/]")


def run(arguments: argparse.Namespace) -> int:
    if arguments.hot_path:
        return _hot_path(arguments)
    from ..checkpoints.audit import audit

    report = audit(*arguments.path)
    if arguments.json:
        print(json.dumps(report.as_json(), indent=2))
    elif arguments.sarif:
        print(json.dumps(report.as_sarif(), indent=2))
    else:
        print(report)
    if report.failing:
        raise NotWhole(
            f"{len(report.failing)} finding{'s' if len(report.failing) > 1 else ''}",
            "mend them, or excuse each with `# audit: allow[rule] because REASON`",
        )
    return 0


def _hot_path(arguments: argparse.Namespace) -> int:
    from ..checkpoints.audit.hot_path import hot_path

    mounts = _text(arguments.mounts) if arguments.mounts else None
    found = hot_path(*arguments.path, mounts=mounts, local=arguments.local)
    print(json.dumps(found.as_json(), indent=2) if arguments.json else found)
    return 0


def _text(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8", errors="surrogateescape")
    except OSError as error:
        raise UnreadableInput(f"{path} cannot be read: {error.strerror}", "copy /proc/self/mountinfo") from None
