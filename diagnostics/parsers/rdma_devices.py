r"""A tool that looked for RDMA adapters and found none: ibv_devinfo, ibstat, ibstatus, fi_info, perftest, libibverbs.

    No IB devices found
    Fatal error:  device '*': sys files not found (/sys/class/infiniband/*/ports)
    fi_getinfo: -61
    libibverbs: Warning: no userspace device-specific driver found for /sys/class/infiniband_verbs/uverbs0

What NCCL says of it ("NET/IB : No device found") is read with its log: it says so on every machine without InfiniBand.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Severity
from ..evidence.network import RdmaDevices
from ..footprint import footprint_of
from ..text import Text
from . import Parser
from ._snapshot import source

NONE = (
    r"^\s{0,8}(?:No IB devices found|0 HCAs? found:?|Failed to get IB devices list: .{1,80}"
    r"|Unable to find the Infiniband/RoCE device)\s*$",
    r"^IB device [\w.-]{1,40} not found\s*$",
    r"^Fatal error: {1,3}device '[^']{1,60}': sys files not found \(/sys/class/infiniband",
    r"^ibpanic: \[\d{1,9}\] main: stat of IB device '[\w.-]{1,40}' failed",
    r"^ib(?:warn|panic|error): \[\d{1,9}\] .{0,60}can't open (?:UMAD|MAD) port",
    r"^fi_(?:get)?info: (?:-61\b|.{0,60}No data available)",
    r"^libibverbs: Warning: no userspace device-specific driver found for /sys/class/infiniband_verbs/",
    r"^libibverbs: Fatal: (?:couldn't read uverbs ABI version|couldn't open)",
    r"^ls: (?:cannot access )?['\"]?/(?:dev|sys/class)/infiniband\S{0,40}: No such file or directory",
)
MISSING = re.compile("|".join(NONE))


def read(text: Text) -> Iterator[RdmaDevices]:
    for line in text.lines():
        if MISSING.match(line.text[:300]):
            yield RdmaDevices(
                source=source(text, line), severity=Severity.WARNING, found=False, text=line.text.strip()[:200]
            )


PARSER = Parser(tool="RDMA tools", medium="network", footprint=footprint_of(MISSING), read=read)
