"""`nvidia-smi -L`.

    GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-00000000-0000-0000-0000-000000000001)
      MIG 1g.10gb     Device  0: (UUID: MIG-00000000-0000-0000-0000-000000000003)

A MIG device is a part of the GPU above it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.gpu import GpuStatus
from ..text import Text
from . import Parser
from ._snapshot import source

# GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-00000000-0000-0000-0000-000000000001)
ROW = re.compile(r"^GPU (\d{1,3}): (\S.{0,100}?) \(UUID: (GPU-[0-9a-fA-F-]{36})\)\s*$")
#   MIG 1g.10gb     Device  0: (UUID: MIG-00000000-0000-0000-0000-000000000003)
PART = re.compile(r"^ +(MIG \S{1,40}) +Device +\d{1,3}: \(UUID: (MIG-[0-9a-fA-F/GPU-]{36,90})\)\s*$")


def read(text: Text) -> Iterator[GpuStatus]:
    gpu: int | None = None
    for line in text.lines():
        if found := PART.match(line.text[:300]):
            yield GpuStatus(source=source(text, line), subject=Subject(gpu=gpu), name=found[1], uuid=found[2])
        elif found := ROW.match(line.text[:300]):
            gpu = int(found[1])
            yield GpuStatus(source=source(text, line), subject=Subject(gpu=gpu), name=found[2], uuid=found[3])


PARSER = Parser(tool="nvidia-smi -L", medium="gpu", footprint=r"^GPU \d+: .{1,100} \(UUID: GPU-", read=read)
