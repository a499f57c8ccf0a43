"""Statistics of weights, as people print them when a model gives nonsense: a row a tensor or a file.

    model.layers.0.mlp.up_proj.weight    F32 absmean 0.0151
    model.layers.0.mlp.down_proj.weight  F32 absmean 0.0000  zeros 100.0%
    out/checkpoint-500/lora.safetensors   min -3.1e+37  max 2.7e+37  zeros 71%

The first word is a name with a dot or a slash in it; minimum, maximum, mean or share of zeros follow by name. A single
row, or rows that are the smaller part of their file, are a log's.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from ..evidence import Source, Subject
from ..evidence.storage import TensorValues
from ..text import Text
from . import Parser

_NUMBER = r"[-+]?(?:\d{1,18}(?:\.\d{1,18})?(?:e[-+]?\d{1,4})?|nan|inf)"
NAME = re.compile(r"^[ \t]{0,8}['\"]?([\w-]{1,80}(?:[./][\w-]{1,80}){1,20})['\"]?[ \t:,|]")
VALUE = re.compile(rf"(?i)\b(abs_?max|abs_?mean|min|max|mean|zeros?)(?: ?[=:]| of)? {{0,4}}({_NUMBER})(?![\w.])(%?)")
FILE = re.compile(r"\.(?:safetensors|pt|pth|bin|ckpt|npz|npy|h5|gguf|distcp)$")
FEWEST = 2
LARGEST = 1 << 20  # bytes


def read(text: Text) -> Iterator[TensorValues]:
    if len(text.data) > LARGEST:
        return
    written = [line for line in text.lines() if line.text.strip()]
    rows = [
        (line, named[1], values)
        for line in written
        if (named := NAME.match(line.text[:2000])) and (values := VALUE.findall(line.text[:2000]))
    ]
    if len(rows) < FEWEST or 2 * len(rows) < len(written):
        return
    for line, name, values in rows:
        sizes = [abs(float(value)) for what, value, _ in values if not what.lower().startswith("zero")]
        sizes = [size for size in sizes if not math.isnan(size)]
        zeros = [float(value) for what, value, percent in values if what.lower().startswith("zero") and percent]
        yield TensorValues(
            source=Source(text.name, line.number, line.quote),
            subject=Subject(path=name if FILE.search(name) else None),
            name=name,
            greatest=max(sizes) if sizes else None,
            zeros_percent=zeros[0] if zeros else None,
        )


PARSER = Parser(
    tool="statistics of weights",
    medium="notes",
    footprint=(
        r"(?i)^[ \t]{0,8}['\"]?[\w-]{1,80}(?:[./][\w-]{1,80}){1,20}['\"]?[ \t:,|].{0,200}"
        rf"\b(?:abs_?max|abs_?mean|min|max|mean|zeros?)(?: ?[=:]| of)? {{0,4}}{_NUMBER}"
    ),
    read=read,
)
