"""The cluster's autoscaler took away, as spare, empty or out of date, a node on which the job says that it runs.

By the name of the node in a pod's own log, in a table of pods or as the host of its log, or by a pod that the
autoscaler sends elsewhere with it and that the orchestrator says it stopped; a node that is nobody's tells of no job.
Where it gives back a node that it lost to the cloud, that is another report.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence.collective import NcclMessage
from ..evidence.job import SettingSeen
from ..evidence.process import ServiceState
from ..evidence.supervisor import SchedulerEvent
from ..evidence.training import TrainingSteps
from ..incident import Incident
from ._symptom import Finding, Symptom

NODE_NAME = re.compile(r"(?i)^(?:k8s_|kube_|kubernetes_|my_)?node_?name$")

# utilization: {0.31 0.12 0}, pods to reschedule: ml/sweep-4-0,ml/sweep-4-1
ON_IT = re.compile(r"\bpods to reschedule: ?([\w./-]{1,200}(?:,[\w./-]{1,200}){0,50})")


def rule(incident: Incident) -> Iterator[Finding]:
    """Each node of the job that an autoscaler removed, once."""
    told: set[str] = set()
    nodes = set(_nodes_of_the_job(incident))
    for event in incident.of(SchedulerEvent):
        name = _short(event.subject.host)
        if event.about == "node-removed" and name not in told and (name in nodes or _stopped(incident, event)):
            told.add(name)
            yield Finding(event.subject, (event,), f"the autoscaler took {name} away: {event.text[:140]}")


def _nodes_of_the_job(incident: Incident) -> Iterator[str]:
    for setting in incident.of(SettingSeen):
        if NODE_NAME.match(setting.name):
            yield _short(setting.value)
    for fact in incident.of(ServiceState, TrainingSteps, NcclMessage):
        if fact.subject.host:
            yield _short(fact.subject.host)


def _stopped(incident: Incident, removal: SchedulerEvent) -> bool:
    """True where a pod that was on the removed node was stopped, as the orchestrator's own list says."""
    found = ON_IT.search(removal.text)
    pods = [pod.rpartition("/")[2] for pod in found[1].split(",")] if found else []
    lists = [event.source.quote for event in incident.of(SchedulerEvent) if _ends_a_pod(event)]
    return any(re.search(rf"(?<![\w.-]){re.escape(pod)}(?![\w.-])", quote) for pod in pods for quote in lists)


def _ends_a_pod(event: SchedulerEvent) -> bool:
    return event.system == "kubernetes" and (event.about == "evicted" or "Stopping container" in event.text)


def _short(host: str | None) -> str:
    return (host or "").partition(".")[0]


SYMPTOM = Symptom(
    title="the autoscaler took the job's node away",
    rule=rule,
    leak=0.0001,
    because="an autoscaler waits until nothing runs on a node; that it takes a used one and nothing comes of it is "
    "rare",
    command="kubectl get events -A | grep -i -E 'scaledown|disrupt'; kubectl logs -n kube-system deploy/karpenter",
)
