"""Metrics of GPUs as dcgm-exporter hands them to Prometheus.

    DCGM_FI_DEV_XID_ERRORS{gpu="3",UUID="GPU-4",device="nvidia3",modelName="NVIDIA H100 80GB HBM3",Hostname="n1"} 79
    DCGM_FI_DEV_GPU_TEMP{gpu="1",Hostname="n1"} 93

Without labels, below a line that names the GPU, as people and `dcgmi` list them:

    GPU 2
      DCGM_FI_DEV_ECC_SBE_VOL_TOTAL          9601338274

The gauge of Xids holds the last one of a device. A device's temperature, clock, load, power and memory are one status,
its counters of memory errors one fact. Other metrics, comments, and what repeats in a later scrape are skipped.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterator

from ..evidence import Evidence, Severity, Subject
from ..evidence.gpu import GpuErrorCounts, GpuStatus, GpuThrottle, NvlinkErrors
from ..evidence.kernel import Xid
from ..footprint import footprint_of
from ..text import Line, Text, whole_number
from . import Parser
from ._pci import pci_address
from ._snapshot import source
from ._xid_catalogue import xid_entry
from .nvidia_smi_csv import NORMAL_REASONS, REASON_BITS, throttle_name

METRIC = re.compile(
    r"^DCGM_FI_(?:DEV|PROF)_(\w{1,80})\{([^{}]{1,2000})\} (-?\d{1,18}(?:\.\d{1,12})?(?:e[+-]?\d{1,3})?)"
)
PLAIN = re.compile(
    r"^\s{0,12}DCGM_FI_(?:DEV|PROF)_(\w{1,80})(?:\s{0,4}[:=])?\s{1,40}(-?\d{1,18}(?:\.\d{1,12})?(?:e[+-]?\d{1,3})?)\s*$"
)
HEADING = re.compile(r"^\W{0,8}(?:GPU|gpu|GPU ID:|Entity)[ #:]{1,2}(\d{1,3})\b(?!,)")
LABEL = re.compile(r'(\w{1,40})="([^"]{0,200})"')
XID = "XID_ERRORS"
REASONS = ("CLOCK_THROTTLE_REASONS", "CLOCKS_EVENT_REASONS")
STATUS = {
    "GPU_TEMP": "temperature_c",
    "SM_CLOCK": "sm_clock_mhz",
    "GPU_UTIL": "utilisation_percent",
    "POWER_USAGE": "power_w",
    "FB_USED": "memory_used_mib",
}
COUNTS = {
    "ECC_DBE_VOL_TOTAL": "volatile uncorrectable",
    "ECC_SBE_VOL_TOTAL": "volatile correctable",
    "ECC_DBE_AGG_TOTAL": "aggregate uncorrectable",
    "UNCORRECTABLE_REMAPPED_ROWS": "remapped uncorrectable aggregate",
    "ROW_REMAP_PENDING": "remapped pending",
    "ROW_REMAP_FAILURE": "remapped failure",
}
NVLINK = re.compile(r"^NVLINK_(\w{1,40})_ERROR_COUNT_TOTAL$")


def read(text: Text) -> Iterator[Evidence]:
    statuses: dict[Subject, dict[str, float]] = defaultdict(dict)
    counts: dict[Subject, dict[str, int]] = defaultdict(dict)
    where: dict[tuple[Subject, type[Evidence]], Line] = {}
    seen: set[tuple[Subject, str, float]] = set()
    gpu: int | None = None
    for line in text.lines():
        row = line.text[:2400]
        if found := METRIC.match(row):
            name, value, subject = found[1], float(found[3]), subject_of(dict(LABEL.findall(found[2])))
        elif found := PLAIN.match(row):
            name, value, subject = found[1], float(found[2]), Subject(gpu=gpu)
        else:
            if row.strip():
                gpu = int(heading[1]) if (heading := HEADING.match(row)) else None
            continue
        if (subject, name, value) in seen or not math.isfinite(value):
            continue
        seen.add((subject, name, value))
        if name in STATUS:
            where.setdefault((subject, GpuStatus), line)
            statuses[subject][STATUS[name]] = value
        elif name in COUNTS:
            if value and not any(counts[subject].values()):
                where[subject, GpuErrorCounts] = line
            where.setdefault((subject, GpuErrorCounts), line)
            counts[subject][COUNTS[name]] = int(value)
        else:
            yield from event(text, line, subject, name, int(value))
    for subject, values in statuses.items():
        yield GpuStatus(source=source(text, where[subject, GpuStatus]), subject=subject, **values)  # type: ignore[arg-type]
    for subject, each in counts.items():
        severity = Severity.WARNING if any(each.values()) else Severity.INFO
        at = source(text, where[subject, GpuErrorCounts])
        yield GpuErrorCounts(source=at, subject=subject, severity=severity, counts=each)


def subject_of(labels: dict[str, str]) -> Subject:
    gpu, pci = labels.get("gpu", ""), labels.get("pci_bus_id")
    return Subject(
        host=labels.get("Hostname") or None,
        gpu=whole_number(gpu),
        pci=pci_address(pci) if pci else None,
    )


def event(text: Text, line: Line, subject: Subject, name: str, value: int) -> Iterator[Evidence]:
    """What a metric other than a reading tells where it is not zero."""
    if name == XID and value > 0:
        entry = xid_entry(value)
        yield Xid(
            source=source(text, line), subject=subject, severity=entry.severity, code=value, meaning=entry.meaning
        )
    elif name in REASONS:
        for bit, reason in enumerate(REASON_BITS):
            if value >> bit & 1:
                yield GpuThrottle(
                    source=source(text, line),
                    subject=subject,
                    severity=Severity.INFO if reason in NORMAL_REASONS else Severity.WARNING,
                    reason=throttle_name(reason),
                )
    elif (counter := NVLINK.match(name)) and value > 0:
        words = counter[1].replace("_", " ").lower()
        yield NvlinkErrors(
            source=source(text, line),
            subject=subject,
            severity=Severity.WARNING,
            link=None,
            counter=f"{words} errors",
            count=value,
        )


PARSER = Parser(
    tool="dcgm-exporter",
    medium="gpu",
    footprint=footprint_of(METRIC, PLAIN),
    read=read,
)
