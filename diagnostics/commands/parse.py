"""Every piece of evidence in the given files, folders or archives.

With --json one JSON object a line, as documented in docs/reference/facts.md; else one line for people.
"""

from __future__ import annotations

import argparse
import json
import sys

from ..incident import open_incident
from ..printable import visible
from ..report import fact_as_json

TOUCHES = ("paths",)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("paths", nargs="+", metavar="PATH", help="a file, an incident folder, or an archive of one")
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    parser.add_argument("--kind", action="append", metavar="KIND", help="only facts of this kind (may be repeated)")


def run(arguments: argparse.Namespace) -> int:
    incident = open_incident(*arguments.paths)
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
