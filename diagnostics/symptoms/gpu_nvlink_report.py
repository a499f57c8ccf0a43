"""NVLink or an NVSwitch reports errors.

Xid 74, 136, 137, 144 to 150 or 155; what amdgpu says of its links (XGMI); an SXid that is not to be ignored, nor the
refusal of one access and no more; nonzero error counters of a link; a link that is inactive beside links that are
active; a fabric that refused the GPU; CUDA's own words of a peer's memory over NVLink, or NCCL's of its fabric, unless
another version of the software does not meet it, or several sites meet it: no link is mended so, and none is shared.
ABSENT where link counters were read and are zero, or a kernel log long enough to speak is silent.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Severity
from ..evidence.gpu import NvlinkErrors
from ..evidence.kernel import SwitchXid
from ..incident import Incident
from ._reports import gpu_reports, gpu_subject
from ._symptom import Finding, Symptom
from ._trials import cured_by_version, fails_at_several_sites

CODES = (74, 136, 137, *range(144, 151), 155)
WORDS = re.compile(
    "access of peer GPU memory over nvlink|uncorrectable NVLink error|NVLink error (?:was )?detected"
    r"|Link training failed on GPU \d{1,2} NVLink|NvlinkUncorrectable|NVLINK_UNCORRECTABLE"
    "|CUDA_ERROR_CONTAINED|error in the Fabric Manager or NVSwitches|detected NVSwitch (?:non-)?fatal error"
    "|NVLink training fail|bind NVLink SHARP.{0,120}error 401"
    "|^Fabric State: Completed, Status:|fatal nvlink error|fabric ?manager.{0,80}(?:fail|error|fatal)"
    "|nvlink.{0,40}(?:fatal|is down|inactive)",
    re.I,
)
CORRECTED_BY_DESIGN = re.compile(r"replay|recovery|\bCRC\b", re.I)  # links repeat a packet now and then
MANY = 1000
# a switch refused an access to a GPU that was gone or being reset: alone it tells of no link
OF_ANOTHER_FAULT, AGAIN_AND_AGAIN = 12028, 3


def rule(incident: Incident) -> Iterator[Finding]:
    words = None if cured_by_version(incident) or fails_at_several_sites(incident) else WORDS
    yield from gpu_reports(incident, codes=CODES, driver=("link",), words=words, passes=True)
    switches = incident.of(SwitchXid)
    alone = {switch.code for switch in switches} == {OF_ANOTHER_FAULT} and len(switches) < AGAIN_AND_AGAIN
    for switch in () if alone else switches:
        if switch.severity is not Severity.INFO:
            yield Finding(switch.subject, (switch,), f"SXid {switch.code}: {switch.detail}")
    links = incident.of(NvlinkErrors)
    others_active = any(link.counter == "active" for link in links)
    for link in links:
        if link.counter == "inactive" and others_active:
            which = "every link" if link.link is None else f"link {link.link}"
            yield Finding(gpu_subject(incident, link.subject), (link,), f"{which} is inactive, others are active")
        elif (link.count or 0) > (MANY if CORRECTED_BY_DESIGN.search(link.counter) else 0):
            note = f"link {link.link}: {link.counter} {link.count}"
            yield Finding(gpu_subject(incident, link.subject), (link,), note)


SYMPTOM = Symptom(
    title="NVLink or an NVSwitch reports errors",
    rule=rule,
    leak=0.001,
    because="links retrain silently; what is reported has exhausted its retries",
    tells_apart=("host",),
    command="nvidia-smi nvlink -e; sudo dmesg -T | grep -iE 'SXid|Xid.*(74|14[4-9])'",
)
