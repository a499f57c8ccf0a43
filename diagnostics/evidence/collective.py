"""What collectives and the ranks that take part in them report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from . import Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectiveTimeout(Evidence):
    """A collective outlasted its time limit. Subject: rank, host.

    `group` is the process group's name where it is the same on every rank, `completed` the last collective of it that
    the rank has finished, `elements` how many numbers the rank put into the call.

    Watchdog caught collective operation timeout: WorkNCCL(SeqNum=4, OpType=ALLREDUCE, ...) ran for 600029 ms
    """

    operation: str | None = None
    sequence: int | None = None
    limit_s: float | None = None
    ran_s: float | None = None
    group: str | None = None
    completed: int | None = None
    elements: int | None = None
    backend: str = "nccl"


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectiveProgress(Evidence):
    """How far one rank came in one process group, by its own flight recorder. Subject: rank.

    `group` is the group's name, the same on every rank, and `ranks` its members; `enqueued` and `completed` are
    the sequence numbers of the last collective that the rank asked for and that its device finished. `calls`
    are the collectives still remembered, by sequence number, as "operation sizes". `operation`, `state`,
    `age_s` (at the rank's latest entry) and `frames` are of the first one that is not complete; None when
    nothing is outstanding.

        _dump_12: TENSOR_MODEL_PARALLEL_GROUP: _all_gather_base #42806 is scheduled, 12 outstanding
    """

    group: str | None
    description: str = ""
    ranks: tuple[int, ...] = ()
    enqueued: int | None = None
    completed: int | None = None
    operation: str | None = None
    state: str | None = None
    age_s: float | None = None
    calls: Mapping[int, str] = field(default_factory=dict)
    frames: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PickleRefused(Evidence):
    """A pickle that is more than plain data, or torn, and was therefore not loaded. Nothing of it was run.

    `wants` is what loading it would have imported or called; None when it is only torn.

        _dump_3: a pickle that would import posix.system
    """

    reason: str
    wants: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectiveStuck(Evidence):
    """A collective that some ranks of its group never joined (flight recorder, desync report).

    `missing_ranks` are those that never joined; `joined_ranks` those that wait. Subject: rank when one is missing.

        _dump_12
    """

    operation: str | None
    sequence: int | None
    group: str | None
    missing_ranks: tuple[int, ...]
    joined_ranks: tuple[int, ...] = ()
    state: str | None = None
    frames: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectiveMismatch(Evidence):
    """Ranks of one group are in different collectives, or disagree on its shape or type.

    Detected mismatch between collectives on ranks. Rank 0 is running collective: ... SequenceNumber=9, ALLREDUCE
    """

    text: str
    calls: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class NcclMessage(Evidence):
    """A line of NCCL's own log. Subject: host, pid, gpu, interface where said.

    `level` is INFO, WARN, TRACE or VERSION; `about` is "transport", "interface", "connection", "memory",
    "topology", "ib", "plugin" or "other".

        node1:4242:4242 [0] NCCL INFO NET/Socket : Using [0]lo:127.0.0.1<0>
    """

    level: str
    about: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteFailure(Evidence):
    """A rank reports that its peer or store is gone or unreachable: usually a victim, not a culprit. Subject: rank.

    `about` is "peer-closed", "refused", "unreachable", "timed-out", "aborted", "name" or "wrong-peer" (another rank
    answered).

        Connection closed by peer [10.0.0.4]:31245
    """

    about: str
    text: str
    peer: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WorldMismatch(Evidence):
    """What came to the start of a job does not fit its world: more workers than it has, or a rank that it has not.

    dist.init_process_group(backend='nccl', init_method=opt.dist_url, world_size=1, rank=1)
    """

    world_size: int
    workers: int | None = None
    rank: int | None = None
