"""The job asks for more GPUs than the machine shows.

Said by the job, its launcher or CUDA ("invalid device ordinal", "device_count 7 is smaller than ...", "requested
gpu ... but your machine only has"). Why there are fewer it does not say: a lost device, or a wrong setting.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..incident import Incident
from ._gpus import FEWER_GPUS
from ._reports import complaints
from ._symptom import Finding, Symptom


def rule(incident: Incident) -> Iterator[Finding]:
    yield from complaints(incident, FEWER_GPUS)


SYMPTOM = Symptom(
    title="fewer GPUs than the job expects",
    rule=rule,
    leak=0.003,
    because="a job that is started on the wrong kind of machine is the innocent reason",
    command="nvidia-smi -L; lspci | grep -i nvidia; env | grep CUDA_VISIBLE_DEVICES",
)
