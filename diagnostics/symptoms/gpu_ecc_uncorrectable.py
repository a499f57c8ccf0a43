"""A GPU memory reports an error that its code could not correct.

Xid 48, 64, 94, 95, 140, 171 or 172; a nonzero volatile count of uncorrectable errors; CUDA's own "uncorrectable ECC
error"; rows that could not be remapped. Xid 63 alone is a page or row taken out of use, which corrected errors cause
too: it is no part of this. ABSENT where the counters were read and are zero, with no storm of corrected errors beside
them, or a kernel log long enough to speak is silent.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence.gpu import GpuErrorCounts
from ..incident import Incident
from ._gpus import is_storm
from ._reports import gpu_reports, gpu_subject
from ._symptom import Finding, Symptom

CODES = (48, 64, 94, 95, 140, 171, 172)
OF_A_LIFETIME = re.compile(r"aggregate|remapped|retired", re.I)  # these were met before, and rows that failed replaced
UNCORRECTABLE = re.compile(r"uncorrectable|uncorr\b|double[ _.-]bit", re.I)  # up to Volta, the code's two bits
WORDS = re.compile(
    r"uncorrectable (?:ECC|DRAM|SRAM|memory) error|double.bit ECC|uncorrectable HBM\d? memory error"
    "|uncontained (?:ECC|memory) error|cudaErrorECCUncorrectable|ECC_UNCORRECTABLE"
    r"|row[ _-]?remap(?:per|ping)?\b.{0,60}\bfail(?:ed|ure)\b(?!.{0,8}[:=] ?(?:no|false|0|none)\b)",
    re.I,
)


def rule(incident: Incident) -> Iterator[Finding]:
    yield from gpu_reports(incident, codes=CODES, driver=("ecc",), words=WORDS)
    facts = incident.of(GpuErrorCounts)
    storm = any(is_storm(name.lower(), count) for fact in facts for name, count in fact.counts.items())
    for fact in facts:
        counts = {name: count for name, count in fact.counts.items() if UNCORRECTABLE.search(name)}
        now = {name: count for name, count in counts.items() if not OF_A_LIFETIME.search(name)}
        if any(now.values()):
            note = ", ".join(f"{name}: {count}" for name, count in now.items() if count)
            yield Finding(gpu_subject(incident, fact.subject), (fact,), note)
        elif now and not storm:
            note = "the counters of uncorrectable errors are zero"
            yield Finding(gpu_subject(incident, fact.subject), (fact,), note, present=False)


SYMPTOM = Symptom(
    title="a GPU's memory reports an uncorrectable error",
    rule=rule,
    leak=0.0005,
    because="the code detects it in hardware; a false report is not known",
    tells_apart=("host", "pci"),
    command="nvidia-smi -q -d ECC,ROW_REMAPPER; sudo dmesg -T | grep Xid",
)
