"""The kernel's NFS client.

    nfs: server 10.0.0.7 not responding, still trying
    nfs: server 10.0.0.7 OK

Not responding and OK are paired by server; what the client says besides is kept as its message.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence import Evidence
from ..evidence.kernel import NetworkFilesystemMessage, NfsNotResponding, NfsOk
from ..text import Text
from . import Parser
from ._table import CRITICAL, INFO, WARNING, Row, Table

_SERVER = r"(?P<server>[\w.:\[\]%-]{1,255})"
TABLE = Table(
    Row(rf"(?:nfs|lockd|NFS): server {_SERVER} not responding", "not-responding", CRITICAL),
    Row(rf"(?:nfs|lockd|NFS): server {_SERVER} OK\b", "ok", INFO),
    Row(rf"NFS: state manager: .{{1,80}} failed on NFSv4 server {_SERVER} with error", "io-error", CRITICAL),
    Row(rf"NFS: server {_SERVER} error: fileid changed", "stale", WARNING),
    Row(
        rf"nfs4_reclaim_open_state: .{{1,80}}|NFS: .{{0,80}}[Ss]tale file handle|NFS: {_SERVER}: lost \d+ locks",
        "stale",
        WARNING,
    ),
    Row(r"(?:NFS|RPC): .{0,80}(?:lease expired|has expired|timed out|connection refused)", "other", WARNING),
    Row(r"nfs_update_inode: inode .{1,60} mode changed|NFS: Buggy server", "other", WARNING),
)


def read(text: Text) -> Iterator[Evidence]:
    for hit in TABLE.hits(text):
        source, subject, stamp = hit.log.source(hit.line), hit.subject, hit.message.stamp
        if hit.row.about == "not-responding":
            yield NfsNotResponding(source=source, subject=subject, stamp=stamp, severity=hit.row.severity)
        elif hit.row.about == "ok":
            yield NfsOk(source=source, subject=subject, stamp=stamp)
        else:
            yield NetworkFilesystemMessage(
                source=source,
                subject=subject,
                stamp=stamp,
                severity=hit.row.severity,
                filesystem="nfs",
                about=hit.row.about,
                text=hit.message.message[:500],
            )


PARSER = Parser(tool="the kernel's NFS client", medium="kernel-log", footprint=TABLE.footprint, read=read)
