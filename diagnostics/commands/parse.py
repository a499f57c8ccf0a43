"""List every piece of evidence in the given files, folders or archives.

One line for each: file and line, time, severity, kind, what it is about. With --json one JSON object a line
(schemas/fact.json). The kinds, and the tools that show them, are in docs/reference/facts.md.
"""

from __future__ import annotations

import argparse
import json
import sys
from difflib import get_close_matches

from ..errors import UsageError
from ..evidence import KINDS
from ..incident import open_incident
from ..printable import visible
from ..report import fact_as_json
from ._progress import reading

TOUCHES = ("paths",)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "paths", nargs="+", metavar="PATH", help="a file, an incident folder, or an archive of one; - is standard input"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    parser.add_argument("--kind", action="append", metavar="KIND", help="only facts of this kind (may be repeated)")


def run(arguments: argparse.Namespace) -> int:
    with reading(arguments.paths) as on_progress:
        incident = open_incident(*arguments.paths, on_progress=on_progress)
    if unknown := [kind for kind in arguments.kind or () if kind not in KINDS]:
        near = get_close_matches(unknown[0], KINDS) or sorted({fact.kind for fact in incident.evidence})
        raise UsageError(f"no kind of fact is called {unknown[0]}", f"did you mean one of: {', '.join(near)}")
    for fact in incident.evidence:
        if not arguments.kind or fact.kind in arguments.kind:
            if arguments.json:
                sys.stdout.write(json.dumps(fact_as_json(fact, incident.timeline), ensure_ascii=False) + "\n")
            else:
                at = incident.timeline.at(fact)
                when = f"{at:%F %T}" if at else "-"
                row = f"{fact.source.file}:{fact.source.line}  {when}  {fact.severity:8}  {fact.kind}  {fact.subject}"
                print(visible(row).replace("\n", "␊"))
    return 0
