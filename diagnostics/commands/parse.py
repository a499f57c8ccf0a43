"""Every piece of evidence in the given files, folders or archives.

With --json one JSON object a line, as documented in docs/reference/json.md; else one line for people.
"""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from ..evidence import Evidence
from ..incident import open_incident
from ..timeline import Timeline

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
                print(f"{fact.source.file}:{fact.source.line}  {when}  {fact.severity:8}  {fact.kind}  {fact.subject}")
    return 0


def fact_as_json(fact: Evidence, timeline: Timeline) -> dict[str, Any]:
    """One fact in the published form (schemas/fact.json)."""
    at = timeline.at(fact)
    return {
        "kind": fact.kind,
        "at": at.isoformat() if at else None,
        "clock": fact.stamp.clock.value if fact.stamp else None,
        "subject": fact.subject.known(),
        "severity": fact.severity.value,
        "file": fact.source.file,
        "line": fact.source.line,
        "quote": fact.source.quote,
        **fact.fields(),
    }
