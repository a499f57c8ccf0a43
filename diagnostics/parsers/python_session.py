"""Sizes that somebody counted in a Python session: of the tensors in a checkpoint, of what lies behind them, of its file.

    >>> sd = torch.load('layer_03.pt', map_location='cpu')
    >>> sum(v.numel() * v.element_size() for v in sd.values()) / 2**20
    300.1
    >>> sd['weight'].untyped_storage().nbytes()
    3111519436

Python's prompt or IPython's; the answer is a bare number, taken times what the expression divides by. Tensors count
where they are summed over all that was loaded; a sum over one entry of it, other expressions and other answers are
skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Source, Subject
from ..evidence.storage import TensorBytes
from ..text import Text
from . import Parser

PROMPT = re.compile(r"^(?:>>>|In \[\d{1,6}\]:) (.{1,2000})$")
ANSWER = re.compile(r"^(?:Out\[\d{1,6}\]: )?(\d[\d_,]{0,20}(?:\.\d{1,12})?(?:e[+-]?\d{1,3})?)\s*$")
# torch.load('layer_03.pt'      load_file("model.safetensors")      safe_open('x', ...)      os.path.getsize('x')
OPENED = re.compile(r"\b(?:load|load_file|safe_open|getsize|Path|stat)\(\s?[rf]?['\"]([^'\"]{1,300})['\"]")
STORAGE = re.compile(r"storage\(\)\)?\.(?:size|nbytes|__len__)|len\([^)]{1,80}storage\(\)\)|storage\(\)\.data_ptr")
TENSORS = re.compile(r"\bsum\(.{0,200}(?:\.numel\(\)|\.nelement\(\)|\.nbytes\b)")
# sd = torch.load('layer_03.pt', map_location='cpu')
LOADED = re.compile(r"^(\w{1,60}) = (?:\w{1,40}\.){0,4}(?:load|load_file)\([^\[\]]{1,400}\)$")
OVER = re.compile(r"\bfor [\w, ]{1,60} in (\w{1,60})\.(?:values|items)\(\)")
FILE = re.compile(r"\bgetsize\(|\.st_size\b")
# / 2**20      / 1024**3      // (1024 * 1024)      / 1e9      / (1 << 30)
DIVIDED = re.compile(
    r"//? ?\(?(?:(?P<base>2|10|1000|1024) ?\*\* ?(?P<power>\d{1,2})|1 ?<< ?(?P<shift>\d{1,2})|1e(?P<ten>\d{1,2})"
    r"|(?P<plain>1024|1000)(?P<again>(?: ?[*/] ?(?:1024|1000)){0,3}))\b"
)


def read(text: Text) -> Iterator[TensorBytes]:
    path: str | None = None
    asked: str | None = None
    loaded: set[str] = set()
    for line in text.lines():
        row = line.text[:2100].rstrip()
        if said := PROMPT.match(row):
            asked = said[1]
            if assigned := LOADED.match(asked):
                loaded.add(assigned[1])
            path = opened[1] if (opened := OPENED.search(asked)) else path
        elif asked and (answer := ANSWER.match(row)):
            what = counted(asked)
            over = OVER.search(asked)
            if what and (what != "tensors" or (over and over[1] in loaded)):
                number = float(answer[1].replace("_", "").replace(",", ""))
                yield TensorBytes(
                    source=Source(text.name, line.number, line.quote),
                    subject=Subject(path=path),
                    what=what,
                    size=round(min(number * divisor(asked), 1e18)),
                )
            asked = None
        elif row:
            asked = None


def counted(expression: str) -> str | None:
    """What an expression counts the bytes of."""
    kinds = (("storage", STORAGE), ("tensors", TENSORS), ("file", FILE))
    return next((what for what, pattern in kinds if pattern.search(expression)), None)


def divisor(expression: str) -> float:
    """What the answer has to be taken times to be in bytes."""
    found = DIVIDED.search(expression)
    if not found:
        return 1.0
    if found["base"]:
        return float(found["base"]) ** min(int(found["power"]), 40)
    if found["shift"] or found["ten"]:
        return 2.0 ** int(found["shift"]) if found["shift"] else 10.0 ** min(int(found["ten"]), 15)
    return float(found["plain"]) ** (1 + len(re.findall(r"10\d\d", found["again"])))


PARSER = Parser(
    tool="a Python session",
    medium="notes",
    footprint=r"^(?:>>>|In \[\d{1,6}\]:) .{0,2000}(?:numel\(\)|nelement\(\)|\.nbytes|storage\(\)|getsize\(|st_size)",
    read=read,
)
