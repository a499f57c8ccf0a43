"""`dcgmi nvlink --link-status`: a letter for each link of a GPU.

    GPUs:
        gpuId 0:
            U U U U D U U U U U U U

U is up, D is down, X is disabled, _ is not there. Links that are down are a fact each, and a GPU with any that is up
one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Severity, Subject
from ..evidence.gpu import NvlinkErrors
from ..footprint import footprint_of
from ..text import Text
from . import Parser
from ._snapshot import source

GPU = re.compile(r"^\s{1,12}gpuId (\d{1,3}):\s*$")
LINKS = re.compile(r"^\s{1,20}((?:[UDX_] ){0,40}[UDX_])\s*$")


def read(text: Text) -> Iterator[NvlinkErrors]:
    gpu: int | None = None
    for line in text.lines():
        if found := GPU.match(line.text[:200]):
            gpu = int(found[1])
        elif gpu is not None and (found := LINKS.match(line.text[:200])):
            letters = found[1].split()
            for number, letter in enumerate(letters):
                if letter == "D":
                    yield NvlinkErrors(
                        source=source(text, line),
                        subject=Subject(gpu=gpu),
                        severity=Severity.WARNING,
                        link=number,
                        counter="inactive",
                        count=None,
                    )
            if "U" in letters:
                yield NvlinkErrors(
                    source=source(text, line), subject=Subject(gpu=gpu), link=None, counter="active", count=0
                )
            gpu = None


PARSER = Parser(tool="dcgmi nvlink", medium="gpu", footprint=footprint_of(GPU), read=read)
