"""Ceph's tools: `rbd status`, `ceph health detail`, `ceph osd df`, `ceph osd blocklist ls`.

    Watchers: none
    HEALTH_WARN 1 MDSs report slow metadata IOs; 12 slow ops, oldest one blocked for 812 sec
    192.0.2.7:0/3710147553 2026-11-29T13:20:01.123456+0000

    ID  CLASS  WEIGHT   REWEIGHT  SIZE    RAW USE  DATA     OMAP     META      AVAIL  %USE    VAR   PGS  STATUS
     2    hdd  0.00980   1.00000  10 GiB   10 GiB  9.0 GiB  1.4 MiB  1023 MiB    0 B  100.00  1.00    0    down

An image without watchers is one that no client has open: a pod that still has it mounted was shut out. A
blocklist entry is such a client; one with a port is a daemon's (a manager's or a metadata server's) and is skipped,
with the clients that were listed beside it: a manager that takes over lists its predecessor and all that it had opened.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Severity, Subject
from ..evidence.storage import VolumeClientMessage
from ..footprint import footprint_of
from ..text import Line, Text
from . import Parser
from ._snapshot import source, stamp_of

WATCHERS = re.compile(r"^\s*(?:Watchers: none|watcher=(\S{1,80}) client\.\d{1,12} cookie=\d{1,20})\s*$")
HEALTH = re.compile(r"^\s*(?:health: )?(HEALTH_(?:WARN|ERR))\b(.{0,300})$")
#             1 full osd(s)
BELOW = re.compile(r"^\s{4,30}\d{1,9} (?:full osd\(s\)|pool\(s\) full|full osds?)\s*$")
#             Reduced data availability: 12 pgs inactive, 12 pgs down
UNAVAILABLE = re.compile(
    r"^\s{4,30}(?:Reduced data availability: .{0,60}(?:inactive|down|stale|incomplete)"
    r"|\d{1,6} (?:MDSs? report slow|filesystems? is (?:offline|degraded)|pgs? (?:inactive|stale|down)\b))"
)
DETAIL = re.compile(r"^\[(?:WRN|ERR)\] ([A-Z_]{4,40}): (.{1,300})$")
# listed 1 entries        192.0.2.7:0/3710147553 2026-11-29T13:20:01.123456+0000
BLOCKED = re.compile(r"^((?:\d{1,3}\.){3}\d{1,3}|\[[0-9a-f:]{2,40}\]):0/\d{1,12} (\d{4}-\d\d-\d\d[T ]\S{8,40})\s*$")
# 192.0.2.7:6801/2719403312 2026-11-29T13:20:01.123456+0000
OF_DAEMON = re.compile(
    r"^((?:\d{1,3}\.){3}\d{1,3}|\[[0-9a-f:]{2,40}\]):[1-9]\d{1,4}/\d{1,12} (\d{4}-\d\d-\d\d[T ][\d:]{8})"
)
TO_SECONDS = 19  # characters of a time
# the columns that stand before and after what is used; their number changes from version to version
OSDS = re.compile(r"^ID +CLASS +WEIGHT +REWEIGHT +SIZE +.{3,60}%USE +VAR ")
OSD = re.compile(r"^ *(\d{1,6}) +\S{1,12} +[\d.]{1,12} +[\d.]{1,12} +\d.{10,100}? (\d{1,3}\.\d\d) +\d{1,4}\.\d\d ")
FULL_PERCENT = 95.0  # from here on the cluster takes no more writes
FULL = re.compile(r"(?i)(?<!near)(?<!backfill)\bfull\b|OSD_FULL|POOL_FULL")
# pool 'rbd-team' is full (reached quota's max_bytes: 2 TiB)       (the cluster has room)
QUOTA = re.compile(r"\bpool '[^']{1,80}' is full \((?:reached|running out of) quota")
# 2019-01-10 20:56:00.106613 [WRN]  slow request 30.382774 seconds old, received at
SLOW = re.compile(
    r"^\s{4,30}\d{1,8} slow ops, oldest one blocked for"
    r"|\[WRN\][ :]+(?:\d{1,8} )?slow requests?,? .{0,60}oldest blocked for"
    r"|\[WRN\][ :]+slow request \d{1,8}\.\d{1,9} seconds old|\[WRN\] .{0,80}slow requests are blocked > \d"
)
CLEARED = re.compile(r"\[INF\] .{0,80}(?:cleared|Health check cleared).{0,80}slow (?:requests|ops|metadata)", re.I)
OUT = re.compile(
    "(?i)slow (?:ops|requests|metadata)|failed mds|filesystems? is (?:degraded|offline)|down|inactive|stale|laggy"
    "|unavailable"
)


def read(text: Text) -> Iterator[VolumeClientMessage]:
    osds = False
    daemons = {found.groups() for line in text.lines() if (found := OF_DAEMON.match(line.text[:200]))}
    for line in text.lines():
        row = line.text[:500]
        osds = osds or OSDS.match(row) is not None
        if osds and (found := OSD.match(row)) and float(found[2]) >= FULL_PERCENT:
            yield told(text, line, "ceph", "no-space", f"osd.{found[1]} is {found[2]} % full")
        elif WATCHERS.match(row):
            yield told(text, line, "rbd", "other", row)
        elif CLEARED.search(row):
            yield told(text, line, "ceph", "recovered", row)
        elif SLOW.search(row):
            yield told(text, line, "ceph", "slow", row)
        elif (found := BLOCKED.match(row)) and (found[1], found[2][:TO_SECONDS]) in daemons:
            continue
        elif found := BLOCKED.match(row):
            yield told(text, line, "ceph", "connection-lost", f"blocklisted until {found[2]}", found[1])
        elif QUOTA.search(row):
            yield told(text, line, "ceph", "over-quota", row)
        elif BELOW.match(row):
            yield told(text, line, "ceph", "no-space", row)
        elif UNAVAILABLE.match(row):
            yield told(text, line, "ceph", "timed-out", row)
        elif found := HEALTH.match(row) or DETAIL.match(row):
            about = "no-space" if FULL.search(found[2]) else "timed-out" if OUT.search(found[2]) else "other"
            about = "over-quota" if QUOTA.search(found[2]) else about
            yield told(text, line, "ceph", about, row)


def told(
    text: Text, line: Line, filesystem: str, about: str, said: str, client: str | None = None
) -> VolumeClientMessage:
    return VolumeClientMessage(
        source=source(text, line),
        subject=Subject(host=client),
        stamp=stamp_of(line.text) if about != "connection-lost" else None,
        severity=Severity.INFO if about == "other" else Severity.WARNING,
        filesystem=filesystem,
        about=about,
        text=said.strip(),
    )


PARSER = Parser(
    tool="ceph, rbd",
    medium="system-log",
    footprint=footprint_of(WATCHERS, HEALTH, QUOTA, SLOW, BLOCKED, OSDS, DETAIL),
    read=read,
)
