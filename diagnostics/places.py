"""The words by which people say where data lie and where machines stand."""

from __future__ import annotations

# where data lie
PLACES = (
    r"nfs|efs|lustre|gpfs|ceph(?:fs)?|beegfs|weka|moosefs|mfs|gluster(?:fs)?|juicefs|jfs|sshfs|cifs|smb|s3(?:fs)?"
    r"|gcs(?:fuse)?|fuse|rclone|blobfuse|hdfs|bucket|nas|network (?:share|volume|drive|disk|file ?system)"
    r"|shared (?:storage|volume|drive|file ?system)"
    r"|local(?: (?:ssd|nvme|disk|drive|file ?system|fs|storage|copy))?|ssd|nvme|hdd|ramdisk|tmpfs"
)
# where machines stand
SITES = r"site|cluster|cent(?:er|re)|data ?cent(?:er|re)|lab|provider|region"
