"""One Slurm job in full: `scontrol show job ID`, and `seff ID`.

JobId=7110 JobName=train
   JobState=TIMEOUT Reason=TimeLimit Dependency=(null)
   Requeue=1 Restarts=0 BatchFlag=1 Reboot=0 ExitCode=0:15
   NodeList=n[01-02]

State: OUT_OF_MEMORY (exit code 137)
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ..evidence import Evidence, Severity
from ..evidence.supervisor import SchedulerEvent
from ..footprint import footprint_of
from ..text import Text
from . import Parser
from ._job_lines import Message, messages

JOB = re.compile(r"^\s{0,8}JobId=(\d{1,12})|^Job ID: (\d{1,12})")
STATE = re.compile(
    r"^\s{0,8}JobState=([A-Z_]{2,30}) Reason=(\S{1,80})|^State: ([A-Z_]{2,30})(?: \(exit code (\d{1,3})\))?"
)
EXIT = re.compile(r"\bExitCode=(\d{1,3}):(\d{1,3})\b")
NODES = re.compile(r"^\s{0,8}NodeList=(\S{1,300})")
INTERESTING = re.compile(r"JobId=|Job ID: |JobState=|^State: |ExitCode=|NodeList=")
EVENTS = {
    "OUT_OF_MEMORY": ("oom-killed", Severity.CRITICAL),
    "TIMEOUT": ("time-limit", Severity.CRITICAL),
    "DEADLINE": ("time-limit", Severity.CRITICAL),
    "PREEMPTED": ("preempted", Severity.CRITICAL),
    "NODE_FAIL": ("node-failed", Severity.CRITICAL),
    "BOOT_FAIL": ("node-failed", Severity.CRITICAL),
    "CANCELLED": ("cancelled", Severity.WARNING),
    "FAILED": ("failed", Severity.CRITICAL),
    "PENDING": ("pending", Severity.INFO),
    "SUSPENDED": ("suspended", Severity.WARNING),
    "COMPLETED": ("completed", Severity.INFO),
    "COMPLETING": ("completed", Severity.INFO),
}


def read(text: Text) -> Iterator[Evidence]:
    jobs: list[dict[str, Any]] = []
    for message in messages(text, INTERESTING):
        said = message.line.text[:2000]
        if job := JOB.match(said):
            jobs.append({"job": job[1] or job[2]})
        found = STATE.match(said)
        if found and found[1] and not (jobs and "message" not in jobs[-1]):
            jobs.append({"job": None})  # a filter has taken the line with its number
        if not jobs:
            continue
        if found:
            state = found[1] or found[3]
            jobs[-1] |= {"message": message, "state": state, "reason": found[2] or "", "code": found[4]}
        if found := EXIT.search(said):
            jobs[-1] |= {"code": found[1], "signal": found[2]}
        if found := NODES.match(said):
            jobs[-1]["host"] = None if found[1] == "(null)" else found[1]
    yield from (_event(text, job) for job in jobs if "message" in job)


def _event(text: Text, job: dict[str, Any]) -> SchedulerEvent:
    message: Message = job["message"]
    about, severity = EVENTS.get(job["state"], ("other", Severity.INFO))
    return SchedulerEvent(
        **message.facts(text, **({"job": job["job"]} if job["job"] else {}), host=job.get("host")),
        severity=severity,
        system="slurm",
        about=about,
        text=f"{job['state']} {job['reason']}".strip(),
        exit_code=int(job["code"]) if job.get("code") else None,
        signal=int(job["signal"]) if job.get("signal", "0") != "0" else None,
    )


PARSER = Parser(
    tool="scontrol show job",
    medium="scheduler",
    footprint=footprint_of(STATE),
    read=read,
)
