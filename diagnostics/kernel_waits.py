"""Where the kernel waits for a filesystem: how the names begin, in a wait channel or on a kernel stack.

pid 11477 wchan: request_wait_answer      a FUSE client, for its daemon
pid 11478 wchan: folio_wait_bit_common    the page cache, whosever page it is
pid 11479 wchan: rwsem_down_write_slowpath  a lock that somebody holds who may wait for a disk
"""

from __future__ import annotations

# a client of a network filesystem, or of a cluster's block device
CLIENT_WAITS = (
    "request_wait_answer", "fuse_",
    "nfs_", "nfs3_", "nfs4", "rpc_", "__rpc_", "xprt_",
    "ceph_", "rbd_",
    "lustre", "ll_", "osc_", "cl_", "lov_", "mdc_", "vvp_", "ldlm_", "ptlrpc",
    "cifs_", "smb",
    "p9_", "v9fs_",
    "gpfs", "mmfs", "cxiWait",
    "beegfs", "fhgfs", "Fhgfs", "MessagingTk_", "__MessagingTk_",
    "wekafs", "afs_", "orangefs_", "pvfs2_", "panfs", "netfs_",
)  # fmt: skip
PAGE_WAITS = ("folio_wait_bit", "folio_lock", "wait_on_page", "__lock_page", "io_schedule")
# a local filesystem, its journal or its disk
BLOCK_WAITS = ("blk_", "jbd2_", "do_get_write_access", "xfs_", "bit_wait", "wait_on_buffer", "rwsem_down")
