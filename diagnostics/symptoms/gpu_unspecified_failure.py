"""CUDA failed with an error that names no reason.

"unknown error", "unspecified launch failure", a cuBLAS or cuDNN execution failure, a launch that timed out. Bad code, a
bad device and a bad driver all say this, so it moves little. So does an illegal instruction: an image built for another
device, one damaged on its way or a processor that decodes wrongly.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..incident import Incident
from ._reports import findings, gpu_subject, said, words_of
from ._symptom import Finding, Symptom

WORDS = re.compile(
    r"CUDA error: unknown error|unspecified launch failure|CU(?:BLAS|DNN|SPARSE|FFT)_STATUS_(?:EXECUTION|INTERNAL)\w*"
    r"|launch timed out and was terminated|CUDA_ERROR_(?:UNKNOWN|LAUNCH_FAILED|LAUNCH_TIMEOUT)"
    r"|CUDA error: (?:an )?internal error|cudaErrorUnknown|unhandled cuda error"
    r"|CUDA_ERROR_ILLEGAL_INSTRUCTION|illegal instruction was encountered",
    re.I,
)


def rule(incident: Incident) -> Iterator[Finding]:
    facts = [(fact, words_of(fact)) for fact in said(incident, WORDS)]
    yield from findings(incident, facts, lambda fact: gpu_subject(incident, fact.subject))


SYMPTOM = Symptom(
    title="CUDA failed and named no reason",
    rule=rule,
    leak=0.02,
    because="the text is CUDA's last resort, whatever went wrong",
    command="sudo dmesg -T | grep -E 'NVRM|Xid'",
)
