"""How long a container's liveness probe waits, from `kubectl describe pod` or a manifest.

    Liveness:     http-get http://:8080/health delay=30s timeout=2s period=10s #success=1 #failure=3

    livenessProbe:
      failureThreshold: 1
      periodSeconds: 5
      timeoutSeconds: 3

Told is for how many seconds a container may give no answer: the time-out of one look, and a period for each failure
more that is allowed. What a manifest leaves out has Kubernetes's own value. Other probes are skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Source
from ..evidence.job import SettingSeen
from ..footprint import footprint_of
from ..setting_names import PROBE_ALLOWS
from ..text import Line, Text
from . import Parser

# Liveness:     http-get http://:8080/health delay=30s timeout=2s period=10s #success=1 #failure=3
DESCRIBED = re.compile(
    r"^\s{0,12}Liveness:\s{1,12}\S.{0,300}? timeout=(?P<timeout>\d{1,6})s period="
    r"(?P<period>\d{1,6})s .{0,40}#failure=(?P<failure>\d{1,4})\b"
)
# livenessProbe:
BEGIN = re.compile(r"^(?P<indent>[ -]{0,40})livenessProbe:\s{0,8}$")
# "livenessProbe":{"failureThreshold":1,"periodSeconds":5,"timeoutSeconds":3}
IN_JSON = re.compile(r"\"livenessProbe\"\s?:\s?(?P<body>\{.{0,600})")
KEY = re.compile(r"\b(timeoutSeconds|periodSeconds|failureThreshold)\"?\s{0,4}:\s{0,4}(\d{1,6})\b")
DEFAULTS = {"timeoutSeconds": 1, "periodSeconds": 10, "failureThreshold": 3}
LINES = 20  # of one probe in a manifest


def read(text: Text) -> Iterator[SettingSeen]:
    for line in text.lines():
        said = line.text[:1000]
        if found := DESCRIBED.match(said):
            yield _told(text, line, *(int(found[name]) for name in ("timeout", "period", "failure")))
        elif found := BEGIN.match(said):
            yield from _of(text, line, _block(text, line, len(found["indent"])))
        elif found := IN_JSON.search(said):
            yield from _of(text, line, found["body"].partition('Probe"')[0])


def _block(text: Text, line: Line, indent: int) -> str:
    """The lines below that are indented further."""
    lines: list[str] = []
    for below in text.after(line, limit=LINES):
        if len(below.text) - len(below.text.lstrip()) <= indent:
            break
        lines.append(below.text[:200])
    return "\n".join(lines)


def _of(text: Text, line: Line, body: str) -> Iterator[SettingSeen]:
    said = {name: int(value) for name, value in KEY.findall(body)}
    if said:
        told = DEFAULTS | said
        yield _told(text, line, told["timeoutSeconds"], told["periodSeconds"], told["failureThreshold"])


def _told(text: Text, line: Line, timeout: int, period: int, failures: int) -> SettingSeen:
    return SettingSeen(
        source=Source(text.name, line.number, line.quote),
        name=PROBE_ALLOWS,
        value=str(timeout + max(failures - 1, 0) * period),
    )


PARSER = Parser(
    tool="a liveness probe's settings",
    medium="settings",
    footprint=footprint_of(DESCRIBED, BEGIN, IN_JSON),
    read=read,
)
