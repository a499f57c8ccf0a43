"""A GPU health test of computation, load or set-up fails on a device (dcgmi diag). ABSENT where all tests pass.

Tests of the memory are a symptom of their own; clocks that are held down and links are others'. A health report's rows
of the whole and of a GPU sum up its parts, and a test of PCIe fails for links alone where a GPU has no NVLink. A job's
or a node's own check of computations counts too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from ..evidence.gpu import GpuDiagnostic
from ..incident import Incident
from ._reports import gpu_subject, said, words_of
from ._symptom import Finding, Symptom

OTHERS = re.compile(r"memory|memtest|ECC|remap|DBE|SBE|throttl|nvlink", re.I)
SUMS = ("Overall Health", "GPU")
MESSAGES = ("Warning", "Error")
# [gpu-health] rank 5 node n12: SDC check FAILED: 1 of 8 devices disagrees (device 5)
SAID = re.compile(
    r"\bSDC (?:check|test)s? (?:has )?FAILED|calculations were incorrect|GEMM result mismatch"
    r"|\b\d{1,4} of \d{1,4} devices? disagrees?\b"
    r"|SDCReplayMismatch|check_gpu_\w{1,20}: .{0,80}\bfailed\b",
    re.I,
)


def rule(incident: Incident) -> Iterator[Finding]:
    results = incident.of(GpuDiagnostic)
    parts = any(each.outcome == "fail" and each.test not in SUMS for each in results)
    failed = [
        each
        for each, below in pairwise((*results, None))
        if each
        and each.outcome == "fail"
        and not (parts and each.test in SUMS)
        and not OTHERS.search(f"{each.test} {each.text}")
        and not (below and below.test in MESSAGES and OTHERS.search(below.text))
    ]
    for each in failed:
        note = f"{each.test}: {each.text or each.outcome}"
        yield Finding(gpu_subject(incident, each.subject), (each,), note[:200])
    for fact in said(incident, SAID):
        yield Finding(gpu_subject(incident, fact.subject), (fact,), words_of(fact)[:200])
    passed = tuple(each for each in results if each.outcome == "pass")
    if passed and not failed:
        yield Finding(passed[0].subject, passed, "every health test passes", present=False)


SYMPTOM = Symptom(
    title="a GPU health test fails",
    rule=rule,
    leak=0.001,
    because="the tests compare results with known answers; a false failure is rare",
    tells_apart=("host", "gpu"),
    command="dcgmi diag -r 3",
    cost_minutes=20,
)
