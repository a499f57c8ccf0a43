"""Which filesystem a mount is, what that is in one sentence, which server stands behind it, and what differs by it."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Filesystem:
    """A kind of filesystem.

    Parameters
    ----------
    name : the name used in evidence
    title : the name people use
    network : True when the data live behind a server
    what : what it is, one sentence for somebody who never heard the name
    device : pattern of the mount's source; its group `server`, where it has one, is the server
    types : the types that /proc/mounts shows for it
    clients : how the names of the processes begin that serve its mounts on this machine (FUSE)
    daemons : how the names of its servers' processes begin
    """

    name: str
    title: str
    network: bool
    what: str
    device: str = ""
    types: tuple[str, ...] = ()
    clients: tuple[str, ...] = ()
    daemons: tuple[str, ...] = ()

    @property
    def is_fuse(self) -> bool:
        """True where an ordinary process of this machine serves it."""
        return any(type_.startswith("fuse") for type_ in self.types)

    def server(self, device: str) -> str | None:
        """The server (with its port, where the source names one) behind a mount's source."""
        found = re.match(self.device, device) if self.device else None
        return found.groupdict().get("server") if found else None


FILESYSTEMS = (
    Filesystem("moosefs", "MooseFS", True,
        "MooseFS is a network filesystem: a master keeps names, chunkservers keep the data in 64 MiB chunks, and "
        "a FUSE client (mfsmount) makes it look like a local disk; names can answer while data hang",
        r"^(?:mfs(?:master)?|moosefs)[#:](?P<server>\S+)", ("fuse.mfs", "moosefs"),
        clients=("mfsmount",), daemons=("mfschunkserver", "mfsmaster")),
    Filesystem("lizardfs", "LizardFS", True,
        "LizardFS is a network filesystem of the MooseFS family with a FUSE client",
        r"^lizardfs[#:](?P<server>\S+)", ("fuse.lizardfs",), clients=("lizardfs-mount",)),
    Filesystem("nfs", "NFS", True,
        "NFS is the Unix network filesystem; a hard mount waits for its server for ever",
        r"^(?P<server>[^/]\S*?):/", ("nfs", "nfs4"), daemons=("nfsd", "ganesha.nfsd", "unfsd")),
    Filesystem("lustre", "Lustre", True,
        "Lustre is a parallel network filesystem: metadata servers keep names, object storage servers keep data",
        r"^(?P<server>\S+?@\w+)(?::\S+)?:/", ("lustre",), daemons=("ll_ost", "ll_mgs", "mdt")),
    Filesystem("cephfs", "CephFS", True,
        "CephFS is a network filesystem on a Ceph cluster; the cluster can shut a client out (blocklist it)",
        r"^(?P<server>[\w.:,\[\]-]+):/", ("ceph", "fuse.ceph", "fuse.ceph-fuse"), clients=("ceph-fuse",),
        daemons=("ceph-osd", "ceph-mds", "ceph-mon")),
    Filesystem("glusterfs", "GlusterFS", True, "GlusterFS is a network filesystem served by bricks on several hosts",
        r"^(?P<server>[^:/]+):/?", ("fuse.glusterfs",), clients=("glusterfs",),
        daemons=("glusterfsd", "glusterd")),
    Filesystem("beegfs", "BeeGFS", True, "BeeGFS is a parallel network filesystem with a kernel client",
        r"^beegfs", ("beegfs",),
        daemons=("beegfs-",)),
    Filesystem("gpfs", "IBM Storage Scale (GPFS)", True, "GPFS is IBM's parallel network filesystem", "", ("gpfs",)),
    Filesystem("juicefs", "JuiceFS", True, "JuiceFS is a FUSE filesystem that keeps its data in an object store",
        r"^JuiceFS:(?P<server>\S+)", ("fuse.juicefs",), clients=("juicefs", "jfsmount")),
    Filesystem("sshfs", "sshfs", True, "sshfs is a FUSE filesystem over an SSH connection to another machine",
        r"^(?:\S+@)?(?P<server>[^:/]+):", ("fuse.sshfs",), clients=("sshfs",), daemons=("sftp-server",)),
    Filesystem("s3fs", "s3fs", True, "s3fs is a FUSE client that shows an S3 bucket as a directory",
        r"^s3fs", ("fuse.s3fs",),
        clients=("s3fs",), daemons=("minio",)),
    Filesystem("mountpoint-s3", "Mountpoint for S3", True, "Mountpoint is a FUSE client that shows an S3 bucket",
        r"^mountpoint-s3", ("fuse.mountpoint-s3",), clients=("mount-s3",)),
    Filesystem("gcsfuse", "Cloud Storage FUSE", True, "gcsfuse is a FUSE client that shows a Google Cloud Storage "
        "bucket", "",
        ("fuse.gcsfuse",), clients=("gcsfuse",)),
    Filesystem("cifs", "SMB", True, "SMB (CIFS) is Windows' network filesystem",
        r"^//(?P<server>[^/]+)/", ("cifs", "smb3", "smbfs"), daemons=("smbd",)),
    Filesystem("9p", "9p", True, "9p shares a folder of the host with a virtual machine", "", ("9p",)),
    Filesystem("virtiofs", "virtiofs", True, "virtiofs shares a folder of the host with a virtual machine",
        "", ("virtiofs",), daemons=("virtiofsd",)),
    Filesystem("rbd", "Ceph block device", True, "an RBD is a disk whose blocks live in a Ceph cluster",
        r"^/dev/rbd", ()),
    Filesystem("fuse", "a FUSE filesystem", True,
        "a FUSE filesystem is served by an ordinary process; when that process stops answering, so does every file", "",
        ("fuse", "fuseblk"),
        clients=tuple("rclone goofys geesefs blobfuse ossfs cosfs weed alluxio curvine-fuse hf3fs bindfs".split())),
    Filesystem("overlay", "the container's overlay", False, "the container's own disk", "", ("overlay",)),
    Filesystem("tmpfs", "tmpfs", False, "memory that looks like a disk", "", ("tmpfs", "ramfs", "shm")),
)  # fmt: skip

CLIENTS = tuple(name for each in FILESYSTEMS for name in each.clients)  # processes without which a mount is dead
DAEMONS = tuple(name for each in FILESYSTEMS for name in each.daemons)
KERNEL_TYPES = frozenset(
    "proc sysfs cgroup cgroup2 devtmpfs devpts mqueue debugfs tracefs securityfs pstore bpf configfs fusectl "
    "hugetlbfs autofs binfmt_misc efivarfs rpc_pipefs nsfs".split()
)
DISKS = {
    name: Filesystem(name, name, False, f"{name} is a filesystem on a disk of this machine", "", (name,))
    for name in (
        "ext4",
        "ext3",
        "ext2",
        "xfs",
        "btrfs",
        "zfs",
        "f2fs",
        "vfat",
        "squashfs",
        "iso9660",
        "ntfs3",
        "bcachefs",
    )
}
KERNEL = Filesystem("kernel", "a kernel interface", False, "an interface of the kernel, not a disk")
UNKNOWN = Filesystem("unknown", "an unknown filesystem", False, "a filesystem this program does not know")


def identify(device: str, type_: str) -> Filesystem:
    """The filesystem of a mount, from its source first (a FUSE type says nothing) and its type second."""
    if type_ in KERNEL_TYPES:
        return KERNEL
    if re.match(r"^/dev/rbd", device):
        return by_name("rbd")
    for known in FILESYSTEMS:
        if (
            known.device
            and type_ in ("fuse", "fuseblk")
            and re.match(known.device, device)
            and known.name in _FUSE_BY_SOURCE
        ):
            return known
    for known in FILESYSTEMS:
        if type_ in known.types:
            return known
    if type_.startswith("fuse."):
        return Filesystem(
            type_[5:], type_[5:], True, f"{type_[5:]} is a FUSE filesystem, served by an ordinary process"
        )
    return DISKS.get(type_, UNKNOWN)


_FUSE_BY_SOURCE = frozenset({"moosefs", "lizardfs", "juicefs", "s3fs", "mountpoint-s3"})


def by_name(name: str) -> Filesystem:
    """The filesystem with a name that `identify` gave."""
    for known in FILESYSTEMS:
        if known.name == name:
            return known
    return DISKS.get(name, UNKNOWN)


# how each filesystem is asked for its quotas
QUOTAS = {
    "lustre": "lfs quota -h -u $USER MOUNT",
    "gpfs": "mmlsquota -u $USER",
    "beegfs": "beegfs-ctl --getquota --uid $USER",
    "cephfs": "getfattr -n ceph.quota.max_bytes -n ceph.quota.max_files MOUNT",
    "moosefs": "mfsgetquota MOUNT",
    "xfs": "xfs_quota -x -c 'report -h' MOUNT",
    "nfs": "quota -s",
    "ext4": "quota -s",
}


@dataclass(frozen=True)
class ByFilesystem:
    """A step or command that differs by the volume's filesystem.

    Parameters
    ----------
    otherwise : what fits any other filesystem, and a volume of which nobody recorded it; "" where there is nothing to
        ask on any other
    of : filesystems by name, each with what fits it; "fuse" is every one that a process of this machine serves
    """

    otherwise: str
    of: tuple[tuple[str, str], ...]

    def on(self, filesystem: Filesystem) -> str:
        """What fits a filesystem."""
        of = dict(self.of)
        kind = "fuse" if filesystem.is_fuse else ""
        return of.get(filesystem.name, of.get(kind, self.otherwise))

    def __str__(self) -> str:
        return "; ".join([*(f"{name}: {step}" for name, step in self.of), f"otherwise: {self.otherwise}"])


def by_filesystem(otherwise: str, **of: str) -> ByFilesystem:
    """As `ByFilesystem`, each filesystem by its name: `by_filesystem("iostat -x 5 3", nfs="nfsiostat 5 3")`."""
    return ByFilesystem(otherwise, tuple(of.items()))
