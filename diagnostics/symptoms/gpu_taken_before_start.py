"""A device had little memory left before the job took any: somebody else's process held it.

vLLM's check at its start, an out-of-memory report in which another process holds most of the device and this one
little, or CUDA that finds the device busy.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Evidence
from ..incident import Incident
from . import Finding, Symptom
from ._reports import findings, gpu_subject, said, words_of

AT_START = re.compile(
    r"Free memory on device .{0,40}\(\d+(?:\.\d+)?/\d+(?:\.\d+)? GiB\) on startup is less than desired"
    r"|CUDA-capable device\(s\) is/are busy or unavailable|all CUDA-capable devices are busy or unavailable"
    r"|cudaErrorDevicesUnavailable|Initial free memory .{0,80}less than|memory was already (?:in use|allocated) before",
    re.I,
)
OTHERS = re.compile(r"\bProcess \d{1,8} has (\d{1,6}(?:\.\d+)?) ([MG])iB memory in use")
OWN = re.compile(r"\bthis process has (\d{1,6}(?:\.\d+)?) ([MG])iB memory in use")
CAPACITY = re.compile(r"total capac(?:i)?ty of (\d{1,6}(?:\.\d+)?) ([MG])iB")
MOST = 0.6  # of the device: what others hold
LITTLE = 0.3  # of the device: what the process that failed holds


def rule(incident: Incident) -> Iterator[Finding]:
    facts: list[tuple[Evidence, str]] = [(fact, words_of(fact)) for fact in said(incident, AT_START)]
    facts += [(fact, words_of(fact)) for fact in said(incident, OTHERS) if _of_others(words_of(fact))]
    yield from findings(incident, facts, lambda fact: gpu_subject(incident, fact.subject))


def _of_others(text: str) -> bool:
    """True when one report of PyTorch shows the device in the hands of one other process."""
    capacity = CAPACITY.search(text)
    if not capacity:
        return False
    whole = _gib(capacity)
    own = OWN.search(text)
    largest = max((_gib(found) for found in OTHERS.finditer(text)), default=0.0)
    return largest >= MOST * whole and own is not None and _gib(own) <= LITTLE * whole


def _gib(found: re.Match[str]) -> float:
    return float(found[1]) / (1.0 if found[2] == "G" else 1024.0)


SYMPTOM = Symptom(
    title="a device was taken before the job began",
    rule=rule,
    leak=0.002,
    because="two jobs that are placed on one device by mistake are the innocent reason",
    command="nvidia-smi --query-compute-apps=pid,name,used_memory --format=csv; ps -eo pid,ppid,stat,etime,cmd",
)
