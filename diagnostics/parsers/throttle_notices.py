"""What amd-smi, rocm-smi, dcgmi, scripts and programs print, outside of tables, of a GPU whose clocks are held down or
not.

    GPU: 3
        THROTTLE_STATUS: THROTTLED
        PROCHOT_STATUS: ACTIVE
    Throttle status: THERMAL
    | Warning                   | GPU 5 Detected 'HW thermal slowdown' violation. Clocks are being throttled  |
    | Clocks Event Reasons        | HW Power Brake, HW Slowdown                     |
    Driver temperature threshold met on GPU #3. Expect reduced performance.
    THROTTLE_STATUS: UNTHROTTLED
    gpu2 1410 MHz, throttle reasons: Not Active

"N/A" is skipped: nothing was asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Severity, Subject
from ..evidence.gpu import GpuNotThrottled, GpuThrottle
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
    # ERROR [1514:1520] [[Health]] Detected a WARNING in health system Thermal: 'Detected clocks event due to thermal
    # violation in GPU 2. Verify that the cooling ...
    (
        re.compile(r"\bin health system Thermal: 'Detected clocks? event due to thermal violation"),
        "HW Thermal Slowdown",
    ),
    (
        re.compile(r"\bin health system Power: 'Detected clocks? event due to power violation"),
        "HW Power Brake Slowdown",
    ),
    # hw slowdown events frequency per minute 0.91 (total events per minute count 546) exceeded threshold 0.60
    (re.compile(r"\bhw slowdown events frequency per minute \d.{0,80}\bexceeded threshold\b"), "HW Slowdown"),
    # Driver temperature threshold met on GPU #3. Expect reduced performance.
    (
        re.compile(r"\b[Dd]river temperature threshold (?:was )?(?:met|reached|exceeded) on (?:GPU|device)\b"),
        "SW Thermal Slowdown",
    ),
    # GPU 2: thermal throttling is active      GPU #0 is being thermally throttled
    (
        re.compile(
            r"\bGPU ?[#\[]?\d{1,3}\]?[:,]? (?:is (?:now )?)?(?:being )?"
            "(?:thermally[ -]throttled|thermal[ -]throttling (?:is )?(?:active|detected)"
            r"|throttl(?:ed|ing) (?:due to|because of|by) (?:heat|temperature|thermal))\b",
            re.I,
        ),
        "SW Thermal Slowdown",
    ),
)
FREE = (
    re.compile(r"^\s{0,16}THROTTLE_STATUS: UNTHROTTLED\b"),
    # throttle reasons: Not Active      clocks_event_reasons=0x0000000000000000      Clock throttling reasons: none
    re.compile(
        r"\b(?:clocks?[ _])?(?:throttl(?:e|ing)|event)[ _]?reasons?(?:\.active)?\s?[:=]\s?"
        r"(?:not active|none|0x0{1,16})(?![\w.])",
        re.I,
    ),
    re.compile(r"^\| Clocks? (?:Event|Throttle) Reasons? {1,20}\| {1,4}None\b"),
)
# idx1  SM clock 1380 MHz      cuda:3 throttle_reasons=none
NAMED = re.compile(r"\b(?:gpu|idx|cuda|card|device)[ :#\[]{0,2}(\d{1,3})\b", re.I)
GPU = re.compile(r"^\s{0,8}GPU: (\d{1,3})\s*$|\bGPU ?[#\[]?(\d{1,3})\]?")


def read(text: Text) -> Iterator[GpuThrottle | GpuNotThrottled]:
    gpu: int | None = None
    for line in text.lines():
        row = line.text[:400]
        if named := GPU.search(row):
            gpu = int(named[1] or named[2])
        if any(pattern.search(row) for pattern in FREE):
            own = NAMED.search(row)
            yield GpuNotThrottled(source=source(text, line), subject=Subject(gpu=int(own[1]) if own else gpu))
        for pattern, reason in SAYINGS:
            if pattern.search(row):
                yield GpuThrottle(
                    source=source(text, line), subject=Subject(gpu=gpu), severity=Severity.WARNING, reason=reason
                )


PARSER = Parser(
    tool="notices of a GPU that is held down",
    medium="gpu",
    footprint=footprint_of(*(pattern for pattern, _ in SAYINGS), *FREE),
    read=read,
)
