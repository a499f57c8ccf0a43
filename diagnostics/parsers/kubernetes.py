"""Kubernetes about a pod: `kubectl describe pod`, `kubectl get events`, `kubectl get pods`, `-o yaml` and `-o json`.

    Last State:     Terminated
      Reason:       OOMKilled
      Exit Code:    137
    Events:
      Type     Reason    Age                From      Message
      Warning  Evicted   18m                kubelet   The node was low on resource: ephemeral-storage.

Events that an exporter wrote as JSON, one a line, are read too:

    {"kind": "Node", "reason": "SystemOOM", "message": "System OOM encountered, victim process: python, pid: 4242"}

So is what a kubelet's own log says of a pod that it evicted, and how old each running pod is. Normal events of a
pod's life (Scheduled, Pulled, Created, Started) are skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ..durations import seconds
from ..evidence import Evidence, Severity
from ..evidence.process import ServiceState
from ..evidence.supervisor import SchedulerEvent, WatchdogFired
from ..text import Text
from . import Parser
from ._job_lines import Message, messages

# reason -> what it is about, severity
REASONS = {
    "OOMKilled": ("oom-killed", Severity.CRITICAL),
    "OOMKilling": ("oom-killed", Severity.CRITICAL),
    "SystemOOM": ("oom-killed", Severity.CRITICAL),
    "Evicted": ("evicted", Severity.CRITICAL),
    "EvictionByEvictionAPI": ("evicted", Severity.CRITICAL),
    "TerminationByKubelet": ("evicted", Severity.CRITICAL),
    "TaintManagerEviction": ("evicted", Severity.WARNING),
    "DeletionByTaintManager": ("evicted", Severity.WARNING),
    "EvictedDueToPreempted": ("preempted", Severity.CRITICAL),
    "Preempted": ("preempted", Severity.CRITICAL),
    "Preempting": ("preempted", Severity.CRITICAL),
    "PreemptionByScheduler": ("preempted", Severity.CRITICAL),
    "DeadlineExceeded": ("time-limit", Severity.CRITICAL),
    "NodeNotReady": ("node-failed", Severity.CRITICAL),
    "NodeLost": ("node-failed", Severity.CRITICAL),
    "NodeShutdown": ("node-failed", Severity.CRITICAL),
    "Terminated": ("node-failed", Severity.WARNING),
    "Error": ("failed", Severity.CRITICAL),
    "ContainerCannotRun": ("failed", Severity.CRITICAL),
    "StartError": ("failed", Severity.CRITICAL),
    "BackoffLimitExceeded": ("failed", Severity.CRITICAL),
    "BackOff": ("restarted", Severity.WARNING),
    "CrashLoopBackOff": ("restarted", Severity.WARNING),
    "Unhealthy": ("probe-failed", Severity.WARNING),
    "ProbeWarning": ("probe-failed", Severity.WARNING),
    "FailedScheduling": ("pending", Severity.WARNING),
    "Pending": ("pending", Severity.INFO),
    "NodeHasDiskPressure": ("disk-pressure", Severity.CRITICAL),
    "EvictionThresholdMet": ("disk-pressure", Severity.CRITICAL),
    "FreeDiskSpaceFailed": ("other", Severity.WARNING),
    "ImageGCFailed": ("other", Severity.WARNING),
    "Failed": ("failed", Severity.WARNING),
    "NodeHasInsufficientMemory": ("memory-pressure", Severity.CRITICAL),
    "FailedMount": ("other", Severity.WARNING),
    "FailedAttachVolume": ("other", Severity.WARNING),
    "FailedKillPod": ("other", Severity.WARNING),
    "FailedCreatePodSandBox": ("other", Severity.WARNING),
    "NetworkNotReady": ("other", Severity.WARNING),
    "Killing": ("other", Severity.INFO),
    "Completed": ("completed", Severity.INFO),
}
# Warning  Evicted   18m (x8 over 117s)  kubelet, w03   The node was low on resource
EVENT = re.compile(
    r"^\s{0,8}(?:\S{1,12}\s+)?(Normal|Warning)\s+(\w{3,40})\s+(?:\S{1,30}(?:\s\(x(\d{1,6}) over [^)]{1,20}\))?\s+)?"
    "(.*)$"
)
# status: terminated,exitCode: 137,reason: OOMKilled,startedAt: 2026-03-04T07:45:50Z
# {"terminated":{"exitCode":137,"reason":"OOMKilled"}}
INLINE = re.compile(
    r"[,{ ]\"?reason\"?: ?\"?(OOMKilled|Evicted|Preempted|DeadlineExceeded)\b(?=[,}\"]|\s{0,3}$| message:)"
)
# {"involvedObject": {"kind": "Pod", "name": "train-0"}, "reason": "Evicted", "message": "The node was low on ..."}
JSON_REASON = re.compile(r'"reason"\s?:\s?"(\w{3,40})"')
JSON_SAID = re.compile(r'"(?:message|note)"\s?:\s?"([^"\\]{1,1000})')
JSON_POD = re.compile(r'"kind"\s?:\s?"Pod"[^{}]{0,400}?"name"\s?:\s?"([\w.-]{1,253})"')
JSON_NODE = re.compile(r'"(?:host|node|nodeName)"\s?:\s?"([\w.-]{1,253})"')
# eviction_manager.go:627] "Eviction manager: pod is evicted successfully" pod="ml/train-0"
KUBELET = re.compile(
    r"[Ee]viction manager: pods? (\S{1,120} )?(?:is )?evicted successfully\"?"
    r"(?: pod=\"(?:[\w.-]{1,120}/)?([\w.-]{1,253})\")?"
)
# 2025-01-14T10:31:52Z  trainer-0  Stopping container pytorch     (of `kubectl get events -o custom-columns`)
STOPPING = re.compile(r"^\s{0,8}(?:pod/)?([a-z0-9][\w.-]{1,252})\s{1,20}(Stopping container \S{1,80})\s{0,4}$")
COUNT = re.compile(r"\(x(\d{1,6}) over ")
# Reason:       OOMKilled        reason: OOMKilled         "reason": "OOMKilled",
REASON = re.compile(r"^\s{0,40}-? ?\"?[Rr]eason\"?:\s{1,20}\"?(\w{3,40})\"?,?$")
CODE = re.compile(r"^\s{0,40}\"?(?:Exit Code|exitCode)\"?:\s{1,20}(\d{1,3}),?$")
POD = re.compile(r"^\s{0,4}Name:\s{1,20}([\w.-]{1,253})$|[Pp]od[ /]([\w.-]{1,120}/)?([\w.-]{1,253})\b")
NODE = re.compile(r"^\s{0,4}Node:\s{1,20}([\w.-]{1,253})/|kubelet, ([\w.-]{1,253})\b|on node ([\w.-]{1,253})\b")
CONDITION = re.compile(r"^\s{0,8}(DiskPressure|MemoryPressure|PIDPressure)\s+True\b")
# train-0   0/1     OOMKilled   3 (2m ago)   41m
# worker-8e1f-ccb67bb74-zzb7q     Failed    Evicted   6h41m     (with -o custom-columns)
POD_STATE = re.compile(
    r"^([a-z0-9][\w.-]{1,252})\s+(?:Failed|Succeeded|Error)\s+"
    r"(Evicted|OOMKilled|Preempted|Preempting|DeadlineExceeded)\b"
)
POD_ROW = re.compile(r"^([a-z0-9][\w.-]{1,252})\s+\d{1,3}/\d{1,3}\s+(\w{3,40})\s+(\d{1,6})")
# csi-cephfsplugin-2tq7l   3/3     Running   7 (11m ago)   6m12s     with -o wide: 10.0.1.7   node-7   <none>
RUNNING = re.compile(
    r"^([a-z0-9][\w.-]{1,252})\s+\d{1,3}/\d{1,3}\s+Running\s+\d{1,6}(?:\s\([\w ]{1,20} ago\))?\s+"
    r"((?:\d{1,5}[dhms]){1,3})(?=\s|$)(?:\s+(?:\d{1,3}(?:\.\d{1,3}){3}|<none>)\s+([a-z0-9][\w.-]{1,252})(?=\s|$))?"
)
PROBE = re.compile(r"\b(?:Liveness|Startup) probe (?:failed|errored)|failed (?:liveness|startup) probe")
# Last State OOMKilled       reason OOMKilled, relaunch as worker 9       3   Terminated   OOMKilled   137
TOLD = re.compile(
    r"(?:\b(?:[Rr]eason|[Ss]tate|STATE|[Tt]erminated|why)[ :=,(\"]{1,20}|^\s{0,12}\S{1,60} [^\n\"']{0,80}?[ ,]{1,20})"
    r"OOM ?Killed\b(?![\"']?[ \t]{0,4}[:=?])"
)
NOT_TOLD = re.compile(r"\b(?:no|not|never|without|nor|neither|if|when|as|is|are|0)\b[^\n]{0,30}OOM ?Killed", re.I)
NEARBY = 6  # lines: the exit code stands right after its reason, or right before it in yaml


def read(text: Text) -> Iterator[Evidence]:
    pod = node = None
    for message in messages(text, INTERESTING):
        said = message.text if message.stamp else message.line.text[:4096]
        if event := _json_event(message.line.text[:8192]):
            about, severity = REASONS[event[0]]
            yield _fact(text, message, about, severity, f"{event[0]}: {event[1]}", event[2] or pod, event[3] or node)
        elif (found := INLINE.search(said)) and not REASON.match(said):
            about, severity = REASONS[found[1]]
            yield _fact(text, message, about, severity, f"Reason: {found[1]}", pod, node)
        elif found := KUBELET.search(said):
            yield _fact(text, message, "evicted", Severity.CRITICAL, said.strip()[:300], found[2] or pod, node)
        elif (found := POD.match(said)) and said.lstrip().startswith("Name:") and not said.startswith("    "):
            pod = found[1]
        elif (found := NODE.match(said)) and found[1]:
            node = found[1]
        elif found := EVENT.match(said):
            yield from _event(text, message, found, pod, node)
        elif found := STOPPING.match(said):
            yield _fact(text, message, "other", Severity.INFO, found[2], found[1], node)
        elif found := CONDITION.match(said):
            about = {"DiskPressure": "disk-pressure", "MemoryPressure": "memory-pressure"}.get(found[1], "other")
            yield _fact(text, message, about, Severity.CRITICAL, said.strip(), pod, node)
        elif (found := REASON.match(said)) and found[1] in REASONS:
            about, severity = REASONS[found[1]]
            yield _fact(text, message, about, severity, f"Reason: {found[1]}", pod, node, _code(text, message))
        elif found := RUNNING.match(said):
            yield _running(text, message, found)
        elif (found := POD_ROW.match(said) or POD_STATE.match(said)) and found[2] in REASONS:
            about, severity = REASONS[found[2]]
            yield _fact(text, message, about, severity, " ".join(said.split()), found[1], node)
        elif TOLD.search(said) and not NOT_TOLD.search(said):
            about, severity = REASONS["OOMKilled"]
            yield _fact(text, message, about, severity, " ".join(said.split())[:300], None, node)


def _running(text: Text, message: Message, found: re.Match[str]) -> ServiceState:
    return ServiceState(
        **message.facts(text, job=found[1], **({"host": found[3]} if found[3] else {})),
        state="active",
        was_active=True,
        age_s=seconds(found[2]),
    )


def _json_event(line: str) -> tuple[str, str, str | None, str | None] | None:
    """Reason, message, pod and node of an event in a line of JSON."""
    reason = JSON_REASON.search(line) if line.lstrip().startswith("{") else None
    said = JSON_SAID.search(line) if reason and reason[1] in REASONS else None
    if not reason or not said:
        return None
    pod, node = JSON_POD.search(line), JSON_NODE.search(line)
    return reason[1], said[1], pod[1] if pod else None, node[1] if node else None


INTERESTING = re.compile(
    r"\bOOM ?Killed\b|\bStopping container \S|[Ee]viction manager: pod"
    r"|[,{ ]\"?reason\"?: ?\"?(?:OOMKilled|Evicted|Preempted|DeadlineExceeded)\b"
    r"|\s(?:Failed|Succeeded|Error)\s+(?:Evicted|OOMKilled|Preempt|DeadlineEx)|^\s*\{.{0,8000}\"reason\"|^\s*Name:"
    r"|^\s*Node:|(?:Normal|Warning)\s+\w|[Rr]eason\"?:|(?:Disk|Memory|PID)Pressure\s+True"
    r"|^[a-z0-9][\w.-]{1,252}\s+\d{1,3}/\d{1,3}\s"
)


def _event(text: Text, message: Message, found: re.Match[str], pod: str | None, node: str | None) -> Iterator[Evidence]:
    _, reason, count, said = found.groups()
    if reason not in REASONS:
        return
    about, severity = REASONS[reason]
    where = NODE.search(found.string)
    node = next((group for group in where.groups() if group), node) if where else node
    if about == "evicted" and "memory" in said and "low on resource: memory" not in said:
        about = "evicted"
    yield _fact(text, message, about, severity, f"{reason}: {said.strip()}", pod, node, None, int(count or 1))
    if reason in ("Unhealthy", "Killing") and PROBE.search(said):
        yield WatchdogFired(
            **message.facts(text, **_known(pod, node)),
            severity=Severity.CRITICAL if reason == "Killing" else Severity.WARNING,
            watchdog="kubernetes",
            action="kill" if reason == "Killing" else "alert",
            text=said.strip(),
        )


def _known(pod: str | None, node: str | None) -> dict[str, Any]:
    return ({"job": pod} if pod else {}) | ({"host": node} if node else {})


def _fact(
    text: Text,
    message: Message,
    about: str,
    severity: Severity,
    said: str,
    pod: str | None,
    node: str | None,
    code: int | None = None,
    count: int = 1,
) -> SchedulerEvent:
    return SchedulerEvent(
        **message.facts(text, **_known(pod, node)),
        severity=severity,
        system="kubernetes",
        about=about,
        text=said,
        exit_code=code,
        signal=code - 128 if code and 128 < code < 192 else None,
        count=count,
    )


def _code(text: Text, message: Message) -> int | None:
    """The exit code of the state that a reason belongs to: after it in describe, before it in yaml."""
    for lines in (text.after(message.line, limit=NEARBY), text.before(message.line, limit=NEARBY)):
        for line in lines:
            if REASON.match(line.text[:200]):
                break
            if found := CODE.match(line.text[:200]):
                return int(found[1])
    return None


PARSER = Parser(
    tool="kubectl",
    medium="scheduler",
    footprint=(
        r"^\s*(Normal|Warning)\s+[A-Z]\w+\s|^\S+\s+(Normal|Warning)\s+[A-Z]\w+\s|^\s*Reason:\s+\w+$"
        rf"|{TOLD.pattern}"
        r"|^\s*reason: (OOMKilled|Error|Evicted|Completed|DeadlineExceeded)"
        r"|^[a-z0-9][\w.-]{1,252}\s+(Failed|Succeeded|Error)\s+(Evicted|OOMKilled|Preempt\w{2,4}|DeadlineExceeded)\b"
        r"|[,{ ]\"?reason\"?: ?\"?(OOMKilled|Evicted|Preempted|DeadlineExceeded)\b"
        "|[Ee]viction manager: pods? .{0,130}evicted successfully"
        r"|\s(?:pod/)?[a-z0-9][\w.-]{1,252}\s{1,20}Stopping container \S{1,80}\s{0,4}$"
        r"|^\s*\{[^\n]{0,8000}\"reason\"\s?:\s?\"(OOMKilling|SystemOOM|Evicted|Preempt(ed|ing)|NodeNotReady"
        r"|NodeShutdown|EvictionThresholdMet|TaintManagerEviction)\""
        r"|\"reason\": \"(OOMKilled|Error|Evicted|Completed)\"|^\s*(Disk|Memory)Pressure\s+True"
        r"|^[a-z0-9][\w.-]+\s+\d+/\d+\s+(Running|OOMKilled|Error|Evicted|Pending|CrashLoopBackOff|Completed"
        r"|Terminating|ContainerCreating)\s"
    ),
    read=read,
)
