"""Lustre's own view of its connections: `lctl get_param mdc.*.state osc.*.state`, `lctl get_param *.*.import`.

    mdc.scratch-MDT0000-mdc-ff2f0a1cc4c3e000.state=
    current_state: EVICTED
    state_history:
     - [ 1788832102, FULL ]
     - [ 1788832884, EVICTED ]

    osc.scratch-OST0002-osc-ff2f0a1cc4c3e000.import=
    import:
        target: scratch-OST0002_UUID
        state: DISCONN

FULL and IDLE are connections that work. The history is not read: what was over before somebody looked hinders nobody.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Severity, Subject
from ..evidence.kernel import NetworkFilesystemMessage
from ..footprint import footprint_of
from ..text import Text
from . import Parser
from ._snapshot import source

# mdc.scratch-MDT0000-mdc-ff2f0a1cc4c3e000.state=
NAME = re.compile(r"^(?:mdc|osc|osp|lwp|mgc|lmv|lov)\.([\w.@-]{1,120}?)\.(?:state|import)=")
# target: lfs01-OST0000_UUID      (below an import, and alone where somebody searched for it)
TARGET = re.compile(r"^\s{0,8}target: +([\w.-]{1,100}-(?:OST|MDT)[0-9a-f]{4})_UUID\s*$")
# the instance of the client behind the target's name: -mdc-ff2f0a1cc4c3e000
INSTANCE = re.compile(r"-(?:mdc|osc|osp|lwp)(?:-[0-9a-f]{8,16})?$")
STATE = re.compile(r"^\s{0,8}(?:current_state|state): +(FULL|IDLE|EVICTED|DISCONN|CONNECTING|RECOVER|REPLAY\w{0,12})\b")
ABOUT = {"FULL": "recovered", "IDLE": "recovered", "EVICTED": "evicted"}


def read(text: Text) -> Iterator[NetworkFilesystemMessage]:
    target = None
    for line in text.lines():
        row = line.text[:300]
        if found := NAME.match(row):
            target = INSTANCE.sub("", found[1])
        elif found := TARGET.match(row):
            target = found[1]
        elif target and (found := STATE.match(row)):
            about = ABOUT.get(found[1], "connection-lost")
            yield NetworkFilesystemMessage(
                source=source(text, line),
                subject=Subject(device=target),
                severity=Severity.INFO if about == "recovered" else Severity.CRITICAL,
                filesystem="lustre",
                about=about,
                text=f"{target}: {found[1]}",
            )
            target = None


PARSER = Parser(
    tool="lctl get_param",
    medium="system-log",
    footprint=footprint_of(NAME, TARGET),
    read=read,
)
