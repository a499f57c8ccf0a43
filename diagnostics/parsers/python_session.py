"""Sizes that somebody counted in a Python session: of the tensors in a checkpoint, of what lies behind them, of its
file. And numbers of a file that were printed there, which show that it opens.

    >>> sd = torch.load('layer_03.pt', map_location='cpu')
    >>> sum(v.numel() * v.element_size() for v in sd.values()) / 2**20
    300.1
    >>> sd['weight'].untyped_storage().nbytes()
    3111519436

    model-00003-of-00003.bin
      sum(t.numel() * t.element_size())      7181990400
      storage bytes: 27168276480

    w = torch.load("layer_07.pt")["w"]; w.numel()*4 = 1.2 GB, w.untyped_storage().nbytes() = 19.5 GB

    >>> part = torch.load("ckpt/layer_07.pt")
    >>> part["mlp.weight"][:3]
    tensor([ 1.2e-02, -4.0e-03,  7.7e-03])

Python's prompt or IPython's, or what a script printed below the name of the file, each count after what it is of; the
answer is a bare number, taken times what the expression divides by. On one row, an expression for the elements of a
tensor and one for the memory behind it, each with its size. Tensors count where they are summed over all that was
loaded; a sum over one entry of it, other expressions and other answers are skipped.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from ..evidence import Source, Subject
from ..evidence.storage import TensorBytes, TensorValues
from ..footprint import unnamed
from ..text import Line, Text
from . import Parser

_PROMPT = r"^(?:>>>|In \[\d{1,6}\]:) "
_OUT = r"^(?:Out\[\d{1,6}\]: )?"
PROMPT = re.compile(_PROMPT + r"(.{1,2000})$")
ANSWER = re.compile(_OUT + r"(\d[\d_,]{0,20}(?:\.\d{1,12})?(?:e[+-]?\d{1,3})?)\s*$")
# torch.load('layer_03.pt'      load_file("model.safetensors")      safe_open('x', ...)      os.path.getsize('x')
OPENED = re.compile(r"\b(?:\w{0,20}load(?:_\w{1,20})?|safe_open|getsize|Path|stat)\(\s?[rf]?['\"]([^'\"]{1,300})['\"]")
# model-00003-of-00003.bin      ckpt/last.pt:
FILE_NAME = re.compile(
    r"^\s{0,4}(?:file(?:name)?[:=] ?)?(\S{1,300}\.(?:bin|pth?|ckpt|safetensors|distcp|tar))\s?:?\s*$"
)
# sum(t.numel()*t.element_size())          7181990400      bytes of tensors: 7.2 GB      file size = 27168276480
PRINTED = re.compile(
    r"^\s{0,8}(?P<of>[A-Za-z][^\n]{3,200}?)(?:[ \t]{2,60}|[ \t]?[:=][ \t]{0,40})"
    r"(?P<number>\d[\d_,]{0,20}(?:\.\d{1,6})?) ?(?P<unit>[KMGT]i?B|bytes|B)?\s*$"
)
IN_WORDS = (
    (
        "storage",
        re.compile(r"storage\b.{0,40}(?:bytes|size)|bytes? (?:of|in|behind) (?:the )?(?:unique )?storages?", re.I),
    ),
    (
        "tensors",
        re.compile(
            r"\b(?:tensors?|param(?:eter)?s?|weights|elements)\b.{0,20}\bbytes\b"
            r"|\bbytes (?:of|in) (?:all )?(?:the )?(?:tensors|param(?:eter)?s|weights|elements)",
            re.I,
        ),
    ),
    ("file", re.compile(r"\bfile ?_?size\b|\bsize (?:on|of) (?:the )?(?:disk|file)\b|\bbytes on disk\b", re.I)),
)
UNITS = {"K": 1, "M": 2, "G": 3, "T": 4}
STORAGE = re.compile(r"storage\(\)\)?\.(?:size|nbytes|__len__)|len\([^)]{1,80}storage\(\)\)|storage\(\)\.data_ptr")
# (196608, 2516582400)      t.numel()*4, t.storage().size()*4
PAIR = re.compile(_OUT + r"\((\d{1,15}), (\d{1,15})\)\s*$")
# [2617245696, 2617245696]: of each tensor, in elements or bytes
LISTED = re.compile(_OUT + r"\[(\d{1,15})(?:, \d{1,15}){0,50}\]\s*$")
# (torch.Size([100, 100]), torch.float64)
SHAPE = re.compile(
    _OUT + r"\(torch\.Size\(\[(\d{1,18}(?:, ?\d{1,18}){0,9})\]\), torch\."
    r"(float64|float32|float16|bfloat16|int64|int32|uint8)\)\s*$"
)
SHAPE_ASKED = re.compile(r"\.shape\b.*\.dtype\b|\.dtype\b.*\.shape\b")
BYTES_OF = {"float64": 8, "float32": 4, "float16": 2, "bfloat16": 2, "int64": 8, "int32": 4, "uint8": 1}
# layer_04: sum(numel*2) = 1.08 GiB, sum(storage().nbytes) = 9.81 GiB
IN_ONE_ROW = re.compile(
    r"^\s{0,8}(?P<path>[\w./-]{1,200}): [^=\n]{0,60}numel[^=\n]{0,30}= ?(?P<tensors>\d{1,9}(?:\.\d{1,4})?) ?"
    r"(?P<of_tensors>[KMGT])i?B, [^=\n]{0,60}storage[^=\n]{0,40}= ?(?P<storage>\d{1,9}(?:\.\d{1,4})?) ?"
    r"(?P<of_storage>[KMGT])i?B\s*$"
)
# t.nelement()*4 = 9.6 GB; t.storage().nbytes() = 61.0 GB
EQUATION = re.compile(
    r"(?P<of>(?<![\w.])\w{1,60}(?:\[[^\][]{1,100}\])?(?:\.\w{1,40}(?:\(\))?){1,4}"
    r"(?: ?\* ?(?:\d{1,2}|\w{1,60}\.element_size\(\)))?)"
    r" ?(?:==?|:|->|is) ?~?(?P<number>\d{1,15}(?:\.\d{1,4})?)(?P<unit> ?[KMGT]i?B| ?bytes| ?B)?(?![\w.])"
)
NUMEL = re.compile(r"\.(?:numel|nelement)\(\)")
TENSORS = re.compile(r"\bsum\(.{0,200}(?:\.numel\(\)|\.nelement\(\)|\.nbytes\b)")
# sd = torch.load('layer_03.pt', map_location='cpu')
LOADED = re.compile(r"^(\w{1,60}) = (?:\w{1,40}\.){0,4}(?:\w{0,20}load(?:_\w{1,20})?)\([^\[\]]{1,400}\)$")
OVER = re.compile(r"\bfor [\w, ]{1,60} in (\w{1,60})\.(?:values|items)\(\)")
FILE = re.compile(r"\bgetsize\(|\.st_size\b")
COUNTED = re.compile("|".join(each.pattern for each in (STORAGE, TENSORS, FILE)))
# part["mlp.weight"][:3]
ENTRY = re.compile(r"^(\w{1,60})\[[^=]{1,300}$")
# tensor([ 5.2691e-05,  4.5000e+03,      array([0.1, 0.2], dtype=float32)
VALUES = re.compile(_OUT + r"(?:tensor|array|Array)\(\[{1,6}(?=[ \d.-])")
VALUE = re.compile(r"[-+]?\d{1,12}\.\d{0,12}(?:e[-+]?\d{1,3})?")
# / 2**20      / 1024**3      // (1024 * 1024)      / 1e9      / (1 << 30)
DIVIDED = re.compile(
    r"//? ?\(?(?:(?P<base>2|10|1000|1024) ?\*\* ?(?P<power>\d{1,2})|1 ?<< ?(?P<shift>\d{1,2})|1e(?P<ten>\d{1,2})"
    r"|(?P<plain>1024|1000)(?P<again>(?: ?[*/] ?(?:1024|1000)){0,3}))\b"
)


class Row(NamedTuple):
    """A row below a prompt or of a script's output: what was asked just above it, and what the session had before it.

    `path` is the file that was opened or named last, `loaded` the names of what was loaded.
    """

    line: Line
    text: str
    file: str
    asked: str
    path: str | None
    loaded: frozenset[str]

    def counted(self, what: str, size: float, path: str | None = None) -> TensorBytes:
        """So many bytes of the file of this row, or of another one."""
        return TensorBytes(
            source=Source(self.file, self.line.number, self.line.quote),
            subject=Subject(path=path or self.path),
            what=what,
            size=round(min(size, 1e18)),
        )


Facts = Iterator[TensorBytes | TensorValues]


def _rows(text: Text) -> Iterator[Row]:
    """Every row that is no prompt and no file's name; the first one below a prompt answers it."""
    asked, path = "", None
    loaded: frozenset[str] = frozenset()
    for line in text.lines():
        row = line.text[:2100].rstrip()
        if said := PROMPT.match(row):
            asked = said[1]
            if assigned := LOADED.match(asked):
                loaded |= {assigned[1]}
            path = opened[1] if (opened := OPENED.search(asked)) else path
        elif named := FILE_NAME.match(row):
            asked, path = "", named[1]
        elif row:
            yield Row(line, row, text.name, asked, path, loaded)
            asked = ""


def read(text: Text) -> Facts:
    for row in _rows(text):
        answers = (
            (answer, make)
            for pattern, asked, make in ANSWERS
            if asked.search(row.asked) and (answer := pattern.match(row.text))
        )
        if found := next(answers, None):
            yield from found[1](row, found[0])
        else:
            yield from _printed(row)


def _number(row: Row, answer: re.Match[str]) -> Facts:
    what, over = counted(row.asked), OVER.search(row.asked)
    if what and (what != "tensors" or (over and over[1] in row.loaded)):
        yield row.counted(what, float(answer[1].replace("_", "").replace(",", "")) * divisor(row.asked))


def _list(row: Row, answer: re.Match[str]) -> Facts:
    yield row.counted("storage", int(answer[1]))


def _shape(row: Row, answer: re.Match[str]) -> Facts:
    elements = math.prod(int(each) for each in answer[1].split(",") if each.strip())
    yield row.counted("tensors", elements * BYTES_OF[answer[2]])


def _both(row: Row, answer: re.Match[str]) -> Facts:
    """The elements of one tensor and of the memory behind it, asked for together and in one unit."""
    parts = row.asked.split(",")
    if len(parts) == 2 and NUMEL.search(parts[0]) and STORAGE.search(parts[1]) and _times(parts[0]) == _times(parts[1]):
        yield from (row.counted("tensors", int(answer[1])), row.counted("storage", int(answer[2])))


def _values(row: Row, answer: re.Match[str]) -> Facts:
    entry = ENTRY.match(row.asked)
    numbers = [abs(float(each)) for each in VALUE.findall(row.text)]
    if row.path and entry and entry[1] in row.loaded and numbers:
        source = Source(row.file, row.line.number, row.line.quote)
        subject = Subject(path=row.path)
        yield TensorValues(source=source, subject=subject, name=row.asked[:200], greatest=max(numbers))


# the answer, what was asked for, what is made of both
ANSWERS: tuple[tuple[re.Pattern[str], re.Pattern[str], Callable[[Row, re.Match[str]], Facts]], ...] = (
    (ANSWER, COUNTED, _number),
    (LISTED, STORAGE, _list),
    (SHAPE, SHAPE_ASKED, _shape),
    (PAIR, NUMEL, _both),
    (VALUES, ENTRY, _values),
)


def _printed(row: Row) -> Facts:
    """What a row says by itself."""
    if found := IN_ONE_ROW.match(row.text[:500]):
        for what in ("tensors", "storage"):
            yield row.counted(what, float(found[what]) * 1024.0 ** UNITS[found[f"of_{what}"]], found["path"])
    elif both := _equations(row.text):
        opened = OPENED.search(row.text)
        yield from (row.counted(what, size, opened[1] if opened else None) for what, size in both)
    elif row.path and (found := PRINTED.match(row.text[:300])):
        of, unit = found["of"], found["unit"] or "B"
        what = counted(of) or next((what for what, pattern in IN_WORDS if pattern.search(of)), "")
        if what and " for " not in of:
            number = float(found["number"].replace("_", "").replace(",", ""))
            yield row.counted(what, number * (1024.0 if "i" in unit else 1000.0) ** UNITS.get(unit[0], 0))


def _equations(row: str) -> list[tuple[str, int]]:
    """The bytes of one tensor's elements and of the memory behind it, where a row gives both, or nothing."""
    if "storage()" not in row or not NUMEL.search(row):
        return []
    found: dict[str, tuple[str, int]] = {}
    for each in EQUATION.finditer(row[:1000]):
        of, unit = each["of"], (each["unit"] or "").strip()
        in_bytes = "*" in of or ".nbytes" in of
        what = "storage" if STORAGE.search(of) else "tensors" if NUMEL.search(of) else ""
        if what and (in_bytes or unit):
            power = UNITS.get(unit[:1], 0)
            size = float(each["number"]) * (1024.0 if "i" in unit else 1000.0) ** power
            found.setdefault(what, (re.split(r"[.\[]", of, maxsplit=1)[0], round(min(size, 1e18))))
    if len(found) < 2 or found["tensors"][0] != found["storage"][0]:
        return []
    return [(what, found[what][1]) for what in ("tensors", "storage")]


def _times(expression: str) -> str:
    return "".join(re.findall(r"\*\s?(\d{1,2}|\w{1,20}\.element_size\(\))", expression))


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


_COUNTS = r"numel\(\)|nelement\(\)|storage\(\)|getsize\(|st_size"
_IS = r"(?:==?|:|->|is) ?~?\d"

PARSER = Parser(
    tool="a Python session",
    medium="notes",
    footprint=_PROMPT + rf".{{0,2000}}(?:load(?:_\w{{1,20}})?\(\s?[rf]?['\"]|\.nbytes|{_COUNTS})"
    rf"|{unnamed(IN_ONE_ROW.pattern)}"
    rf"|{NUMEL.pattern}[^\n]{{0,60}}?{_IS}[^\n]{{1,200}}storage\(\)[^\n]{{0,40}}?{_IS}"
    rf"|^\s{{0,8}}[A-Za-z][^\n]{{0,200}}(?:{_COUNTS})[^\n]{{0,100}}?"
    r"(?:\s{2}|[:=]) {0,40}\d[\d_,.]{3,20} ?(?:[KMGT]i?B|bytes)?\s*$",
    read=read,
)
