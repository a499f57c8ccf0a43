"""User-space clients of network filesystems: what they write to syslog or to a log of their own.

    mfsmount[25425]: file: 6, index: 0, chunk: 0000000000000004, version: 1 - there are no valid copies
    mfsmount[3177]: file: 66, index: 0, chunk: 00000000AE, version: 15 - writeworker: connection with (10.0.0.2:9422) was timed out
    [2024-05-01 10:00:00.1] C [rpc-clnt-ping.c:155:...] 0-vol-client-0: server 10.0.0.1:49152 has not responded in the last 42 seconds
    mfsmaster[882]: chunkserver disconnected - ip: 10.20.4.31 / port: 9422, usedspace: 18140622479360 (16894.77 GiB)
    juicefs[4242] <WARNING>: fail to read object: timed out after 1m0s

What a client says at its start (sizes, limits, versions) is skipped.
"""  # noqa: E501

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.storage import VolumeClientMessage
from ..filesystems import CLIENTS
from ..text import Text
from . import Parser
from ._table import CRITICAL, INFO, WARNING, Hit, Row, Table

_ADDRESS = r"\(?(?P<server>\[?[\w.:]{3,64}?\]?:\d{1,5})\)?"
_MFS = r"(?:mfsmount(?:\[\d+\])?: (?:\[\w{4,8}\] )?)"
_CHUNK = r"(?:file|inode): (?:\d+), index: \d+"
TABLE = Table(
    Row(rf"{_CHUNK}.{{0,200}}(?:No space left|ENOSPC)|error writing file number.{{0,80}}(?:No space left|ENOSPC)",
        "no-space", CRITICAL, "moosefs"),
    # fs_writechunk returned status: Quota exceeded      error writing file number 8: EDQUOT (Quota exceeded)
    Row(rf"{_CHUNK}.{{0,120}}fs_\w+ returned status: Quota exceeded|error writing file number.{{0,80}}EDQUOT",
        "over-quota", CRITICAL, "moosefs"),
    Row(r"\d-[\w-]{1,80}: .{0,200}\[Disk quota exceeded\]", "over-quota", CRITICAL, "glusterfs"),
    Row(r"\d-[\w-]{1,80}: .{0,200}\[No space left on device\]", "no-space", CRITICAL, "glusterfs"),
    Row(r"(?:juicefs|s3fs|gcsfuse|rclone|sshfs|goofys|ceph-fuse)\S{0,40}: .{0,200}(?i:quota exceeded)",
        "over-quota", CRITICAL, "fuse"),
    Row(r"juicefs\S{0,12} <(?:WARNING|ERROR|FATAL)>: .{0,200}(?i:no space left on device)",
        "no-space", CRITICAL, "juicefs"),
    Row(r"(?:s3fs|gcsfuse|rclone|sshfs|goofys|ceph-fuse)\S{0,40}: .{0,200}(?i:no space left on device)",
        "no-space", CRITICAL, "fuse"),
    Row(rf"{_CHUNK}.{{0,120}}(?:there are no valid copies|no valid copies|no copies)",
        "no-copies", CRITICAL, "moosefs"),
    Row(rf"{_CHUNK}.{{0,120}}fs_write\w* returned status", "write-failed", CRITICAL, "moosefs"),
    Row(rf"{_CHUNK}.{{0,120}}fs_\w+ returned status: (?:Chunkserver not present|No such chunk|Chunk lost)",
        "no-copies", CRITICAL, "moosefs"),
    Row(rf"{_CHUNK}.{{0,120}}fs_\w+ return(?:ed|s) status", "other", WARNING, "moosefs"),
    Row(rf"{_CHUNK}.{{0,120}}connection with {_ADDRESS} was timed out", "timed-out", CRITICAL, "moosefs"),
    Row(rf"{_CHUNK}.{{0,120}}connection with {_ADDRESS} (?:was reset|error|closed)",
        "connection-lost", CRITICAL, "moosefs"),
    Row(rf"{_CHUNK}.{{0,120}}(?:can't connect to|connection refused|connect error) ?{_ADDRESS}",
        "connection-lost", CRITICAL, "moosefs"),
    # LizardFS: read file error, inode: 4, index: 0, chunk: 97, version: 1 - Chunkserver communication timed out:
    # 192.0.2.7:9422 (try counter: 1)
    Row(rf"{_CHUNK}.{{0,120}}(?:timed out|time-out|timeout): ?{_ADDRESS}", "timed-out", CRITICAL, "moosefs"),
    Row(rf"{_CHUNK}.{{0,120}}[Cc]hunkserver communication (?:error|failed|closed|reset): ?{_ADDRESS}",
        "connection-lost", CRITICAL, "moosefs"),
    Row(rf"{_CHUNK}.{{0,200}}(?:write (?:error|failed)|writeworker.{{0,40}}error|error writing)",
        "write-failed", CRITICAL, "moosefs"),
    Row(rf"{_CHUNK}.{{0,200}}(?:timed out|time-out|timeout)", "timed-out", CRITICAL, "moosefs"),
    Row(rf"{_CHUNK}.{{0,200}}(?:error|readblock|reset by peer)", "connection-lost", WARNING, "moosefs"),
    Row(r"error reading file number:? ?\d+", "io-error", CRITICAL, "moosefs"),
    Row(rf"error writing file number:? ?\d+|{_MFS}.{{0,40}}\bwrite(?:_data)?: .{{0,40}}error",
        "write-failed", CRITICAL, "moosefs"),
    Row(rf"{_MFS}.{{0,60}}(?:registered to master|reconnected|connected to new master)", "recovered", INFO, "moosefs"),
    Row(rf"{_MFS}master: .{{0,60}}(?:ETIMEDOUT|timed out|timeout)", "timed-out", CRITICAL, "moosefs"),
    Row(rf"{_MFS}master: .{{0,60}}(?:error|lost|unregistered|can't connect|connection was reset|ECONN\w+)",
        "connection-lost", CRITICAL, "moosefs"),
    Row(rf"{_MFS}.{{0,60}}(?:can't (?:connect|reconnect|resolve)|session not found|lost connection)",
        "connection-lost", CRITICAL, "moosefs"),
    Row(rf"{_MFS}high packet travel time", "other", INFO, "moosefs"),
    # the master of MooseFS about its servers
    Row(r"\bchunkserver disconnected - ip: (?P<server>[\d.]{7,15})\b", "connection-lost", CRITICAL, "moosefs"),
    Row(r"\bchunkserver register (?:begin|end)\b.{0,60}- ip: (?P<server>[\d.]{7,15})\b", "recovered", INFO, "moosefs"),
    # bluestore(/var/lib/ceph/osd/ceph-2) _txc_add_transaction error (28) No space left on device not handled
    Row(r"\bblue(?:store|fs)\b.{0,200}(?:\(28\)|No space left|ENOSPC|enospc|out of space|allocate failed)",
        "no-space", CRITICAL, "ceph"),
    # GlusterFS
    Row(rf"\d-[\w-]{{1,80}}-client-\d+: server {_ADDRESS} has not responded in the last \d+ seconds",
        "timed-out", CRITICAL, "glusterfs"),
    Row(r"\d-[\w-]{1,80}-client-\d+: (?:disconnected from|remote operation failed)",
        "connection-lost", CRITICAL, "glusterfs"),
    Row(r"\d-[\w-]{1,80}-(?:replicate|disperse|dht)(?:-\d+)?: (?:All subvolumes are down|.{0,40}[Qq]uorum is not met)",
        "no-copies", CRITICAL, "glusterfs"),
    Row(r"\d-[\w-]{1,80}-client-\d+: Connected to ", "recovered", INFO, "glusterfs"),
    # JuiceFS, s3fs, gcsfuse, mountpoint-s3, goofys, rclone
    Row(r"juicefs\S{0,12} <WARNING>: Session \d+ was stale and cleaned up", "evicted", CRITICAL, "juicefs"),
    Row(r"juicefs\S{0,12} <FATAL>: .{0,40}mount point is not ready in \d+ seconds",
        "connection-lost", CRITICAL, "juicefs"),
    Row(r"juicefs\S{0,12} <(?:WARNING|ERROR)>: .{0,120}(?:timed? ?out|timeout|slow (?:request|operation))",
        "timed-out", WARNING, "juicefs"),
    Row(r"juicefs\S{0,12} <(?:WARNING|ERROR)>: .{0,120}(?:fail(?:ed)? to (?:upload|write|flush)|write .{0,40}error)",
        "write-failed", CRITICAL, "juicefs"),
    Row(r"juicefs\S{0,12} <(?:WARNING|ERROR|FATAL)>: .{0,120}(?:connection|connect|dial|EOF|broken pipe)",
        "connection-lost", CRITICAL, "juicefs"),
    Row(r"juicefs\S{0,12} <(?:ERROR|FATAL)>: ", "other", WARNING, "juicefs"),
    Row(r"s3fs\S{0,12}: .{0,160}(?:CURLE_OPERATION_TIMEDOUT|timed? ?out)", "timed-out", WARNING, "s3fs"),
    Row(r"s3fs\S{0,12}: failed to (?:read|write)\(remaining: 0 .{0,80}\)", "connection-lost", CRITICAL, "s3fs"),
    Row(r"s3fs\S{0,12}: .{0,160}(?:giving up|CURLE_COULDNT_(?:CONNECT|RESOLVE_HOST)|HTTP response code 50\d)",
        "connection-lost", CRITICAL, "s3fs"),
    Row(r"(?:gcsfuse|\bgcs\b).{0,160}(?:context deadline exceeded|i/o timeout|timed out)",
        "timed-out", WARNING, "gcsfuse"),
    Row(r"\b(?:ReadFile|WriteFile|FlushFile|SyncFile|LookUpInode|OpenFile|ReadDir|CreateFile): .{0,200}"
        r"(?:context deadline exceeded|input/output error|i/o timeout|googleapi: Error 5\d\d)",
        "timed-out", CRITICAL, "gcsfuse"),
    Row(r"mountpoint_s3\S{0,60}: .{0,160}(?:timed? ?out|throttl|failed: )", "timed-out", WARNING, "mountpoint-s3"),
    Row(r"goofys\S{0,20}(?:ERROR|WARNING).{0,160}(?:timed? ?out|RequestError|SlowDown)",
        "timed-out", WARNING, "goofys"),
    Row(r"sshfs\S{0,12}: .{0,80}(?:[Cc]onnection (?:reset|closed)|Timeout|timed out)|remote host has disconnected",
        "connection-lost", CRITICAL, "sshfs"),
    # servers that shut a client out: ceph's MDS, Lustre's targets, an NFS server's expired lease
    Row(r"[Ee]victing (?:\(and (?:block|black)listing\) |unresponsive |laggy )?client(?: session)? ",
        "evicted", CRITICAL, "cephfs"),
    Row(r"(?:osd )?(?:block|black)list(?:ed)? (?:add|addr)\b|adding \S{3,80} to (?:block|black)list"
        r"|(?:block|black)listing \S{0,20} ?\d", "evicted", CRITICAL, "cephfs"),
    Row("(?:haven't heard from client .{0,200}evicting it|evicting client at |lock callback timer expired"
        r"|\bevict\w* (?:client|export))", "evicted", CRITICAL, "lustre"),
    # autofs: automount[811]: failed to mount /home/ada
    Row(r"automount\[\d+\]: .{0,80}(?:no hosts available|failed to mount /|mount .{0,40}timed out)",
        "connection-lost", CRITICAL, "nfs"),
    # CSI: corrupted mount detected in "/var/lib/kubelet/.../mount": stat ...: permission denied
    Row(r"[Cc]orrupted mount (?:detected in|point)\b|\"abnormal\": ?true,.{0,40}health-check has not responded"
        "|volume is abnormal", "connection-lost", CRITICAL, "csi"),
    Row(r"stat /var/lib/kubelet/(?:plugins|pods)/\S{1,300}mount: "
        "(?:permission denied|transport endpoint is not connected|stale (?:NFS )?file handle|input/output error|host "
        "is down)", "connection-lost", CRITICAL, "csi"),
    # librados: tick see no progress in more than 10000000 us during connecting to v2:192.0.2.8:6808/2877638, fault.
    Row(rf"tick see no progress in more than \d+ us during connecting to (?:v\d:)?{_ADDRESS}",
        "connection-lost", CRITICAL, "ceph"),
    # rclone mount: ReadFileHandle.Read error: low level retry 10/10: read tcp ...: i/o timeout
    Row(r"(?:Read|Write)FileHandle\.\w{1,20}:? (?:error|failed).{0,60}(?:low level retry|i/o timeout|connection)",
        "connection-lost", CRITICAL, "rclone"),
    # Gluster's own reports: Brick n2:/bricks/b1   N/A  N/A  N  N/A      Status: Transport endpoint is not connected
    Row(r"^Brick \S{3,200}\s+N/A\s+(?:N/A\s+)?N\s+N/A\b", "connection-lost", CRITICAL, "glusterfs"),
    Row(r"^(?:Brick \S{3,200}\s+)?Status: Transport endpoint is not connected",
        "connection-lost", CRITICAL, "glusterfs"),
    Row(r" - Is in split-brain\b|afr_\w{3,60}: .{0,200}\bGfid mismatch detected|\bGfid mismatch detected for ",
        "io-error", CRITICAL, "glusterfs"),
    # HDFS: its name node takes no writes; the servers of a block are gone
    Row(r"^Safe mode is ON\b|\bName ?node is in safe mode\b", "connection-lost", CRITICAL, "hdfs"),
    Row(r"\bDead datanodes ?\([1-9]\d{0,5}\)|\bBlockMissingException\b|no more good datanodes being available",
        "no-copies", CRITICAL, "hdfs"),
    # XRootD: [3011] No servers are available to read the file.
    Row(r"\[3011\] No servers are available to read the file|Unable to get the response to request kXR_",
        "connection-lost", CRITICAL, "xrootd"),
    # cvmfs2[3100]: (sw.example.org) failed to fetch /x (hash: 5b1f, error 5 [host returned HTTP error])
    Row(r"\bcvmfs2\S{0,12}: .{0,120}failed to (?:fetch|open file|load|mount)\b", "io-error", CRITICAL, "cvmfs"),
    # Alluxio's client: Failed to read block 234881025 from worker WorkerNetAddress{host=...
    Row(r"\bAlluxio\w{0,40} - Failed to (?:read|close|write).{0,300}\b(?:Timeout waiting|will retry|Unavailable)",
        "timed-out", CRITICAL, "alluxio"),
    # blobfuse[4647]: list_blobs_hierarchical failed for the 4 time with errno = 400.
    Row(r"\bblobfuse2?\S{0,12}: \w{3,60} failed for the \d+ time with errno", "io-error", CRITICAL, "blobfuse"),
    Row(r"\bStatus '(?:No such chunk|Chunk lost)' sent by chunkserver", "no-copies", CRITICAL, "moosefs"),
    # mmremote: GPFS is not ready to handle commands yet.
    Row(r"\bGPFS is not ready to handle commands yet\b", "connection-lost", CRITICAL, "gpfs"),
    # GPFS: [E] File System fs1 unmounted by the system with return code 217
    Row(r"\[E\] (?:File System \S{1,80} unmounted by the system|Disk failure\. Volume \S{1,80} rc = \d)",
        "connection-lost", CRITICAL, "gpfs"),
    # rclone: vfs cache: failed to _ensure cache internal error: downloaders is nil
    Row(r"vfs cache: failed to (?:_ensure cache|open|read|download|fetch)\b", "connection-lost", CRITICAL, "rclone"),
    Row(r"vfs cache: failed to (?:upload|write|kick)", "write-failed", WARNING, "rclone"),
    # Longhorn: Engine of volume pvc-77c1 dead unexpectedly     Instance pvc-1-e-0 crashed on Instance Manager ...
    Row(r"Engine of volume \S{1,100} dead unexpectedly|Instance \S{1,120}-e-\w{1,20} crashed on Instance Manager",
        "connection-lost", CRITICAL, "longhorn"),
    # SeaweedFS: fetching chunk 7,02a1c09b11: Get http://...: dial tcp ...: connect: connection refused
    Row(r"(?:fetching|fetch|read|upload) chunk \d{1,9},[0-9a-f]{6,32}\b.{0,200}"
        "(?:connection refused|i/o timeout|no such host|connection reset)", "connection-lost", CRITICAL, "seaweedfs"),
    # XtreemFS: (OSD_Channel_exec): Error 2 while dispatching the request.
    Row(r"xtreemfs\S{0,12}: .{0,200}(?:while dispatching the request|Could not (?:resolve hostname|connect))",
        "connection-lost", CRITICAL, "xtreemfs"),
    # gpud about its mounts: {"mount_point":"/data","mounted":true,"stat_timed_out":true}
    Row(r"\"mount_point\": ?\"(?P<mount>/[^\"]{0,200})\".{0,200}\"stat_timed_out\": ?true",
        "timed-out", CRITICAL, "other"),
    Row(r"\"osd (?:block|black)list\", \"(?:block|black)listop\": \"add\", \"addr\": \"[\d.:\[\]a-f]{3,60}:0/",
        "evicted", CRITICAL, "cephfs"),
    # ceph-fuse
    Row(r"client\.\d+ .{0,80}(?:I was blocklisted|I was blacklisted|evicted|session .{0,20}closed)",
        "evicted", CRITICAL, "cephfs"),
)  # fmt: skip
# mfsmount[25425]: ...   (without a time before it, no layer to peel)
_BARE = re.compile(rf"^(?:{'|'.join(map(re.escape, CLIENTS))})\[(\d{{1,10}})\]:? ")
# cs: C0000214:9432   (a chunkserver's address in hexadecimal)
_HEX_SERVER = re.compile(r"\bcs: ([0-9A-F]{8}):(\d{1,5})")


def read(text: Text) -> Iterator[VolumeClientMessage]:
    for hit in TABLE.hits(text):
        yield VolumeClientMessage(
            source=hit.log.source(hit.line),
            subject=_subject(hit),
            stamp=hit.message.stamp,
            severity=hit.row.severity,
            filesystem=hit.row.of,
            about=hit.row.about,
            text=hit.message.message[:500],
        )


def _subject(hit: Hit) -> Subject:
    subject, bare = hit.subject, _BARE.match(hit.message.message)
    pid = hit.message.pid if hit.message.pid is not None else int(bare[1]) if bare else None
    server = subject.server
    if server is None and (found := _HEX_SERVER.search(hit.message.message)):
        server = ".".join(str(byte) for byte in bytes.fromhex(found[1])) + f":{found[2]}"
    return dataclasses.replace(subject, pid=pid, server=server)


PARSER = Parser(
    tool="user-space clients of network filesystems", medium="system-log", footprint=TABLE.footprint, read=read
)
