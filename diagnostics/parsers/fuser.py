"""`fuser -v /dev/nvidia*`: who holds the device files of GPUs.

                         USER        PID ACCESS COMMAND
    /dev/nvidia0:        ubuntu    18223 F...m python
                         ubuntu    18224 F...m python
    /dev/nvidia1:        30991m 30992m

The last is how it answers without -v. A row without a file belongs to the file above. Rows of the driver's control
files name no GPU and are skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.gpu import GpuProcess
from ..text import Text
from . import Parser
from ._snapshot import source

HEADER = re.compile(r"^\s{4,60}USER +PID ACCESS COMMAND\s*$")
ROW = re.compile(r"^(?P<file>/\S{1,200}:)? +\S{1,40} +(?P<pid>\d{1,10}) [fFmceTrR.]{3,8} (?P<comm>\S.{0,60}?)\s*$")
GPU = re.compile(r"^/dev/nvidia(\d{1,3}):$")
# /dev/nvidia1:        30991m 30992m
SHORT = re.compile(
    r"^/dev/nvidia(?P<gpu>\d{1,3}): {1,40}(?P<pids>\d{1,10}[cefFrm]{0,3}(?: {1,8}\d{1,10}[cefFrm]{0,3}){0,200})\s*$"
)
NAMED = re.compile(r"^/dev/nvidia\d{1,3}: ")  # the header may have been left out


def read(text: Text) -> Iterator[GpuProcess]:
    inside, gpu = False, None
    for line in text.lines():
        row = line.text[:400]
        if HEADER.match(row):
            inside, gpu = True, None
        elif found := SHORT.match(row):
            for pid in re.findall(r"\d{1,10}", found["pids"]):
                subject = Subject(pid=int(pid), gpu=int(found["gpu"]))
                yield GpuProcess(source=source(text, line), subject=subject, name="")
        elif (inside or NAMED.match(row)) and (found := ROW.match(row)):
            inside = True
            if found["file"]:
                named = GPU.match(found["file"])
                gpu = int(named[1]) if named else None
            if gpu is not None:
                comm = found["comm"].strip("()")
                pid = int(found["pid"])
                yield GpuProcess(source=source(text, line), subject=Subject(pid=pid, comm=comm, gpu=gpu), name=comm)
        elif row.strip():
            inside = False


PARSER = Parser(
    tool="fuser",
    medium="gpu",
    footprint=r"^\s{4,60}USER +PID ACCESS COMMAND\s{0,4}$"
    r"|^/dev/nvidia\d{1,3}: {1,40}(\d{1,10}[cefFrm]{0,3}( |\s*$)|\S{1,40} +\d{1,10} [fFmceTrR.]{3,8} \S)",
    read=read,
)
