"""What monitors and node agents say of an Xid that they read in the driver's log: gpud, node problem detectors,
DCGM, NVSentinel, alerts.

    Warning  NvidiaXID119Error  8m  eks-node-monitoring-agent  DCGM detected XID error 119 on GPU 2
    {"name":"error_xid","type":"Fatal","message":"XID 62 (Internal micro-controller halt) detected on GPU ..."}
    {"labels": {"alertname": "GpuXid", "xid": "94"}, "annotations": {"summary": "Xid 94 on node3 GPU 2"}}
    {"checkName":"GpuMemWatch","isFatal":true,"message":"GPU had an uncontained error (XID 95) ..."}
    {"checkName":"SysLogsXIDError","isFatal":true,"errorCode":["79"],...}
    05-11 06:43:55 gpu07 Xid 13 Graphics SM Warp Exception on (GPC 2, TPC 1, SM 0): Out Of Range Address

One fact a code and GPU; of a list with a date in each row, each row. What a person wrote, and what is said to be none
or over, is skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.kernel import Xid
from ..footprint import footprint_of
from ..text import Text
from . import Parser
from ._prose import is_note
from ._snapshot import source, stamp_of
from ._xid_catalogue import xid_entry

SAYINGS = (
    # DCGM detected XID error 119 on GPU 2      Found XID errors: 63
    r"\b(?:detected|found|observed) (?:an? )?XID(?:[ _]errors?)?[ :]{1,3}(?P<found>\d{1,3})\b",
    # XID 62 (Internal micro-controller halt) detected on GPU 3      xid 95 uncontained ECC error detected on GPU-0a1b
    r"(?<!no )\bXID[ :]{1,2}(?P<named>\d{1,3})\b(?: \([^()\n]{1,60}\)"
    r"| (?:(?!not\b|never\b|no\b)[\w-]{1,20} ){0,6}(?!not\b|never\b)[\w-]{1,20})? detected\b",
    r"\"xid\": ?\"?(?P<label>\d{1,3})\b",
    r"\bNvidiaXID(?P<reason>\d{1,3})Error\b",
    # GPU had an uncontained error (XID 95)      Double bit ECC error (Xid: 48) on GPU 1
    r"(?<!no )(?<!without )\berror \(XID[ :]{1,2}(?P<bracketed>\d{1,3})\)",
    r"\"checkName\": ?\"\w{0,30}XID\w{0,30}\"[^{}]{0,1000}\"errorCode\": ?\[\"(?P<checked>\d{1,3})\"",
    # 05-11 06:43:55 gpu07 Xid 13 Graphics SM Warp Exception      2026-05-11T06:43:55Z GPU 3 Xid: 79 GPU has fallen off
    # the bus
    r"^\[?(?:\d{4}[-/])?\d\d[-/]\d\d[ T]\d\d:\d\d(?::\d\d)?[.,\dZ+:]{0,13}\]? {1,4}"
    r"(?:(?=[\w.-]{0,40}\d)[\w.-]{1,40} {1,3})?(?:GPU ?\d{1,2} {1,3})?Xid[ :=]{1,2}(?P<dated>\d{1,3})\b"
    r"(?! (?:was |were )?(?:not|never|gone|cleared|resolved)\b)",
)
SAYING = re.compile("|".join(SAYINGS), re.I)
# a database has transactions that are called xid
DEVICE = re.compile(r"gpu|nvrm|nvidia|dcgm|alertname", re.I)
OVER = re.compile(r"\bNVRM: |\bresolved\b|\bcleared\b|\"value\": ?\"?0\b|\"isHealthy\": ?true", re.I)
DRIVER = re.compile(
    r"\b(?:GPC|MMU|FAULT|ECC|DBE|bus|exception|RPC|GSP|NVLink|GPU|PCI|rows?|page|engine|halt|channel|memory|pid)", re.I
)
# XID error 119 on GPU 2      {"entityType":"GPU","entityValue":"1"}
GPU = re.compile(r"\bGPU(?:[ :=]{1,2}|\", ?\"entityValue\": ?\")(\d{1,2})\b", re.I)


def read(text: Text) -> Iterator[Xid]:
    told: set[tuple[int, int | None]] = set()
    for line in () if text.worked_out(is_note) else text.matching(SAYING):
        row = line.text[:4000]
        found = SAYING.search(row)
        if not found or OVER.search(row) or (found["label"] and not DEVICE.search(row)):
            continue
        if found["dated"] and not DRIVER.search(row):
            continue
        code = int(next(group for group in found.groups() if group))
        device = GPU.search(row)
        gpu = int(device[1]) if device else None
        if code and (found["dated"] or (code, gpu) not in told):
            told.add((code, gpu))
            entry = xid_entry(code)
            yield Xid(
                source=source(text, line),
                subject=Subject(gpu=gpu),
                stamp=stamp_of(row),
                severity=entry.severity,
                code=code,
                meaning=entry.meaning,
                detail=(row[found.start("dated") :] if found["dated"] else found[0])[:200],
            )


PARSER = Parser(
    tool="monitors that report an Xid",
    medium="gpu",
    footprint=footprint_of(SAYING),
    read=read,
)
