"""collection.jsonl of `python -m diagnostics collect`: what each collector got, or why it got nothing.

    {"collector": "kernel_log", "state": "refused", "reason": "dmesg: read kernel buffer failed: ...", "file": null,
     "elapsed_s": 0.013}

(on one line). Only what was refused or silent is a fact: what was read speaks for itself.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from ..evidence import Severity, Source
from ..evidence.probe import CollectionGap
from ..text import Text
from . import Parser


def read(text: Text) -> Iterator[CollectionGap]:
    for line in text.lines():
        if not line.text.startswith('{"collector": "'):
            continue
        try:
            row = json.loads(line.text)
            if row["state"] in ("refused", "silent"):
                yield CollectionGap(
                    source=Source(text.name, line.number, line.quote),
                    severity=Severity.WARNING if row["state"] == "silent" else Severity.INFO,
                    collector=str(row["collector"]),
                    state=str(row["state"]),
                    reason=str(row["reason"]),
                    elapsed_s=float(row["elapsed_s"]),
                )
        except (ValueError, KeyError, TypeError, RecursionError):
            continue


PARSER = Parser(
    tool="diagnostics collect", medium="collection", footprint=r'^\{"collector": "\w+", "state": "', read=read
)
