"""A kernel of the program touched memory that is not its own, or is not aligned.

Xid 13, 31, 32, 43, 68 or 69, or CUDA's own words (illegal memory access, misaligned address, device-side assert), the
memory checker's, or those of the same work tried on the CPU (index out of range). Xid 45 is the cleaning up after
anything and says nothing, and so does a fault of a device whose PCIe link has just failed. What the run outlived for
minutes was another process's, and an assertion that finds NaN, or a value out of its range in a run that shows NaN, is
about the numbers. ABSENT where a kernel log long enough to speak is silent.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime

from ..evidence import Evidence
from ..evidence.kernel import PcieError, Xid
from ..evidence.people import Trial
from ..evidence.training import NonFiniteValue
from ..incident import Incident
from ..runs import Run, outlived
from ._errors import matching
from ._exceptions import DIVERGED
from ._gpus import follows_at_once, link_failures
from ._reports import gpu_reports, words_of
from ._symptom import Finding, Symptom

DAY_S = 86400.0
CODES = (13, 31, 32, 43, 68, 69)
WORDS = re.compile(
    r"illegal memory access|ILLEGAL_?ADDRESS|misaligned address|\bCUDA_EXCEPTION_\d"
    r"|device-side assert|invalid program counter|Invalid __\w{1,12}__ (?:read|write|atomic)"
    r"|block: \[[\d, ]{1,30}\], thread: \[[\d, ]{1,30}\] Assertion|Memory access fault by GPU"
    r"|Segmentation fault from GPU at 0x|\[7(?:00|16|19)\] Call to cu"
    # CUDA failure 77 of old, 700 since CUDA 10      PhysX error: Synchronizing GPU Narrowphase failed! 700
    r"|\bCUDA (?:failure|error):? (?:77|7(?:00|16|19))\b|\bGPU \w{1,40} failed! 7(?:00|16|19)\b"
    r"|\bcu[A-Z]\w{2,40} failed(?: with error)? 7(?:00|16|19)\b"
    "|HSA_STATUS_ERROR_(?:EXCEPTION|MEMORY_APERTURE_VIOLATION)"
    # Error: ../paddle/phi/kernels/funcs/gather.cu.h:67 Assertion `index_value >= 0 ...` failed.
    r"|\.cuh?(?:\.h)?:\d{1,6}:? Assertion `.{1,300}` failed",
    re.I,
)


# a framework's own check of the numbers, which stops the kernel by an assertion
FINDS_NAN = re.compile(
    r"\bfind nan or inf\b|\bprobability tensor contains either\b|Assertion `false` failed.{0,40}\b(?:nan|inf)\b", re.I
)
# BCECriterion.cu:42: Assertion `*input >= 0. && *input <= 1.` failed: what is no number is in no range
IN_RANGE = re.compile(r"Assertion `[\w*.]{1,30} >= (?:0|zero|T\(0\)|static_cast<\w{1,20}>\(0\))\S{0,4} && ")
# same batch on cpu : IndexError: index out of range in self
ON_CPU = re.compile(r"index out of range|(?:index|target) \d{1,12} is out of (?:bounds|range)", re.I)


def rule(incident: Incident) -> Iterator[Finding]:
    failures = link_failures(incident)
    past = {xid.code for xid in incident.of(Xid) if _of_another_run(incident, xid)}
    not_finite = any(incident.of(NonFiniteValue)) or any(matching(incident, DIVERGED))
    for finding in gpu_reports(incident, codes=CODES, driver=("page-fault",), words=WORDS, passes=True):
        said = " ".join(words_of(fact) for fact in finding.evidence if isinstance(fact, Evidence))
        if FINDS_NAN.search(said) or (not_finite and IN_RANGE.search(said)):
            continue
        xids = [fact for fact in finding.evidence if isinstance(fact, Xid)]
        if not any(
            _follows(incident, failures, xid) or _of_another_run(incident, xid) or _undated_of(past, xid)
            for xid in xids
        ):
            yield finding
    for trial in incident.of(Trial):
        if ON_CPU.search(trial.text) or WORDS.search(trial.text):
            yield Finding(trial.subject, (trial,), f"{trial.condition}: {trial.text}"[:200])


def _follows(incident: Incident, failures: Mapping[str, Sequence[PcieError]], xid: Xid) -> bool:
    return follows_at_once(incident, failures.get(xid.subject.pci or "", ()), xid)


def _of_another_run(incident: Incident, xid: Xid) -> bool:
    """True where the runs of the incident go on as if nothing had been: minutes later if they had begun, or a
    day later.
    """
    each = [run for run in incident.runs if run.is_last]
    moment = incident.timeline.at(xid)
    if moment is None or not each or any(run.failed or run.ended for run in each):
        return False
    return all(outlived(run, xid, incident.timeline) or _later_s(incident, run, moment) > DAY_S for run in each)


def _undated_of(codes: Collection[int], xid: Xid) -> bool:
    """True for the last Xid as a monitor shows it, without a time, when the kernel's log dates one like it in
    the past.
    """
    return xid.stamp is None and xid.code in codes


def _later_s(incident: Incident, run: Run, moment: datetime) -> float:
    end = incident.timeline.at(run.steps, run.steps.last_stamp)
    return (end - moment).total_seconds() if end else 0.0


SYMPTOM = Symptom(
    title="a kernel of the program reached outside its memory",
    rule=rule,
    leak=0.002,
    because="the fault is raised by the address check of one launch; other faults raise it rarely",
    tells_apart=("host",),
    command="sudo dmesg -T | grep Xid; CUDA_LAUNCH_BLOCKING=1 python train.py",
    cost_minutes=10,
    may_pass=True,
)
