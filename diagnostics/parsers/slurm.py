"""Slurm: what slurmstepd and srun print into a job's output, and what the controller's log says of a job.

    slurmstepd: error: *** STEP 7110.0 ON node31 CANCELLED AT 2026-03-04T07:31:02 DUE TO TIME LIMIT ***
    slurmstepd: error: Detected 1 oom-kill event(s) in StepId=2048123.batch. Some of your processes may have been killed
    srun: error: node31: task 0: Out Of Memory

    [2026-03-04T07:31:02.114] preempted JobId=7110 has been requeued to reclaim resources for JobId=7188

Tables (squeue, sacct) have a parser of their own. srun's debug lines are skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ..evidence import Evidence, Severity
from ..evidence.supervisor import SchedulerEvent
from ..text import Text, whole_number
from . import Parser
from ._job_lines import Message, messages, peel
from ._signals import NAMES, WORDS

LINE = re.compile(r"^(?:slurmstepd|slurmd|srun|salloc|sbatch|scancel|slurm_load_\w{1,30})(?:-[\w.-]{1,60})?: (.*)$")
CONTROLLER = re.compile(
    r"^(?:error: |sched: )?([Pp]reempted JobId=\d.*|Time limit exhausted for JobId=\d.*"
    r"|Killing JobId=\d{1,12} on failed node .*"
    r"|requeue job JobId=\d{1,12}\b.* due to failure of node .*)$"
)
JOB = re.compile(r"\b(?:StepId=|JobId=|STEP |JOB |[Jj]ob |step )(\d{1,12}(?:[._+]\w{1,20}){0,2})")
HOST = re.compile(
    r"\bON ([\w.-]{1,80}) |^error: ([\w.-]{1,80}): tasks? \d|\bnode ([\w.-]{1,80})\b|^error: ([\w.-]{1,80}) \[\d"
)
AT = re.compile(r"\b(?:CANCELLED|FAILED|PREEMPTED) AT (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)")
COUNT = re.compile(r"Detected (\d{1,6}) oom[-_]kill event")
CODE = re.compile(r"\b(?:Exited with exit code|exit code|status=0x)[ =:]{0,3}([0-9a-f]{1,4})\b")

# about -> wording, severity; the first that fits counts
EVENTS = (
    ("oom-killed", Severity.CRITICAL, re.compile("(?i)oom[-_ ]?kill|out of memory"
        "|exceeded (?:job |step )?memory limit|memory limit .{0,40}exceeded")),
    ("time-limit", Severity.CRITICAL, re.compile(r"(?i)DUE TO TIME LIMIT|time limit (?:exhausted|reached)|TIMEOUT")),
    ("preempted", Severity.CRITICAL, re.compile(r"(?i)DUE TO (?:PREEMPTION|JOB REQUEUE)|\bpreempted\b")),
    ("node-failed", Severity.CRITICAL, re.compile("(?i)DUE TO NODE FAIL|NODE_FAIL|node failure|failed node"
        "|failure of node|Node failure on|nodes? .{0,40}(?:not responding|DOWN)|NOT SET TO BE RESPONDING")),
    ("cancelled", Severity.WARNING, re.compile(r"(?i)\bCANCELLED\b|job step aborted|Force Terminated"
        r"|\btask \d{1,6}: (?:Terminated|Killed)|received (?:cancel|signal)")),
    ("failed", Severity.CRITICAL, re.compile("(?i)Exited with exit code [1-9]"
        r"|\btasks? [\d,-]{1,40}: (?:Segmentation|Aborted|Bus error|Exited)|\bkill(?:ed|ing)\b.{0,40}(?:task|step)"
        "|Unable to (?:create|confirm)|requested node configuration|Socket timed out|launch failed")),
    ("pending", Severity.INFO, re.compile("(?i)queued and waiting for resources|has been queued"
        "|Requested nodes are busy")),
    ("completed", Severity.INFO, re.compile(r"(?i)has been allocated resources|Job step (?:created|allocated)")),
)  # fmt: skip
SIGNALS = {name.removeprefix("SIG"): number for number, name in NAMES.items()}
WORD = re.compile(r"\btasks? [\d,-]{1,40}: ([A-Z][\w ]{2,40}?)(?: \(core dumped\))?$")


def read(text: Text) -> Iterator[Evidence]:
    for message in messages(text, INTERESTING):
        line = CONTROLLER.match(message.text) or LINE.match(message.text) or LINE.match(message.line.text[:4096])
        if line and not line[1].startswith(("debug", "launch/slurm: _task_finish")):
            event = next(((about, bad) for about, bad, pattern in EVENTS if pattern.search(line[1])), None)
            if event:
                yield _event(text, message, line[1], *event)


INTERESTING = re.compile(r"\b(?:slurmstepd|slurmd|srun|salloc|sbatch|scancel)\b.{0,80}: |\bJobId=\d")


def _event(text: Text, message: Message, said: str, about: str, severity: Severity) -> SchedulerEvent:
    job, host = JOB.search(said), HOST.search(said)
    known: dict[str, Any] = {"job": job[1]} if job else {}
    if host and (name := next((group for group in host.groups() if group), None)):
        known["host"] = name
    facts = message.facts(text, **known)
    if at := AT.search(said):
        facts["stamp"] = peel(f"{at[1]} x").stamp or facts["stamp"]
    count, code, word = COUNT.search(said), CODE.search(said), WORD.search(said)
    signal = SIGNALS.get(WORDS.get(word[1].lower(), "").removeprefix("SIG")) if word else None
    return SchedulerEvent(
        **facts,
        severity=severity,
        system="slurm",
        about=about,
        text=said,
        exit_code=whole_number(code[1]) if code else None,
        signal=signal,
        count=int(count[1]) if count else 1,
    )


PARSER = Parser(
    tool="slurmstepd, srun",
    medium="scheduler",
    footprint=r"\b(slurmstepd|slurmd|srun|salloc|sbatch)(-[\w.-]{1,60})?: "
    "(error|Force|Job|job|debug|launch|Terminating|Required|Warning|warning|info|allocat|Granted|Pending)"
    r"|\b([Pp]reempted|exhausted for|Killing|requeue job) JobId=\d",
    read=read,
)
