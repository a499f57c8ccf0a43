"""An autoscaler takes a node away that it holds to be spare: Karpenter, the cluster autoscaler (also of GKE and AKS).

    INFO  controller.disruption  disrupting via consolidation delete, terminating 1 nodes (2 pods) n7.ec2.internal/g5.2xlarge/on-demand
    {"message":"disrupting node(s)","decision":"delete","disrupted-nodes":[{"Node":{"name":"n7.ec2.internal"}}]}
    scale_down.go:1102] Scale-down: removing node gke-a100-2, utilization: {0.12 0.08 0}, pods to reschedule: ml/train-0
    Normal   ScaleDown               node/gke-a100-2   marked the node as toBeDeleted/unschedulable
    Warning  DisruptionTerminating   node/n7           Disrupting Node: Underutilized

And on which node a pod says that it runs, or was put, since a node is taken from the job only where the job is on it:

    node_name: n7.ec2.internal
    Normal  Scheduled  12s  default-scheduler  Successfully assigned ml/train-0 to n7.ec2.internal

Nodes that did not answer before they were removed are skipped, and so are lines that tell of no reason (`deleted
node`).
"""  # noqa: E501

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Evidence, Severity
from ..evidence.job import SettingSeen
from ..evidence.supervisor import SchedulerEvent
from ..text import Text
from . import Parser
from ._job_lines import Words, footprint_of_messages, messages

_NODE = r"[a-z0-9][a-z0-9.-]{1,252}"
REMOVALS = (
    # deprovisioning via consolidation delete, terminating 2 machines n7/g5.2xlarge/spot, n8/g5.2xlarge/spot
    re.compile(
        r"\b(?:deprovisioning|disrupting) via (?:consolidation|drift|expiration|emptiness|underutilized"
        r"|empty)\b.{0,60}?\b(?:terminating|deleting|replacing) \d{1,4} (?:machines?|nodes?|nodeclaims?|candidates?)\b"
    ),
    # {"message":"disrupting node(s)","decision":"delete","disrupted-nodes":[{"Node":{"name":"n7"}}]}
    re.compile(r"\bdisrupting node(?:\(s\)|claim\(s\)).{0,300}\"(?:disrupted-nodes|Node)\""),
    # Scale-down: removing node gke-a100-2, utilization: {0.12 0.08 0}     Scale-down: removing empty node gke-a100-2
    re.compile(r"\bScale-down: removing (?:empty |underutilized )?node "),
    # ScaleDown   node/gke-a100-2   marked the node as toBeDeleted/unschedulable
    re.compile(r"\bmarked the node as toBeDeleted\b|\bnode removed by cluster autoscaler\b"),
    # DeprovisioningTerminating   node/n7   Deprovisioning node via consolidation     (Karpenter before 0.32)
    re.compile(r"\bDeprovisioning [Nn]ode via (?:consolidation|drift|expiration|emptiness)\b"),
    # DisruptionTerminating   node/n7   Disrupting Node: Underutilized
    re.compile(r"\bDisrupt(?:ing|ed) Node: (?:Underutilized|Empty|Drifted|Expired|Consolidat)"),
)
PLACES = (
    # node_name: n7.ec2.internal
    re.compile(r"^(?:k8s_|kube_|my_)?node[ _]?name: [a-z0-9][a-z0-9.-]{1,252}$"),
    # Successfully assigned ml/train-0 to n7.ec2.internal
    re.compile(r"\bSuccessfully assigned [\w./-]{1,300} to [a-z0-9][a-z0-9.-]{1,252}"),
)
# n7.ec2.internal/g5.2xlarge/spot     "Node":{"name":"n7"}     removing node n7,     node/n7
NAMES = re.compile(
    rf"({_NODE})/[a-z0-9.-]{{2,40}}/(?:spot|on-demand|reserved)\b"
    rf"|\"Node\": ?\{{\"name\": ?\"({_NODE})\"|removing (?:empty |underutilized )?node ({_NODE})|\b[Nn]ode/({_NODE})"
)
PLACE = re.compile(rf"(?:name: | to )({_NODE})")
UNWELL = re.compile(r"(?i)unready|not ?ready|unhealthy|unregistered")
MOST = 100  # nodes of one line


def read(text: Text) -> Iterator[Evidence]:
    for message in messages(text, Words.of((*REMOVALS, *PLACES))):
        said = message.text if "disrupting node" not in message.text else message.line.text[:8192]  # all of the JSON
        if any(pattern.search(said) for pattern in REMOVALS) and not UNWELL.search(said):
            for found in list(NAMES.finditer(said))[:MOST]:
                yield SchedulerEvent(
                    **message.facts(text, host=next(name for name in found.groups() if name)),
                    severity=Severity.WARNING,
                    system="kubernetes",
                    about="node-removed",
                    text=said.strip()[:300],
                )
        elif any(pattern.search(said) for pattern in PLACES) and (place := PLACE.search(said)):
            yield SettingSeen(**message.facts(text), name="node_name", value=place[1])


PARSER = Parser(
    tool="autoscalers",
    medium="scheduler",
    footprint=footprint_of_messages((*REMOVALS, *PLACES)),
    read=read,
)
