"""Saving a checkpoint failed: the writer's own exception, in the words of torch's zip writer or of a plain write.

torch words a full disk, a lost network volume and a filesystem gone read-only alike ("iostream error", "unexpected
pos", "file write failed"), and numpy's tofile says only how much was written, so the error tells that a write failed
and not why. A person's own cp is no save of the job.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence.storage import ToolError
from ..incident import Incident
from ._errors import matching
from ._places import place_of_error
from ._symptom import Finding, Symptom

WRITE_FAILED = re.compile(
    r"basic_ios::clear|iostream error|unexpected pos \d+ vs|PytorchStreamWriter failed|file write failed"
    r"|inline_container\.cc.{0,80}(?:unexpected pos|writ)|write\(\): fd \d+ failed"
    r"|SafetensorError.{0,40}(?:IoError|Io\(|os error)"
    r"|Error writing \(tmp\) checkpoint file|Resource exhausted: (?:[\w ]{1,40}: )?/\S"
    r"|RESOURCE_EXHAUSTED: (?:[\w ]{1,40}: )?/\S"
    r"|\bFile \S{1,300} cannot be opened\."
    r"|\b\d{1,12} requested and \d{1,12} written\b"
    "|No usable temporary directory|short write|failed to (?:write|save)|error writing|failed to close|write error"
    "|I/O error while (?:saving"
    r"|writing)",
    re.I,
)


def rule(incident: Incident) -> Iterator[Finding]:
    """Each failed save with the volume it was on."""
    for said in matching(incident, WRITE_FAILED):
        if not isinstance(said.fact, ToolError) and "MemoryError" not in said.text:  # whatever failed after that
            yield Finding(place_of_error(incident, said.fact, said.path), (said.fact,), said.text.splitlines()[0][:160])


SYMPTOM = Symptom(
    title="saving a checkpoint failed",
    rule=rule,
    leak=0.004,
    because="writers fail when what is below them fails; errors in the saving code itself are worded otherwise",
    tells_apart=("mount",),
    command="df -h; df -i; cat /proc/mounts; dmesg -T | tail -n 100",
)
