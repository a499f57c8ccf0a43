"""What DCGM found in a GPU's memory or caches, as health monitors pass it on by its code: NVSentinel, node conditions.

    {"checkName":"GpuMemWatch","isFatal":true,"message":"...","errorCode":["DCGM_FR_ROW_REMAP_FAILURE"],...}
    GpuMemWatch  True  GpuMemWatchIsNotHealthy  ErrorCode:DCGM_FR_VOLATILE_DBE_DETECTED GPU:3 Detected 1 ...

One fact a code and GPU. Codes of single-bit errors, links, clocks and settings are skipped, and so is what is said to
be healthy again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Severity, Subject
from ..evidence.gpu import GpuDiagnostic
from ..footprint import footprint_of
from ..text import Text
from . import Parser
from ._prose import is_note
from ._snapshot import source, stamp_of
from .xid_notices import GPU, OVER

CODE = re.compile(
    r"\bDCGM_FR_(?P<code>(?:VOLATILE_DBE_DETECTED|CUDA_DBE|DBE_(?:THRESHOLD_)?VIOLATION|DBE_PENDING_PAGE_RETIREMENTS"
    "|RETIRED_PAGES_DBE_LIMIT"
    "|(?:PENDING|UNCORRECTABLE)_ROW_REMAP|ROW_REMAP_FAILURE|(?:UN)?CONTAINED_ERROR|FAULTY_MEMORY|MEMORY_MISMATCH)"
    r"|(?P<other>L1TAG_MISCOMPARE))\b"
)
SAID = re.compile(r"\"message\": ?\"([^\"\\]{1,400})")


def read(text: Text) -> Iterator[GpuDiagnostic]:
    told: set[tuple[str, int | None]] = set()
    for line in () if text.worked_out(is_note) else text.matching(CODE):
        row = line.text[:4000]
        found = CODE.search(row)
        if not found or OVER.search(row):
            continue
        device = GPU.search(row)
        gpu = int(device[1]) if device else None
        if (found["code"], gpu) not in told:
            told.add((found["code"], gpu))
            said = SAID.search(row)
            yield GpuDiagnostic(
                source=source(text, line),
                subject=Subject(gpu=gpu),
                stamp=stamp_of(row),
                severity=Severity.CRITICAL,
                test=f"{'cache' if found['other'] else 'memory'} ({found['code']})",
                outcome="fail",
                text=said[1] if said else row[found.end() : found.end() + 300].strip(),
            )


PARSER = Parser(
    tool="monitors that report a code of DCGM",
    medium="gpu",
    footprint=footprint_of(CODE),
    read=read,
)
