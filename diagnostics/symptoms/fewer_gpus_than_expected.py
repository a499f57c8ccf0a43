"""The job asks for more GPUs than the machine shows.

Said by the job, its launcher or CUDA ("invalid device ordinal", "device_count 7 is smaller than ...", "requested
gpu ... but your machine only has"). Why there are fewer it does not say: a lost device, or a wrong setting.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..incident import Incident
from ._reports import complaints
from ._symptom import Finding, Symptom

WORDS = re.compile(
    r"invalid device ordinal|device[_ ]count\W{1,3}\d{1,3} is (?:smaller|less|lower) than"
    r"|requested gpu.{0,80}only (?:has|have)|but your machine only has"
    r"|(?:expected|require[sd]?|requested|need(?:s|ed)?|wants?)\D{0,12}\d{1,3} (?:GPU|device)s?\b.{0,40}\b"
    "(?:only|found|got|but|have|available|detected)"
    r"|only \d{1,3} (?:GPU|CUDA device)s? (?:(?:is|are|were) )?(?:available|found|detected|visible)"
    "|(?:greater|larger|more|higher|exceeds?) (?:than )?(?:the )?(?:number of )?(?:available|visible) "
    "(?:GPU|CUDA|device)s?",
    re.I,
)


def rule(incident: Incident) -> Iterator[Finding]:
    yield from complaints(incident, WORDS)


SYMPTOM = Symptom(
    title="fewer GPUs than the job expects",
    rule=rule,
    leak=0.003,
    because="a job that is started on the wrong kind of machine is the innocent reason",
    command="nvidia-smi -L; lspci | grep -i nvidia; env | grep CUDA_VISIBLE_DEVICES",
)
