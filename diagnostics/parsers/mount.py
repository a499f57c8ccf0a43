"""`mount` without arguments.

    mfs#10.0.0.1:9421 on /workspace type fuse (rw,nosuid,nodev,relatime,user_id=0,group_id=0,allow_other)

A mount point may hold spaces. What the helpers (`mount.nfs: Connection timed out`) say is read too; the errors
of mount itself are read with those of other tools.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Evidence, Severity, Subject
from ..evidence.storage import ToolError
from ..text import Text
from . import Parser
from ._errno import errno_in
from ._mounts import mount
from ._snapshot import source

# /dev/sdb1 on /data set type xfs (ro,relatime,attr2)
ROW = re.compile(
    r"^(\S.{0,1000}?) on (/.{0,4000}?) type ([\w.-]{1,40}) \(((?:rw|ro)[^()]{0,8000})\)(?: \[[^\]]{0,80}\])?\s*$"
)
# mount.nfs: Connection timed out       Output: mount.nfs: Connection timed out mount error 110 = Connection timed out
# mount error(112): Host is down     mount error: no mds (Metadata Server) is up. ...
NUMBERED = re.compile(r"\bmount error(?: (?P<ceph>\d{1,3}) ?= ?|\((?P<cifs>\d{1,3})\): ?|: )(?P<said>\S.{0,300})$")
ERROR = re.compile(r"^(?:Output: )?u?mount\.[a-z0-9]{1,20}: (?:(/[^:]{0,4000}): )?(\S.{0,300})$")


def read(text: Text) -> Iterator[Evidence]:
    for line in text.lines():
        row = line.text[:14_000]
        if found := ROW.match(row):
            device, point, type_, options = found.groups()
            yield mount(text, line, device, point, type_, options)
        elif found := ERROR.match(row):
            yield ToolError(
                source=source(text, line),
                subject=Subject(path=found[1]),
                severity=Severity.WARNING,
                tool=row.removeprefix("Output: ").partition(":")[0],
                error=errno_in(found[2]),
                text=found[2],
                operation="mount",
            )
        elif found := NUMBERED.search(row[-2000:]):
            yield ToolError(
                source=source(text, line),
                severity=Severity.WARNING,
                tool="mount.cifs" if found["cifs"] else "mount.ceph",
                error=errno_in(found["said"]),
                text=found["said"],
                operation="mount",
            )


PARSER = Parser(
    tool="mount",
    medium="mounts",
    footprint=r"^\S[^\n]{0,1000} on /[^\n]{0,1000} type [\w.-]+ \((rw|ro)\b"
    r"|\bmount error( \d{1,3} ?=|\(\d{1,3}\):|:) ?\S|^(Output: )?u?mount\.[a-z0-9]+: \S",
    read=read,
)
