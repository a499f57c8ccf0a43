"""Packages that changed: apt's history.log, dpkg.log, unattended-upgrades, dnf and yum.

Start-Date: 2021-05-08  06:21:10
Commandline: /usr/bin/unattended-upgrade
Upgrade: libnvidia-common-460:amd64 (460.56-0ubuntu0.20.04.1, 460.73.01-0ubuntu0.20.04.1)
2024-05-01 06:21:10 upgrade nvidia-driver-535:amd64 535.154.05-0ubuntu1 535.161.08-0ubuntu1
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..envelope.times import ISO, iso_stamp
from ..evidence import Source, Stamp
from ..evidence.job import PackageChanged
from ..text import Line, Text
from . import Parser

FOOTPRINT = (
    r"^(?:Install|Upgrade|Remove|Purge|Downgrade|Reinstall): \S+:\w+ \("
    r"|^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d (?:install|upgrade|remove|purge) \S+:\w+ \S+ \S+$"
    r"|SUBDEBUG (?:Upgraded?|Installed|Erased?): \S+"
    r"|Packages that will be upgraded: \S"
)
START = re.compile(r"^Start-Date: (\d{4}-\d\d-\d\d) +(\d\d:\d\d:\d\d)")
# Upgrade: libnvidia-common-460:amd64 (460.56-0ubuntu0.20.04.1, 460.73.01-0ubuntu0.20.04.1), zlib1g:amd64 (1, 2)
APT = re.compile(r"^(Install|Upgrade|Remove|Purge|Downgrade|Reinstall): ")
ITEM = re.compile(r"(?:^|[ ,])([^\s,()]{1,200}):\w{1,20} \(([^,()]{1,200})(?:, ([^,()]{1,200}))?(?:, automatic)?\)")
# 2024-05-01 06:21:10 upgrade nvidia-driver-535:amd64 535.154.05-0ubuntu1 535.161.08-0ubuntu1
DPKG = re.compile(rf"^({ISO}) (install|upgrade|remove|purge) ([^\s:]{{1,200}}):\w{{1,20}} (\S{{1,200}}) (\S{{1,200}})$")
# 2024-05-01T06:21:10+0000 SUBDEBUG Upgraded: nvidia-driver-3:535.154.05-1.el9.x86_64
DNF = re.compile(rf"^({ISO}) SUBDEBUG (Upgrade|Upgraded|Installed|Erase|Erased): (\S{{1,200}}?)-(\d\S{{0,200}})$")
# 2024-05-01 06:21:10,505 INFO Packages that will be upgraded: nvidia-driver-535 libnvidia-compute-535
UNATTENDED = re.compile(rf"^({ISO}) INFO Packages that will be upgraded: (.{{1,8000}})$")


def read(text: Text) -> Iterator[PackageChanged]:
    started: Stamp | None = None
    for line in text.lines():
        if start := START.match(line.text):
            started = iso_stamp(f"{start[1]} {start[2]}")
        elif action := APT.match(line.text):
            for package, first, second in ITEM.findall(line.text):
                gone = action[1] in ("Remove", "Purge")
                changed = action[1] in ("Upgrade", "Downgrade")
                yield _changed(
                    text,
                    line,
                    started,
                    package,
                    first if gone or changed else None,
                    second if changed else None if gone else first,
                )
        elif found := DPKG.match(line.text):
            old, new = (None if version == "<none>" else version for version in (found[4], found[5]))
            yield _changed(
                text, line, iso_stamp(found[1]), found[3], old, new if found[2] in ("install", "upgrade") else None
            )
        elif found := DNF.match(line.text):
            is_new = found[2] in ("Upgrade", "Installed")
            yield _changed(
                text, line, iso_stamp(found[1]), found[3], None if is_new else found[4], found[4] if is_new else None
            )
        elif found := UNATTENDED.match(line.text):
            for package in found[2].split():
                yield _changed(text, line, iso_stamp(found[1]), package, None, None)


def _changed(
    text: Text, line: Line, stamp: Stamp | None, package: str, old: str | None, new: str | None
) -> PackageChanged:
    return PackageChanged(
        source=Source(text.name, line.number, line.quote),
        stamp=stamp,
        package=package,
        old=old or None,
        new=new or None,
    )


PARSER = Parser(tool="package managers' histories", medium="settings", footprint=FOOTPRINT, read=read)
