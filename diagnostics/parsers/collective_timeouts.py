"""torch.distributed: a collective outlasts its limit, ranks disagree on it, or its watchdog gives up (NCCL and gloo).

    [rank17]:[E1104 02:23:41.118 ProcessGroupNCCL.cpp:632] [Rank 17] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=51023, OpType=ALLREDUCE, ..., Timeout(ms)=600000) ran for 600031 milliseconds before timing out.
    RuntimeError: [../third_party/gloo/gloo/transport/tcp/unbound_buffer.cc:133] Timed out waiting 1800000ms for send operation to complete
    RuntimeError: Detected mismatch between collectives on ranks. Rank 0 is running collective: ...

Work that counted above such a line and counts on below it ("7992/13100", "8122/13100") is a fact, too.
One timeout is often said twice, by the watchdog and again in an exception's text: each line is a fact.
"""  # noqa: E501

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ..evidence import Evidence, Severity
from ..evidence.collective import CollectiveMismatch, CollectiveProgress, CollectiveTimeout
from ..evidence.supervisor import WatchdogFired
from ..evidence.training import CountedOn
from ..text import Text
from . import Parser
from ._counts import counted_on
from ._job_lines import Message, messages
from ._snapshot import source

RANK = re.compile(r"\[?(?:Rank|rank) (\d{1,6})\]")
# Watchdog caught collective operation timeout: WorkNCCL(SeqNum=4, OpType=ALLREDUCE, ..., Timeout(ms)=600000) ran for
# 600029 ms
CAUGHT = re.compile(r"(?:[Ww]atchdog c|\bC)aught collective operation timeout: ?(.{0,600})")
WORK = re.compile(r"(\w{1,40})\((?:SeqNum=(\d{1,12}), )?OpType=(\w{1,60})")
ELEMENTS = re.compile(r"NumelIn=(\d{1,18})")
LIMIT = re.compile(r"Timeout\(ms\)=(\d{1,12})")
RAN = re.compile(r"ran for (\d{1,12}) (?:ms|milliseconds)")
# [PG 1 Rank 1] Timeout at NCCL work: 158046, last enqueued NCCL work: 158046, last completed NCCL work: 158045. [PG ID
# 0 PG GUID 0(default_pg) Rank 0] failure detected by watchdog at work sequence id: 88412 PG status: last enqueued work:
# 88412, last completed work: 88411
AT_WORK = re.compile(r"(?:Timeout at NCCL work|failure detected by watchdog at work sequence id): (\d{1,12})")
COMPLETED = re.compile(r"last completed (?:NCCL )?work: (\d{1,12})")
# [rank1] last enqueued work: 88411, last completed work: 88411      (no call timed out on this rank)
# [PG ID 0 Rank 1] Received a dump signal due to a collective timeout from  rank 0 and we will try our best to dump the
# debug info. Last enqueued NCCL work: 88411, last completed NCCL work: 88411.
STANDS = re.compile(
    r"[Ll]ast enqueued (?:NCCL )?work: (\d{1,12}), last (?:started work: \d{1,12}, last )?completed (?:NCCL )?work: "
    r"(\d{1,12})"
)
# the group's number is each rank's own, but for the first; its GUID is the same on all: [PG ID 0 PG GUID 0(default_pg)
# Rank 7]
GROUP = re.compile(r"\[PG (?:ID \d{1,6} PG GUID (\w{1,40})|(?:ID )?(0))(?:\s?\([^)]{0,80}\))? Rank (\d{1,6})\]")
GLOO = re.compile(r"gloo.{0,200}Timed out waiting (\d{1,12})ms for (send|recv) operation to complete")
# Timed out after 1800 seconds waiting for the barrier      monitoredBarrier: Rank 1 failed to pass monitoredBarrier in
# 30000 ms
BARRIER = re.compile(
    r"[Rr]ank (\d{1,6}) failed to pass monitoredBarrier in (\d{1,12}) ms"
    r"|Ranks? ([\d, ]{1,200}) failed to pass monitoredBarrier in (\d{1,12}) ms"
)
# ProcessGroupNCCL's watchdog got stuck for 480 seconds without making progress in monitoring enqueued collectives
STUCK = re.compile(r"ProcessGroupNCCL's watchdog got stuck for (\d{1,9}) ?(?:s|seconds)")
GIVES_UP = re.compile(
    r"Terminating the process after attempting to dump debug info, due to (.{1,120}?)\.?$"
    "|taking the entire process down"
)
MISMATCH = re.compile(
    "Detected mismatch between collectives on ranks|Mismatched? (?:collective|tensor|shape|size)"
    "|collective(?:s)? (?:type |shape |size )?mismatch"
    r"|Mismatched data types?:|[Mm]ismatched (?:allreduce|all_reduce|allgather|broadcast|reduce_scatter)"
)
CALL = re.compile(
    r"Rank (\d{1,6}) (?:is running|did|ran|performs?) (?:collective|inconsistent collective)?:? ?(.{1,300}?)"
    r"(?:, ?but |\. ?(?=Rank )|$)"
)
BUT = re.compile(r"but Rank (\d{1,6}) is running collective: (.{1,300}?)(?:\.(?=[A-Z])|\.?$)")


def read(text: Text) -> Iterator[Evidence]:
    timed_out: list[int] = []
    for message in messages(text, INTERESTING):
        for fact in _read(text, message):
            if isinstance(fact, CollectiveTimeout):
                timed_out.append(fact.source.line)
            yield fact
    for above, below in counted_on(text, timed_out):
        yield CountedOn(
            source=source(text, below.line),
            label=below.words,
            before=above.done,
            before_line=above.line.number,
            done=below.done,
            total=below.total,
        )


INTERESTING = re.compile(
    r"[Ww]atchdog caught|Caught collective operation timeout|Timeout at NCCL work|[Ll]ast enqueued (?:NCCL )?work: \d"
    r"|Timed out waiting \d|failed to pass monitoredBarrier"
    r"|watchdog got stuck|taking the entire process down|Terminating the process after|[Mm]ismatch"
)


def _read(text: Text, message: Message) -> Iterator[Evidence]:
    said = message.text
    facts = message.facts(text, **_rank(message))
    if found := CAUGHT.search(said):
        group = GROUP.search(said)
        yield _caught(found[1], facts, (group[1] or group[2]) if group else None)
    elif found := AT_WORK.search(said):
        done, group = COMPLETED.search(said), GROUP.search(said)
        if group and message.rank is None:
            facts = message.facts(text, rank=int(group[3]))
        yield CollectiveTimeout(
            **facts,
            severity=Severity.CRITICAL,
            sequence=int(found[1]),
            group=(group[1] or group[2]) if group else None,
            completed=int(done[1]) if done else None,
        )
    elif found := STANDS.search(said):
        group = GROUP.search(said)
        if group and message.rank is None:
            facts = message.facts(text, rank=int(group[3]))
        yield CollectiveProgress(
            **facts,
            group=(group[1] or group[2]) if group else None,
            enqueued=int(found[1]),
            completed=int(found[2]),
        )
    elif found := GLOO.search(said):
        limit = int(found[1]) / 1000
        yield CollectiveTimeout(
            **facts, severity=Severity.CRITICAL, operation=found[2].upper(), limit_s=limit, ran_s=limit, backend="gloo"
        )
    elif found := BARRIER.search(said):
        limit = int(found[2] or found[4]) / 1000
        yield CollectiveTimeout(
            **facts, severity=Severity.CRITICAL, operation="MONITORED_BARRIER", limit_s=limit, backend="gloo"
        )
    elif found := STUCK.search(said):
        yield WatchdogFired(
            **facts, severity=Severity.CRITICAL, watchdog="nccl", action="abort", age_s=float(found[1]), text=said
        )
    elif GIVES_UP.search(said):
        yield WatchdogFired(**facts, severity=Severity.CRITICAL, watchdog="nccl", action="kill", text=said)
    elif MISMATCH.search(said) and not said.startswith(("size mismatch", "Error(s) in loading")):
        calls = {f"rank {found[1]}": found[2].strip() for found in (*CALL.finditer(said), *BUT.finditer(said))}
        yield CollectiveMismatch(**facts, severity=Severity.CRITICAL, text=said, calls=calls)


def _rank(message: Message) -> dict[str, Any]:
    """The rank that the text itself names, for lines without a launcher's prefix."""
    found = RANK.search(message.text)
    return {"rank": int(found[1])} if found and message.rank is None else {}


def _caught(work: str, facts: dict[str, Any], group: str | None) -> CollectiveTimeout:
    named, limit, ran, elements = (pattern.search(work) for pattern in (WORK, LIMIT, RAN, ELEMENTS))
    return CollectiveTimeout(
        **facts,
        severity=Severity.CRITICAL,
        operation=named[3] if named else None,
        sequence=int(named[2]) if named and named[2] else None,
        limit_s=int(limit[1]) / 1000 if limit else None,
        ran_s=int(ran[1]) / 1000 if ran else None,
        group=group,
        elements=int(elements[1]) if elements else None,
        backend="gloo" if named and "Gloo" in named[1] else "nccl",
    )


PARSER = Parser(
    tool="torch.distributed",
    medium="collectives",
    footprint=(
        r"\b(?:[Ww]atchdog c|C)aught collective operation timeout|Timeout at NCCL work"
        r"|[Ll]ast enqueued (NCCL )?work: \d"
        r"|Timed out waiting \d+ms for|failed to pass monitoredBarrier|ProcessGroupNCCL.{0,40}watchdog"
        "|taking the entire process down"
        r"|mismatch between collectives|[Mm]ismatched (collective|tensor|shape|data type|allreduce)"
    ),
    read=read,
)
