r"""Tables of trials, as people write them down while they narrow a fault.

    1 node  x 8 GPU : ok
    3+ nodes x 8 GPU: hang
    nodes=40 layers=40 100B   hang after iteration 1
    GPU 0 RTX 3090 under load      : host off at once

A row is a short condition and an outcome in plain words. Rows whose outcome is none of the known words are skipped, and
so is a file that has only one row: that is a sentence, not a table. A condition has at least two words: one word
before the outcome is a file that some checksum tool judged.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Severity, Source, Subject
from ..evidence.job import Trial
from ..text import Text
from . import Parser

# "2 nodes x 8 GPU : ok or very slow"
ROW = re.compile(
    r"^[ \t]{0,8}(?P<condition>\S[^:\n]{2,60}?)[ \t]{0,40}(?::[ \t]|[ \t]{2})[ \t]{0,40}(?P<text>(?:host |gpu |job |it )?"
    r"(?P<outcome>ok|sometimes|okay|works|pass(?:es|ed)?|fine|baseline|(?:about |~)?\d+(?:\.\d+)?x slower|(?:very |much )?slow"
    r"|hangs?|hung|stuck|dead ?locks?|fail(?:s|ed)?|crash(?:es|ed)?|errors?|(?:loss is |loss )?nan|wrong result|differs|CUDA error|off|powers? off|shuts? down|shutdown|reboots?|restarts?|gone|resets?|lost)\b"
    r"[^\n]{0,120})$",
    re.I,
)
# "nodes=40 ...", "2 nodes", "3+ nodes x 8 GPU"
NODES = re.compile(r"\bnodes?\s?=\s?(\d{1,6})|\b(\d{1,6})\+?\s?(?:nodes?|machines?|hosts?)\b", re.I)
GPU = re.compile(r"\bGPU ?(\d{1,2})\b(?!\s*(?:x|GPU))")
OUTCOMES = (
    ("varies", re.compile(r"\bok(?:ay)? or\b|\bsometimes\b|\bintermittent", re.I)),
    ("slow", re.compile(r"slow", re.I)),
    ("ok", re.compile(r"^(?:ok|okay|works|pass|fine|baseline)", re.I)),
    ("hang", re.compile(r"hang|hung|stuck|lock", re.I)),
    ("off", re.compile(r"^(?:host |gpu |it )?(?:off|powers? off|shut|gone|lost|reset|reboot|restart)", re.I)),
    ("fail", re.compile(r"fail|crash|error|nan|wrong|differs", re.I)),
)
FEWEST_ROWS = 2


def read(text: Text) -> Iterator[Trial]:
    rows = [(line, match) for line in text.lines() if len(line.text) < 240 and (match := ROW.match(line.text))]
    rows = [(line, match) for line, match in rows if " " in match["condition"].strip()]
    if len(rows) < FEWEST_ROWS or 2 * len(rows) < sum(1 for line in text.lines() if line.text.strip()):
        return
    for line, match in rows:
        outcome = outcome_of(match["text"])
        nodes = NODES.search(match["condition"])
        gpu = GPU.search(match["condition"])
        yield Trial(
            source=Source(text.name, line.number, line.quote),
            subject=Subject(gpu=int(gpu[1])) if gpu else Subject(),
            severity=Severity.INFO if outcome == "ok" else Severity.WARNING,
            condition=match["condition"].strip(),
            outcome=outcome,
            text=match["text"].strip(),
            nodes=int(nodes[1] or nodes[2]) if nodes else None,
        )


def outcome_of(text: str) -> str:
    """The kind of outcome that plain words say."""
    return next((name for name, pattern in OUTCOMES if pattern.search(text)), "fail")


# only the outcome's end of a row: looking for the condition before it takes many times as long
FOOTPRINT = "(?i)" + ROW.pattern[ROW.pattern.index("(?::[ ") :].replace(r"[^\n]{0,120})$", ")")
PARSER = Parser(tool="a table of trials", medium="trials", footprint=FOOTPRINT, read=read)
