"""`python -m diagnostics probe --out probe.jsonl`: one answer of a live probe a line.

    {"probe": "read-data", "mount": "/workspace", "path": "/workspace/data/shard2.bin", "server": "10.0.0.1:9421",
     "device": "mfs#10.0.0.1:9421", "outcome": "silent", "elapsed_s": 10.0, "error": null,
     "text": "no answer in 10 s, in read", "at": "2026-11-29T12:52:10.500+00:00", "values": {}, "control": {}}

(on one line). A line that is torn or of another making is skipped.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from ..evidence import Source
from ..evidence.probe import ProbeAnswer
from ..probes import answer_from_json
from ..text import Text
from . import Parser


def read(text: Text) -> Iterator[ProbeAnswer]:
    for line in text.lines():
        if not line.text.startswith('{"probe": "'):
            continue
        try:
            yield answer_from_json(json.loads(line.text), Source(text.name, line.number, line.quote))
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            continue


PARSER = Parser(tool="diagnostics probe", medium="probe", footprint=r'^\{"probe": "[\w-]+", ', read=read)
