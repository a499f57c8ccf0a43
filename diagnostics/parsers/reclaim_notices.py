"""A cloud takes its machine back: spot and preemption notices of AWS, Google Cloud, Azure and of what relays them.

    {"action": "terminate", "time": "2026-03-04T07:50:00Z"}
    {"DocumentIncarnation":2,"Events":[{"EventId":"A1","EventType":"Preempt","ResourceType":"VirtualMachine",...}]}
    Instance is being preempted by Compute Engine.
    received spot interruption notice, draining node
    2021-03-04T09:15:02Z  fleet-2a  instance-terminated-no-capacity  i-0bb1c2d3
    StatusReason: Host EC2 (instance i-0bb1c2d3) terminated.
    Evict  podgroup/tune-7b-2c1  Pod is evicted, because of reclaim
    eval-serve-0  WorkloadEvictedDueToPreempted  Preempted to accommodate a higher priority Workload

A notice of maintenance that does not stop the machine is kept as "other".
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Evidence, Severity
from ..evidence.supervisor import SchedulerEvent
from ..text import Text
from . import Parser
from ._job_lines import Words, footprint_of_messages, messages

# system -> wording; the first that fits counts
NOTICES = (
    ("aws", re.compile(r"\{\s{0,8}\"action\"\s{0,4}:\s{0,4}\"(?:terminate|stop|hibernate)\""
        "|EC2 Spot Instance (?:Interruption|interruption)"
        r"|spot/(?:instance-action|termination-time)\b.{0,120}\b(?:200|terminate|stop)|(?i:rebalance recommendation)"
        r"|Server\.SpotInstance(?:Termination|Shutdown)"
        r"|\binstance-terminated-(?:no-capacity|by-price|capacity-oversubscribed|launch-group-constraint)\b"
        r"|\bmarked-for-termination\b|\bBidEvictedEvent\b|\bHost EC2 \(instance i-\w{1,20}\) terminated\b")),
    ("azure", re.compile(r"\"EventType\"\s{0,4}:\s{0,4}\"(?:Preempt|Terminate|Redeploy)\"")),
    ("queue", re.compile(r"(?i)EvictedDueToPreempt(?:ed|ion)|\bpreempt(?:ed|ing) to accommodate an?\b"
        r"|\bPreemptionByScheduler\b|\b(?:pods?|podgroups?|jobs?|tasks?|workloads?|allocations?|applications?"
        r"|containers?|steps?)\b.{0,60}\b(?:evict|kill|terminat|suspend|requeu|stopp|cancell?|delet|end|remov"
        r"|releas)ed\b,? (?:and \w{1,12} )?(?:because of|due to|owing to|by|for|on) (?:the |an? )?"
        r"(?:\w{1,20} )?pre-?empt(?:ion|or|ing)?\b|\b(?:pods?|podgroups?|jobs?|tasks?|workloads?)\b.{0,60}\b"
        r"(?:evict|kill|terminat|delet)ed\b,? (?:because of|due to) (?:quota |queue |resource )?reclaim\b"
        r"|\bpreempted by (?:an? )?(?:pod|job|workload) [\w-]{6,60}"
        r"|\b(?:was|were|been) preempted (?:by|for|in favou?r of) (?:an? )?"
        r"(?:higher|pod\b|job\b|workload\b|task\b|\w{0,10} ?priority)")),
    ("gcp", re.compile(r"(?i)compute\.instances\.(?:preempted|terminateOnHostMaintenance|hostMaintenance TERMINATE)\b"
        # train-7  europe-west4-a  a2-highgpu-1g  true  10.164.0.9  TERMINATED     v4  us-central2-b  v3-8  PREEMPTED
        r"|^\s{0,4}\S{1,80}\s+[a-z]{2,20}-[a-z]{2,20}\d-[a-f]\s+(?:[a-z]\w{1,12}-[\w-]{2,30}\s+)?true\s+"
        r"(?:[\d.]{7,15}\s+){0,2}TERMINATED\s*$"
        r"|\b[a-z]{2,20}-[a-z]{2,20}\d-[a-f]\s+(?:v\d[\w-]{0,12}\s+)?PREEMPTED\b"
        r"|instance (?:was|is being|has been) preempted"
        r"|\bpreempted by Compute Engine|instance/preempted\b.{0,40}TRUE|metadata.{0,40} termination is imminent"
        r"|\bimminent (?:preemption|termination)\b|\bV\d[\w-]{0,12}(?:_TYPE|_POD)?\s{1,20}PREEMPTED\b"
        r"|^\s{0,8}\"?state\"?: \"?PREEMPTED\b|\bTPU\b.{0,60}\bpre-?empted\b")),
    ("spot", re.compile(r"(?i)\bspot\b.{0,60}\b(?:interrupt\w{0,4}|terminat\w{0,4}|reclaim\w{0,4}|evict\w{0,4}"
        r"|preempt\w{0,4})\b|\binstance\b.{0,60}\b(?:reclaimed|will be (?:terminated|reclaimed|stopped)"
        r"|is being reclaimed)\b|\bpre-?emption notice\b|\bPreemptionError\b|\bpre-?emption warning signal\b"
        r"|\b(?:nodes?|workers?|replicas?|instances?|machines?)\b.{0,40}\b(?:got|were|was) pre-?empted\b"
        r"|\b(?:received|got) (?:a )?(?:preemption|termination|interruption) (?:notice|signal|warning)\b"
        r"|\bpod (?:was )?(?:interrupted|outbid)\b|\boutbid\b|\bSpotInterruption\w{0,8}\b"
        r"|\bdelet\w{1,3} from interruption message\b")),
)  # fmt: skip
MAINTENANCE = re.compile(
    r"\"EventType\"\s{0,4}:\s{0,4}\"(?:Freeze|Reboot)\"|MIGRATE_ON_HOST_MAINTENANCE|(?i:scheduled maintenance event)"
)
PATTERNS = (*(pattern for _, pattern in NOTICES), MAINTENANCE)
INTERESTING = Words.of(PATTERNS)


def read(text: Text) -> Iterator[Evidence]:
    for message in messages(text, INTERESTING):
        said = message.text
        system = next((system for system, pattern in NOTICES if pattern.search(said)), None)
        if system:
            yield SchedulerEvent(
                **message.facts(text), severity=Severity.CRITICAL, system=system, about="preempted", text=said
            )
        elif MAINTENANCE.search(said):
            yield SchedulerEvent(
                **message.facts(text), severity=Severity.WARNING, system="cloud", about="other", text=said
            )


PARSER = Parser(
    tool="cloud notices",
    medium="scheduler",
    footprint=footprint_of_messages(PATTERNS),
    read=read,
)
