"""The kernel's clients of network filesystems other than NFS: Lustre, CephFS, RBD, CIFS, BeeGFS, GPFS, 9p, FUSE.

    LustreError: 167-0: scratch-OST0001-osc-ffff: This client was evicted by scratch-OST0001; in progress operations
    ceph: mds0 reconnect denied
    libceph: mds0 192.0.2.114:6812 socket closed (con state OPEN)
    rbd: rbd2: read result -108
    CIFS: VFS: \\\\fileserver has not responded in 180 seconds. Reconnecting...

A recovery line is a fact too: it withdraws a complaint.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from ..evidence.kernel import NetworkFilesystemMessage
from ..text import Text
from . import Parser
from ._table import CRITICAL, INFO, WARNING, Row, Table

_NID = r"(?P<server>[\w.:-]{1,64}@\w{1,16})"
_CEPH = r"(?:lib)?ceph: (?:\[[0-9a-f-]{36} \d+\]:? )?"
_CEPH_PEER = (
    r"(?P<device>(?:mds|osd|mon)\d+)(?: \((?:\d\))?(?P<server>\[?[\w.:]{3,64}\]?:\d+)\)?"
    r"| \(?(?:\d\))?(?P<server2>[\d.]{7,15}:\d+)\)?)?"
)
_LUSTRE = r"(?:Lustre|LustreError|LNetError|LNet): "
TABLE = Table(
    # Lustre: 3:0:(client.c:2289:ptlrpc_expire_one_request()) @@@ Request sent has timed out for slow reply
    Row(rf"{_LUSTRE}.{{0,300}}This client was evicted by (?P<device>[\w.-]{{1,64}})", "evicted", CRITICAL, "lustre"),
    Row(rf"{_LUSTRE}.{{0,200}}Connection to \S{{1,80}} \(at {_NID}\) was lost", "connection-lost", CRITICAL, "lustre"),
    Row(rf"{_LUSTRE}.{{0,200}}Connection restored to \S{{1,80}} \(at {_NID}\)", "recovered", INFO, "lustre"),
    Row(rf"{_LUSTRE}.{{0,200}}Connection restored to", "recovered", INFO, "lustre"),
    Row(rf"{_LUSTRE}.{{0,200}}Request sent has (?:timed out|failed)", "not-responding", CRITICAL, "lustre"),
    Row(rf"{_LUSTRE}.{{0,200}}operation \w{{1,40}} to node {_NID} failed: rc = -107",
        "connection-lost", CRITICAL, "lustre"),
    Row(rf"{_LUSTRE}.{{0,300}}rc = -28\b", "no-space", CRITICAL, "lustre"),
    Row(rf"{_LUSTRE}.{{0,200}}operation \w{{1,40}} to node {_NID} failed: rc = -\d+", "io-error", CRITICAL, "lustre"),
    Row(r"LNetError: .{0,200}(?:Timed out|No route to|dead|unreachable|timeout)", "connection-lost", WARNING, "lustre"),
    Row(r"LustreError: .{0,200}(?:-5\b|I/O error|BAD (?:READ|WRITE) CHECKSUM)", "io-error", CRITICAL, "lustre"),
    Row(r"LustreError: .{1,40}", "other", WARNING, "lustre"),
    # ceph: mds0 hung      libceph: mon1 10.0.0.3:6789 session lost, hunting for new mon      libceph: osd12 down
    Row(rf"{_CEPH}{_CEPH_PEER} (?:session (?:blacklisted|blocklisted)|(?:was )?(?:blacklisted|blocklisted))",
        "blocklisted", CRITICAL, "ceph"),
    Row(rf"{_CEPH}.{{0,80}}(?:blacklisted|blocklisted)", "blocklisted", CRITICAL, "ceph"),
    Row(rf"{_CEPH}{_CEPH_PEER} (?:reconnect denied|rejected session|closed our session)", "evicted", CRITICAL, "ceph"),
    Row(rf"{_CEPH}.{{0,20}}dropping (?:dirty|unsafe|file locks)", "data-lost", CRITICAL, "ceph"),
    Row(rf"{_CEPH}{_CEPH_PEER} (?:hung|caps (?:went )?stale|is laggy)", "not-responding", CRITICAL, "ceph"),
    # a server closes a connection that was idle for a while; the client opens it again when it needs it
    Row(r"libceph: (?P<device>(?:osd|mon)\d+) (?:\(\d\))?"
        r"(?P<server>\[?[\w.:]{3,64}\]?:\d+) socket closed \(con state OPEN\)", "other", INFO, "ceph"),
    Row(rf"{_CEPH}{_CEPH_PEER} (?:session lost|socket closed|socket error|connect(?:ion)? error|down$|down\b|io error)",
        "connection-lost", WARNING, "ceph"),
    Row(rf"{_CEPH}{_CEPH_PEER} (?:recovery completed|reconnect success|caps renewed|came back|session established|up$)",
        "recovered", INFO, "ceph"),
    Row(rf"{_CEPH}{_CEPH_PEER} (?:reconnect start|weight )", "other", INFO, "ceph"),
    Row("(?:lib)?ceph: .{0,80}(?:bad authorize reply|auth .{0,20}(?:failed|error)"
        r"|(?:osd|mds|mon)\d* .{0,20}timed? ?out)", "io-error", WARNING, "ceph"),
    # rbd: rbd2: read at objno 4 593920~4096 result -108
    Row(r"rbd: (?P<device>rbd\d+): .{0,80}(?:result -108|blacklisted|blocklisted"
        "|failed to (?:(?:re)?acquire .{0,20}lock|(?:re)?register watch: -108))", "blocklisted", CRITICAL, "rbd"),
    Row(r"rbd: (?P<device>rbd\d+): .{0,80}(?:result -\d+|encountered watch error)", "io-error", CRITICAL, "rbd"),
    # CIFS: VFS: \\fileserver has not responded in 180 seconds. Reconnecting...
    Row(r"CIFS:? (?:VFS: )?(?:\\\\(?P<server>[\w.-]{1,255}) |Server )?.{0,60}has not responded in \d+ seconds",
        "not-responding", CRITICAL, "cifs"),
    Row(r"CIFS:? VFS: .{0,80}(?:Send error in (?:read|write)|Error -?\d+ (?:reading|writing)|cifs_invalidate_mapping)",
        "io-error", CRITICAL, "cifs"),
    Row(r"CIFS:? VFS: .{0,80}(?:reconnect .{0,20}failed|[Cc]onnection .{0,20}(?:lost|aborted)|error -?\d+ on ioctl"
        "|mount failed|cifs_mount failed)", "connection-lost", WARNING, "cifs"),
    # beegfs: kworker(1234) >> Remoting (read): Communication error
    Row("[Bb]ee[Gg][Ff][Ss]: .{0,200}(?:Communication error|timed out|[Cc]onnect(?:ion)? (?:lost|refused|failed)"
        "|Unable to (?:connect|establish))", "not-responding", CRITICAL, "beegfs"),
    Row(r"[Bb]ee[Gg][Ff][Ss]: .{0,200}(?:Connected|reconnected|Retry succeeded)", "recovered", INFO, "beegfs"),
    # mmfs: [E] Lost membership in cluster gpfs1. Unmounting file systems.
    Row(r"(?:mmfs|GPFS|\[E\]|\[N\]|\[X\]).{0,120}(?:expelled from|[Ll]ost membership in cluster)",
        "evicted", CRITICAL, "gpfs"),
    # [N] Node 10.0.4.12 (nsd02) lease renewal is overdue. Pinging to check if it is alive
    Row(r"(?:mmfs|GPFS|\[E\]|\[N\]|\[X\]).{0,120}lease .{0,20}(?:overdue|expired)", "not-responding", CRITICAL, "gpfs"),
    # [N] Close connection to 10.0.0.1 nsd1 <c0n0> (Node failed)
    Row(r"(?:mmfs|GPFS|\[E\]|\[N\]|\[X\]).{0,20}Close connection to .{1,100} \(Node failed\)",
        "not-responding", CRITICAL, "gpfs"),
    Row(r"(?:mmfs\w*|GPFS): .{0,120}(?:[Uu]nmounting file systems|Deadman Switch|not responding|[Dd]isk failure)",
        "not-responding", CRITICAL, "gpfs"),
    # 9pnet: -- p9_fd_create_tcp (123): problem connecting socket to 10.0.0.1
    Row(r"9pnet(?:_\w+)?: .{0,80}(?:problem connecting|timed out|no channels available)",
        "connection-lost", WARNING, "9p"),
    # fuse: connection aborted      fuse: trying to steal weird page
    Row(r"fuse: .{0,60}(?:[Cc]onnection (?:aborted|timed out)|request timed? ?out|server .{0,40}timed? ?out)",
        "connection-lost", CRITICAL, "fuse"),
    # wekafs: container client lost connection to cluster; IO will block
    Row(r"(?:wekafs\w*|weka_driver|panfs|vast-?nfs|afs|orangefs): .{0,120}"
        "(?:[Ll]ost (?:connection|contact)|not responding|timed? ?out|unreachable|disconnected)",
        "not-responding", CRITICAL, "cluster"),
    Row(r"(?:orangefs|ocfs2|gfs2|dlm): .{0,120}(?:timed? ?out|fenced|withdraw|not responding)",
        "not-responding", CRITICAL, "cluster"),
)  # fmt: skip


def read(text: Text) -> Iterator[NetworkFilesystemMessage]:
    for hit in TABLE.hits(text):
        subject = hit.subject
        named = hit.match.groupdict().get("server2")
        if named and subject.server is None:
            subject = dataclasses.replace(subject, server=named)
        yield NetworkFilesystemMessage(
            source=hit.log.source(hit.line),
            subject=subject,
            stamp=hit.message.stamp,
            severity=hit.row.severity,
            filesystem=hit.row.of,
            about=hit.row.about,
            text=hit.message.message[:500],
        )


PARSER = Parser(
    tool="the kernel's clients of network filesystems", medium="kernel-log", footprint=TABLE.footprint, read=read
)
