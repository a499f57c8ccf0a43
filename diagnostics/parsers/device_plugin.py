"""The NVIDIA device plugin of Kubernetes: an Xid that it saw, a device that it took away.

I0509 05:44:09.120771       1 health.go:169] XidCriticalError: Xid=48 on Device=GPU-0a1b...; marking device as
unhealthy. I0509 05:44:09.121004       1 server.go:278] 'nvidia.com/gpu' device marked unhealthy: GPU-0a1b...
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Evidence, Severity
from ..evidence.gpu import GpuToolError
from ..evidence.kernel import Xid
from ..footprint import footprint_of
from ..text import Text
from . import Parser
from ._job_lines import messages
from ._xid_catalogue import xid_entry

XID = re.compile(r"XidCriticalError: Xid=(\d{1,4}) on Device=([\w-]{1,80})")
UNHEALTHY = re.compile(r"device marked unhealthy: ([\w-]{1,80})")
INTERESTING = re.compile(r"XidCriticalError|device marked unhealthy")


def read(text: Text) -> Iterator[Evidence]:
    for message in messages(text, INTERESTING):
        if found := XID.search(message.text):
            code = int(found[1])
            yield Xid(
                **message.facts(text, pid=None, device=found[2]),
                severity=xid_entry(code).severity,
                code=code,
                meaning=xid_entry(code).meaning,
                detail=message.text,
            )
        elif found := UNHEALTHY.search(message.text):
            facts = message.facts(text, pid=None, device=found[1])
            yield GpuToolError(**facts, severity=Severity.CRITICAL, about="other", text=message.text)


PARSER = Parser(
    tool="nvidia-device-plugin",
    medium="gpu",
    footprint=footprint_of(XID, UNHEALTHY),
    read=read,
)
