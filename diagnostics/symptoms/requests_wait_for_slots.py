"""Every request slot of a storage client is in use and further requests wait, while answers do come.

By the client's counters: as many requests wait at each call as there are slots; or somebody counted all slots in use.
The transport's counters must show that fewer than half of the slots stand without an answer: with a server that is
gone the slots are full as well, of requests that nobody answers.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence.storage import IoStatistics
from ..filesystems import by_filesystem
from ..incident import Incident
from ._symptom import Finding, Symptom

FEWEST_SENT = 1000.0
UNANSWERED = 0.5  # of the slots


def rule(incident: Incident) -> Iterator[Finding]:
    counters = [row for row in incident.of(IoStatistics) if "rpc_slots_at_most" in row.values]
    answered = [row for row in counters if _is_answered(row)]
    if len(answered) < len(counters):
        return
    for row in answered:
        waiting = row.values["rpc_backlog_mean"]
        if waiting >= row.values["rpc_slots_at_most"]:
            note = f"{waiting:.0f} requests wait at each call for one of {row.values['rpc_slots_at_most']:.0f} slots"
            yield Finding(row.subject, (row,), note)
    for row in incident.of(IoStatistics) if answered else ():
        slots, used = row.values.get("rpc_slots", 0.0), row.values.get("rpc_slots_used", -1.0)
        if slots == used and slots in {each.values["rpc_slots_at_most"] for each in answered}:
            yield Finding(row.subject, (row, *answered[:1]), f"all {slots:.0f} request slots are in use")


def _is_answered(row: IoStatistics) -> bool:
    sent, unanswered = row.values["rpc_sent"], row.values["rpc_unanswered"]
    return sent >= FEWEST_SENT and unanswered < UNANSWERED * row.values["rpc_slots_at_most"]


SYMPTOM = Symptom(
    title="requests wait in the storage client for a slot",
    rule=rule,
    leak=0.0003,
    because="slots that are full for a moment are common, and who counts them doubts the volume already",
    tells_apart=("mount",),
    command=by_filesystem(
        "",
        nfs="grep -E 'mounted on|xprt:' /proc/self/mountstats; nfsiostat 5 3; sysctl sunrpc.tcp_max_slot_table_entries",
    ),
)
