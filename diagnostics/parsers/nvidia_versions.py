"""Which version of the NVIDIA driver is loaded, and which is installed.

    NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.154.05  Thu Dec 28 15:37:48 UTC 2023
    $ modinfo -F version nvidia
    535.161.07
    /usr/lib/x86_64-linux-gnu/libnvidia-ml.so.535.161.07
    ii  libnvidia-compute-535:amd64   535.161.07-0ubuntu0.22.04.1   amd64   NVIDIA libcompute package
    ii  nvidia-driver-550-server      550.127.05-0ubuntu0.22.04.1   amd64   NVIDIA Server Driver metapackage
    nvidia-driver-cuda-libs-550.54.15-1.el9.x86_64
    ii  nvidia-fabricmanager-535      535.161.07-1                  amd64   Fabric Manager for NVSwitch based systems
    driver                 560.35.03
    nvidia-fabricmanager   550.90.07

Libraries of the forward compatibility package are skipped: they are meant to be newer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Source
from ..evidence.gpu import NvidiaDriverVersion
from ..footprint import footprint_of
from ..text import Text
from . import Parser

VERSION = r"(?<![\d.])(\d{3}\.\d{1,3}(?:\.\d{1,2})?)"
# NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.154.05  ...     ... Open Kernel Module for x86_64  570.158.01
# Release Build
LOADED = re.compile(rf"^NVRM version: NVIDIA UNIX .{{0,40}}Kernel Module .{{0,20}}{VERSION}\b")
QUESTION = re.compile(
    r"\bmodinfo (?:-F ?version nvidia|nvidia .{0,20}-F ?version)\b|(?P<in_use>\bcat /sys/module/nvidia/version\b)"
)
MODULE = re.compile(rf"^(?:version:\s{{1,20}})?{VERSION}\s*$")
LIBRARY = re.compile(r"\blib(?:nvidia-ml|cuda)\.so\.(\d{3}\.\d{1,3}(?:\.\d{1,2})?)\b")
# ii  libnvidia-compute-535:amd64   535.161.07-0ubuntu0.22.04.1      ii  nvidia-driver-550-server
# 550.127.05-0ubuntu0.22.04.1 nvidia-driver-550/jammy-updates,now 550.120-0ubuntu0.22.04.1 amd64 [installed]
# kmod-nvidia-latest-dkms-550.54.15-1.el9.x86_64
_OF_THE_DRIVER = (
    r"libnvidia-compute-\S{1,40}|nvidia-smi|nvidia-utils-\S{1,20}|libcuda1\S{0,10}"
    r"|libnvidia-ml1\S{0,10}|nvidia-(?:driver|headless|dkms)-\d{3}[\w.:-]{0,24}|cuda-drivers-\d{3}(?::\w{1,8})?"
)
PACKAGE = re.compile(
    rf"^[ih]i  (?:{_OF_THE_DRIVER}) {{1,40}}{VERSION}-"
    rf"|^(?:{_OF_THE_DRIVER})/\S{{1,60}} {VERSION}-\S{{1,40}} \w{{1,10}} \[installed"
    "|^(?:kmod-nvidia(?:-open|-latest)?(?:-dkms)?|nvidia-(?:kmod|driver)(?:-cuda)?(?:-libs)?"
    rf"|nvidia-driver-NV\w{{2,4}})-(?:\d:)?{VERSION}-\d"
)
# ii  nvidia-fabricmanager-535   535.161.07-1      nvidia-fabricmanager   550.90.07      Fabric Manager version is :
# 550.90.07
FABRIC_MANAGER = re.compile(rf"(?i)\b(?:nv(?:idia)?[ -]?)?fabric[ -]?manager\b[^\n]{{0,40}}?[ \t:=-]{VERSION}\b")
# driver   560.35.03      NVIDIA driver version: 560.35.03
LISTED = re.compile(
    rf"(?i)^[ \t]{{0,8}}(?:(?:nvidia|gpu|cuda)[ -])?driver(?: version)?[ \t]{{0,2}}[ \t:=|]{{1,24}}{VERSION}\s*$"
)
COMPATIBLE = re.compile(r"compat", re.I)


def read(text: Text) -> Iterator[NvidiaDriverVersion]:
    awaited: list[str] = []
    for line in text.lines():
        row = line.text[:400]
        part, found = "", None
        if found := LOADED.match(row):
            part = "loaded"
        elif awaited and (found := MODULE.match(row)):
            part = awaited.pop(0)
        elif ((found := LIBRARY.search(row)) and not COMPATIBLE.search(row)) or (found := PACKAGE.match(row)):
            part = "library"
        elif found := FABRIC_MANAGER.search(row):
            part = "fabric-manager"
        elif found := LISTED.match(row):
            part = "loaded"
        if questions := list(QUESTION.finditer(row)):  # one command may ask for both
            awaited = ["loaded" if each["in_use"] else "module" for each in questions]
        elif part not in ("loaded", "module"):
            awaited = []
        if found:
            yield NvidiaDriverVersion(
                source=Source(text.name, line.number, line.quote), part=part, version=_version(found)
            )


def _version(found: re.Match[str]) -> str:
    """The one group that matched."""
    return next(group for group in found.groups() if group)


PARSER = Parser(
    tool="versions of the NVIDIA driver",
    medium="gpu",
    footprint=footprint_of(LOADED, QUESTION, LIBRARY, PACKAGE, FABRIC_MANAGER, LISTED),
    read=read,
)
