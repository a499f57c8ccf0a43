"""A device had little memory left before the job took any: somebody else's process held it.

vLLM's check at its start, or an out-of-memory report in which others hold most of the device and this process little.
Ranks that have all chosen one device are no others: several of them report it, the report lists many small holders, or
nvidia-smi shows three of one program there, of which one also holds another device.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from ..evidence import Evidence
from ..evidence.gpu import GpuProcess
from ..incident import Incident
from ._gpus import AMOUNT, AT_START, HELD_BY_ITSELF
from ._reports import findings, gpu_subject, said, words_of
from ._symptom import Finding, Symptom

# a total capacity of 23.69 GiB of which 312.00 MiB is free          23.69 GiB total capacity; ...; 312.00 MiB free
CAPACITY = re.compile(rf"total capac(?:i)?ty of {AMOUNT}|{AMOUNT} total capacity")
FREE = re.compile(rf"{AMOUNT} (?:is )?free\b")
# CUDA out of memory. ... GPU 0 has a total capacity       (GPU 0; 23.69 GiB total capacity
DEVICE = re.compile(r"\bGPU (\d{1,3})\b")
LISTED = re.compile(rf"\bProcess \d{{1,8}} has {AMOUNT} memory in use")
MOST = 0.6  # of the device: what others hold
LITTLE = 0.3  # of the device: what the process that failed holds
RANKS = 3  # of one program on one device


def rule(incident: Incident) -> Iterator[Finding]:
    facts: list[tuple[Evidence, str]] = [(fact, words_of(fact)) for fact in said(incident, AT_START)]
    full = [fact for fact in said(incident, CAPACITY) if _of_others(words_of(fact))]
    ranks = {(_device(fact), fact.subject.rank) for fact in full if fact.subject.rank is not None}
    shared = {device for device, _ in ranks if sum(device == other for other, _ in ranks) > 1}
    shared |= _shared_by_ranks(incident)
    facts += [(fact, words_of(fact)) for fact in full if _device(fact) not in shared]
    yield from findings(incident, facts, lambda fact: gpu_subject(incident, fact.subject))


def _device(fact: Evidence) -> str | None:
    found = DEVICE.search(words_of(fact))
    return found[1] if found else None


def _shared_by_ranks(incident: Incident) -> set[str | None]:
    """The devices on which several ranks of one job sit: one of them has its own device elsewhere."""
    devices: dict[tuple[str, int | None], set[int | None]] = defaultdict(set)
    for holder in incident.of(GpuProcess):
        devices[holder.name, holder.subject.gpu].add(holder.subject.pid)
    return {
        str(gpu)
        for (name, gpu), pids in devices.items()
        if len(pids) >= RANKS
        and any(pids & others for (other, at), others in devices.items() if other == name and at != gpu)
    }


def _of_others(text: str) -> bool:
    """True when one report of PyTorch shows most of a device in the hands of others."""
    whole, free, own = (max(_gib(pattern, text), default=None) for pattern in (CAPACITY, FREE, HELD_BY_ITSELF))
    if not whole or free is None or own is None:
        return False
    if any(LISTED.finditer(text)) and max(_gib(LISTED, text)) < MOST * whole:
        return False
    return own <= LITTLE * whole and whole - free - own >= MOST * whole


def _gib(pattern: re.Pattern[str], text: str) -> Iterator[float]:
    for found in pattern.finditer(text):
        amount, unit = (group for group in found.groups() if group)
        yield float(amount) / (1.0 if unit == "G" else 1024.0)


SYMPTOM = Symptom(
    title="a device was taken before the job began",
    rule=rule,
    leak=0.0005,
    because="a device that is free when the job starts has its memory to give",
    command="nvidia-smi --query-compute-apps=pid,name,used_memory --format=csv; ps -eo pid,ppid,stat,etime,cmd",
)
