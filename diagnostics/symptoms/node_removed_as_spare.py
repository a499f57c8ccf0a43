"""The cluster's autoscaler took away, as spare, empty or out of date, a node on which the job says that it runs.

By the name of the node in a pod's own log, in a table of pods or as the host of its log; a node that is nobody's tells of
no job. Where it gives back a node that it lost to the cloud, that is another report.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence.job import NcclMessage, SchedulerEvent, SettingSeen, TrainingSteps
from ..evidence.process import ServiceState
from ..incident import Incident
from . import Finding, Symptom

NODE_NAME = re.compile(r"(?i)^(?:k8s_|kube_|kubernetes_|my_)?node_?name$")


def rule(incident: Incident) -> Iterator[Finding]:
    """Each node of the job that an autoscaler removed, once."""
    told: set[str] = set()
    nodes = set(_nodes_of_the_job(incident))
    for event in incident.of(SchedulerEvent):
        name = _short(event.subject.host)
        if event.about == "node-removed" and name in nodes - told:
            told.add(name)
            yield Finding(event.subject, (event,), f"the autoscaler took {name} away: {event.text[:140]}")


def _nodes_of_the_job(incident: Incident) -> Iterator[str]:
    for setting in incident.of(SettingSeen):
        if NODE_NAME.match(setting.name):
            yield _short(setting.value)
    for fact in incident.of(ServiceState, TrainingSteps, NcclMessage):
        if fact.subject.host:
            yield _short(fact.subject.host)


def _short(host: str | None) -> str:
    return (host or "").partition(".")[0]


SYMPTOM = Symptom(
    title="the autoscaler took the job's node away",
    rule=rule,
    leak=0.0001,
    because="an autoscaler waits until nothing runs on a node; that it takes a used one and nothing comes of it is rare",
    command="kubectl get events -A | grep -i -E 'scaledown|disrupt'; kubectl logs -n kube-system deploy/karpenter",
)
