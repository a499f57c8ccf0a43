"""RDMA between two hosts works when it is tested by hand, and the job's RDMA does not.

From a table of trials or a pasted session: a perftest (ib_write_bw and its like) or rping went well, and the job's
transfers gave up after all their retries (error 12), or NCCL's own test failed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Evidence, Subject
from ..evidence.people import Trial
from ..evidence.storage import CommandOutcome
from ..incident import Incident
from ._network import RETRY_EXCEEDED
from ._reports import said
from ._symptom import Finding, Symptom

BY_HAND = re.compile(r"\bib_(?:write|send|read)_(?:bw|lat)\b|\bperftest\b|\brping\b|\bucx_perftest\b")
OF_NCCL = re.compile(r"\b(?:all_?reduce|all_?gather|alltoall|sendrecv|broadcast|reduce_scatter)_perf\b|\bnccl", re.I)


def rule(incident: Incident) -> Iterator[Finding]:
    trials = incident.of(Trial)
    well: list[Evidence] = [each for each in trials if each.outcome == "ok" and BY_HAND.search(each.condition)]
    well += [each for each in incident.of(CommandOutcome) if each.outcome == "ok" and BY_HAND.search(each.command)]
    failed: list[Evidence] = [*said(incident, RETRY_EXCEEDED)]
    failed += [each for each in trials if each.outcome in ("fail", "hang") and OF_NCCL.search(each.condition)]
    if well and failed:
        note = f"{well[0].source.quote.strip()[:80]}, and yet: {failed[0].source.quote.strip()[:100]}"
        yield Finding(Subject(), (well[0], *failed[:3]), note)


SYMPTOM = Symptom(
    title="RDMA works by hand and not in the job",
    rule=rule,
    leak=0.03,
    because="a link that fails now and then passes a short test, so this alone settles nothing",
    command="ib_write_bw -d mlx5_0 on one host, ib_write_bw -d mlx5_0 HOST on the other",
    cost_minutes=10,
)
