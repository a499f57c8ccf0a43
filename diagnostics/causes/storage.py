"""Storage, the volume's side: a network volume that is not served, that is slow, or that shut its client out."""

from __future__ import annotations

from . import Cause, Check, Effect, Role
from ._hang import hangs

CAUSES = (
    Cause(
        slug="network-filesystem-fault",
        title="a fault of the network volume",
        what="the server side of a network or FUSE volume stopped answering, so everything that touches it waits or fails",
        prior=0.05,
        source="Hu et al., Characterization of Large Language Model Development in the Datacenter (NSDI 2024), table 3: remote "
        "storage errors among the infrastructure failures; Kokolis et al., Revisiting Reliability (HPCA 2025): "
        "filesystem mounts among the frequent health-check failures",
        on=("mount",),
        effects=(
            Effect("volume-io-blocked", 0.75, "reads, closes and stats of a volume that is not served wait in its client by construction",
                   "{comm} {pid} waited in the kernel for {filesystem} at {server}; it is the victim, not the culprit", Role.INITIATING),
            Effect("volume-client-complains", 0.6, "most clients log that their server is gone, if their log was kept",
                   "the client of {mount} could not reach the data on {server}", Role.INITIATING),
            Effect("operator-tool-hangs-on-volume", 0.6, "a person's own read waits like the job's",
                   "the tool waited for {mount} like the training did: the volume hangs for everybody"),
            Effect("volume-capacity-vanished", 0.4, "clients that cannot ask their server show no size",
                   "{mount} showed no capacity because its servers were gone while its mount stayed", Role.INITIATING),
            Effect("io-error-on-volume", 0.35, "soft mounts and clients that give up return an error instead of waiting",
                   "the client gave up on {server} and returned an error", Role.INITIATING),
            Effect("orphans-unkillable", 0.45, "a kill waits for the system call, and the call for the volume",
                   "the killed processes stayed inside a file operation on {mount} that never returned"),
            Effect("main-thread-waits-for-loader", 0.5, "data are what training reads most",
                   "the main thread waited for a batch whose reader hung on {mount}; no deadlock of its own"),
            Effect("save-failed", 0.15, "a save on the volume is cut when the client gives up",
                   "the write to {mount} was refused; torch words every such error alike"),
            Effect("copy-interrupted", 0.1, "a write in flight never completes", "the write to {mount} never completed"),
            Effect("checkpoint-truncated", 0.12, "chunks that were never stored are missing from the file",
                   "the volume kept only part of what was written"),
            Effect("checkpoint-unreadable", 0.15, "what was dropped at close is missed when it is read",
                   "the file had lost a part on {mount}"),
            Effect("checksums-differ", 0.1, "chunks that are lost or stale read back differently", "the volume gave back other bytes than were written"),
            Effect("bus-error", 0.03, "a mapped page of the volume cannot be filled", "a mapped file on {mount} could not be read"),
            Effect("gpu-memory-without-owner", 0.15, "a process that cannot exit keeps its context",
                   "the memory belonged to killed processes whose file operation never returned"),
            Effect("data-wait-dominates", 0.2, "before all stops, batches come late", "batches came late because reads of {mount} did"),
            Effect("no-step-yet", 0.1, "a run that starts on such a volume never loads its data", "the first step waited for data on {mount}"),
            *hangs("a volume that is not served"),
        ),
        now=(
            "Do not restart on the volume: it will hang again; run `python -m diagnostics probe MOUNT` first",
            "Look at the servers of the volume (for MooseFS: chunkservers and master; for NFS: the server and its disks)",
            "Copy what is still readable to a local disk and start the run from there",
            "Release processes that no kill ends: `umount -f MOUNT`, or write 1 to /sys/fs/fuse/connections/N/abort",
        ),
        for_good=(
            "Keep data, code and checkpoints of a running job on a local disk; copy checkpoints to the volume in the background",
            "Verify by reading back after every copy to the volume",
            "Run `python -m diagnostics watch`, so that the next stall is recorded before a watchdog kills it",
        ),
        mistaken_for=(
            ("fork-deadlock", "the main thread waits in the same poll() for its loader"),
            ("compile-deadlock", "a thread is seen in a futex wait, and the job uses torch.compile"),
            ("watchdog-too-short", "the watchdog's kill is the loudest line of the log"),
            ("checkpoint-code-bug", "a dropped chunk comes out as a broken checkpoint of the right size"),
            ("orphaned-gpu-process", "GPU memory stays in use with no process in sight"),
            ("container-out-of-memory", "the run is gone without an error"),
        ),
        checks=(
            Check("does a read of the volume come back", "python -m diagnostics probe MOUNT"),
            Check("who waits where", "ps -eLo pid,tid,stat,wchan:32,comm | grep -E ' D|request_wait|folio_wait|rpc_wait'"),
            Check("what the client says", "journalctl | grep -i -E 'mfsmount|nfs|ceph|lustre' | tail -n 50"),
        ),
    ),
    Cause(
        slug="storage-too-slow",
        title="storage that is too slow for the job",
        what="the volume answers, and correctly, but far below what the job asks of it",
        prior=0.025,
        source="Jeon et al. (ATC 2019) and Mohan et al., Analyzing and Mitigating Data Stalls in DNN Training (VLDB 2021): data stalls "
        "are common and seldom counted as failures",
        on=("mount",),
        effects=(
            Effect("data-wait-dominates", 0.75, "steps end, and late, for want of data", "the steps waited for reads of {mount} that came, but late", Role.INITIATING),
            Effect("volume-slow-measured", 0.65, "who measures it sees it", "the volume itself was slow", Role.INITIATING),
            Effect("throughput-collapsed", 0.4, "the pace falls when caches run out", "the pace fell to what {mount} delivers"),
            Effect("volume-io-blocked", 0.25, "a process caught in a read looks the same on a slow volume", "{comm} {pid} was inside a read that came back later", Role.INITIATING),
            Effect("main-thread-waits-for-loader", 0.4, "the loader is behind all the time", "the main thread waited for a batch that came later"),
            Effect("phase-outlasts-limit", 0.06, "saves and loads take many times their usual time", "the save or load outlasted a limit because {mount} was slow"),
            Effect("no-step-yet", 0.15, "loading a model takes very long", "the model was still being read from {mount}"),
            Effect("collective-timed-out", 0.2, "ranks wait for the one that reads or writes", "the others waited for a rank that was reading or writing {mount}"),
            Effect("watchdog-killed", 0.15, "a long quiet save meets the limit", "the watchdog saw a slow save or load as silence"),
            Effect("progress-stopped", 0.1, "steps go on, slowly", "the steps nearly ceased"),
        ),
        now=("Measure it: `python -m diagnostics probe MOUNT` beside the local disk", "Move the data to a local disk, or read them in larger pieces with more workers"),
        for_good=("Size storage for the job: bytes a step times steps a second; keep small files in archives",),
        mistaken_for=(
            ("network-filesystem-fault", "stacks of a slow and of a dead volume are equal; only progress tells them apart"),
            ("cpu-starved", "workers that get no CPU deliver late too"),
            ("gpu-straggler", "a rank on slow storage is late in every collective"),
        ),
        checks=(
            Check("rate and latency of the volume beside the local disk", "python -m diagnostics probe MOUNT /tmp"),
            Check("how long requests wait", "iostat -x 5 3; nfsiostat 5 3"),
        ),
    ),
    Cause(
        slug="storage-client-evicted",
        title="a storage cluster that shut this client out",
        what="after a lost connection the cluster refuses this client (a blocklist, an eviction, a stale handle) until it is mounted anew",
        prior=0.01,
        source="frequency in ceph/ceph-csi, rook and Lustre issue threads; Kokolis et al. (HPCA 2025) count mounts that fail among node failures",
        on=("mount",),
        effects=(
            Effect("client-shut-out", 0.9, "client and cluster both say so", "the cluster had shut this client out", Role.INITIATING),
            Effect("io-error-on-volume", 0.7, "every operation is refused at once", "every operation on {mount} was refused, though the network was back", Role.INITIATING),
            Effect("volume-client-complains", 0.3, "the connection was lost before", "the client had lost its connection before it was shut out", Role.INITIATING),
            Effect("filesystem-damage-reported", 0.25, "a local filesystem on such a block device logs errors", "the filesystem on the device reported errors that are the device's"),
            Effect("save-failed", 0.2, "writes are refused", "the write was refused"),
            Effect("read-only-error", 0.15, "a filesystem on such a device aborts", "the filesystem went read-only because its device refused"),
            Effect("volume-io-blocked", 0.2, "some clients wait for a reconnect that never comes", "{comm} {pid} waited for a reconnect that was refused", Role.INITIATING),
            *hangs("a volume that had shut this client out", silent=0.4),
        ),
        now=("Remount (CephFS, NFS, Lustre) or unmap and map again (RBD); the session does not come back by itself", "Check the blocklist: `ceph osd blocklist ls`"),
        for_good=("Set the client to recover (`recover_session=clean`) and alert on lost sessions", "Find the network cut that came first"),
        mistaken_for=(
            ("local-disk-failure", "the block layer prints the same I/O errors"),
            ("filesystem-corruption", "the filesystem on the device reports errors"),
            ("network-filesystem-fault", "the cluster is well; only this client is out"),
        ),
        checks=(
            Check("is this client on the list", "ceph osd blocklist ls; rbd status IMAGE; lctl get_param '*.*.import' | grep -A3 state"),
            Check("does another client reach the volume", "ssh OTHER python -m diagnostics probe MOUNT"),
        ),
    ),
)  # fmt: skip
