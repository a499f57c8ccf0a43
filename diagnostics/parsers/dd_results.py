"""`dd`'s closing line: how fast a file was read or written.

    13:05:29 $ timeout 10 dd if=/workspace/local/shards/shard_0002.bin of=/dev/null bs=1M
    8388608 bytes (8.4 MB, 8.0 MiB) copied, 0.00768075 s, 1.1 GB/s

The command above, where it is shown, tells what was read or written. A rate far above the device's comes from the
page cache.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Evidence
from ..evidence.network import Benchmark
from ..footprint import footprint_of
from ..text import Text
from . import Parser
from ._job_lines import messages

RESULT = re.compile(
    r"^(\d{1,18}) bytes (?:\([^)]{1,60}\) )?(?:copied|transferred)(?: in)?,? ?"
    r"(\d{1,9}(?:\.\d{1,12})?(?:e-\d{1,2})?) s(?:ec(?:ond)?s?)?\b"
)
COMMAND = re.compile(r"\bdd (.{0,1500})$")
FILE = re.compile(r"\b(if|of)=([^\s'\"]{1,1000})")
INTERESTING = re.compile(r"\bdd |bytes.{0,80}(?:copied|transferred)")


def read(text: Text) -> Iterator[Evidence]:
    name, path = "dd", None
    for message in messages(text, INTERESTING):
        if found := RESULT.match(message.text):
            size, seconds = int(found[1]), float(found[2])
            if seconds > 0:
                yield Benchmark(**message.facts(text, path=path), name=name, value=size / seconds, unit="bytes/s")
            name, path = "dd", None
        elif found := COMMAND.search(message.text):
            files = {role: path for role, path in FILE.findall(found[1]) if not path.startswith("/dev/")}
            name = "dd write" if "of" in files else "dd read" if "if" in files else "dd"
            path = files.get("of") or files.get("if")


PARSER = Parser(
    tool="dd",
    medium="transcript",
    footprint=footprint_of(RESULT),
    read=read,
)
