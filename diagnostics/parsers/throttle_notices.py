"""What amd-smi, rocm-smi and dcgmi print of a GPU whose clocks are held down, outside of their tables of numbers.

    GPU: 3
        THROTTLE_STATUS: THROTTLED
        PROCHOT_STATUS: ACTIVE
    Throttle status: THERMAL
    | Warning                   | GPU 5 Detected 'HW thermal slowdown' violation. Clocks are being throttled  |
    | Clocks Event Reasons        | HW Power Brake, HW Slowdown                     |

What is not active ("UNTHROTTLED", "N/A", "None") is skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Severity, Subject
from ..evidence.gpu import GpuThrottle
from ..footprint import footprint_of
from ..text import Text
from . import Parser
from ._snapshot import source

# what is printed -> the reason as nvidia-smi names it
SAYINGS = (
    (re.compile(r"^\s{0,16}THROTTLE_STATUS: THROTTLED\b"), "HW Slowdown"),
    (re.compile(r"^\s{0,16}PROCHOT_STATUS: ACTIVE\b"), "HW Thermal Slowdown"),
    (
        re.compile(r"^(?:GPU\[\d{1,3}\]\s{0,8}: )?Throttle status: (?:(?!\bnot\b).){0,40}\bTHERMAL\b"),
        "SW Thermal Slowdown",
    ),
    (re.compile(r"\bDetected 'HW thermal slowdown' violation", re.I), "HW Thermal Slowdown"),
    (re.compile(r"\bDetected 'SW thermal slowdown' violation", re.I), "SW Thermal Slowdown"),
    (
        re.compile(r"^\| Clocks? (?:Event|Throttle) Reasons? {1,20}\| .{0,80}\bHW Power Brake\b"),
        "HW Power Brake Slowdown",
    ),
    (
        re.compile(r"^\| Clocks? (?:Event|Throttle) Reasons? {1,20}\| .{0,80}(?<!SW )\bThermal Slowdown\b"),
        "HW Thermal Slowdown",
    ),
    (
        re.compile(r"^\| Clocks? (?:Event|Throttle) Reasons? {1,20}\| .{0,80}\bSW Thermal Slowdown\b"),
        "SW Thermal Slowdown",
    ),
)
GPU = re.compile(r"^\s{0,8}GPU: (\d{1,3})\s*$|\bGPU ?\[?(\d{1,3})\]?")


def read(text: Text) -> Iterator[GpuThrottle]:
    gpu: int | None = None
    for line in text.lines():
        row = line.text[:400]
        if named := GPU.search(row):
            gpu = int(named[1] or named[2])
        for pattern, reason in SAYINGS:
            if pattern.search(row):
                yield GpuThrottle(
                    source=source(text, line), subject=Subject(gpu=gpu), severity=Severity.WARNING, reason=reason
                )


PARSER = Parser(
    tool="notices of a GPU that is held down",
    medium="gpu",
    footprint=footprint_of(*(pattern for pattern, _ in SAYINGS)),
    read=read,
)
