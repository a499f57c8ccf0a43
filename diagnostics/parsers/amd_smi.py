"""`amd-smi`'s table of GPUs and processes.

    | AMD-SMI 26.2.0+021c61fc      amdgpu version: 6.16.6   ROCm version: 7.1.1    |
    | 0000:ff:00.0 AMD Instinct MI300X VF | 0 %      37 °C   0           141/750 W |
    |   0       0       2        SPX/NPS1 | 0 %        N/A           285/196288 MB |

    |    0      30506  python                 0.0 B  189.6 GB      190.1 GB  12.0  |

A GPU has two rows. UEC is its count of uncorrectable memory errors. The row "No running processes found" is worded as
nvidia-smi's and read with that.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Evidence, Severity, Stamp, Subject
from ..evidence.gpu import GpuErrorCounts, GpuProcess, GpuStatus
from ..footprint import footprint_of
from ..sizes import size_bytes
from ..text import Line, Text
from . import Parser
from ._numbers import leading_number
from ._pci import pci_address
from ._snapshot import source, stamp_before

# | AMD-SMI 26.2.0+021c61fc      amdgpu version: 6.16.6   ROCm version: 7.1.1    |
HEADING = re.compile(r"^\s{0,8}\| AMD-SMI \d")
# | 0000:ff:00.0 AMD Instinct MI300X VF | 0 %      37 °C   0           141/750 W |
FIRST = re.compile(
    r"^\s{0,8}\| ([0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]) +(\S.{0,60}?) +\| +(\d{1,3} %|N/A) +(\d{1,3} °C|N/A) +"
    r"(\d{1,9}|N/A) +(?:(\d{1,5}|N/A)/(\d{1,5}|N/A) W|N/A) \|"
)
# |   0       0       2        SPX/NPS1 | 0 %        N/A           285/196288 MB |
SECOND = re.compile(r"^\s{0,8}\| +(\d{1,3}) .{0,60}\| +(\d{1,3} %|N/A) .{0,40} (\d{1,9})/(\d{1,9}) MB \|")
# |    0      30506  python                 0.0 B  189.6 GB      190.1 GB  12.0  |
PROCESS = re.compile(
    r"^\s{0,8}\| +(\d{1,3}) +(\d{1,9}) +(\S.{0,40}?) +\d{1,9}(?:\.\d)? [KMGT]?B +(\d{1,9}(?:\.\d{1,3})?) ([KMGT]?)B +\S"
)


def read(text: Text) -> Iterator[Evidence]:
    upper: tuple[Line, re.Match[str]] | None = None
    stamp: Stamp | None = None
    for line in text.lines():
        row = line.text[:300]
        if HEADING.match(row):
            stamp = stamp_before(text, line, limit=3)
        elif found := FIRST.match(row):
            upper = (line, found)
        elif upper and (found := SECOND.match(row)):
            yield from card(text, *upper, found, stamp)
            upper = None
        elif found := PROCESS.match(row):
            memory = size_bytes(found[4] + found[5])
            yield GpuProcess(
                source=source(text, line),
                subject=Subject(gpu=int(found[1]), pid=int(found[2])),
                stamp=stamp,
                name=found[3],
                memory_mib=memory / 2**20 if memory is not None else None,
            )


def card(
    text: Text, line: Line, upper: re.Match[str], lower: re.Match[str], stamp: Stamp | None
) -> Iterator[GpuStatus | GpuErrorCounts]:
    pci, name, _, temperature, errors, power, limit = upper.groups()
    subject = Subject(gpu=int(lower[1]), pci=pci_address(pci))
    yield GpuStatus(
        source=source(text, line),
        subject=subject,
        stamp=stamp,
        name=name,
        utilisation_percent=leading_number(lower[2]),
        temperature_c=leading_number(temperature),
        power_w=leading_number(power),
        power_limit_w=leading_number(limit),
        memory_used_mib=float(lower[3]),
        memory_total_mib=float(lower[4]),
    )
    if errors != "N/A":
        yield GpuErrorCounts(
            source=source(text, line),
            subject=subject,
            stamp=stamp,
            severity=Severity.CRITICAL if int(errors) else Severity.INFO,
            counts={"volatile uncorrectable": int(errors)},
        )


PARSER = Parser(tool="amd-smi", medium="gpu", footprint=footprint_of(HEADING), read=read)
