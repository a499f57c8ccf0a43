"""What nvidia-smi, NVML and the container runtime print when they cannot talk to the driver or a GPU.

    Failed to initialize NVML: Driver/library version mismatch
    Unable to determine the device handle for GPU0000:03:00.0: Unknown Error
    No devices were found

The same words inside a Python traceback are the job log's business and are read here as well: they are as true.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..envelope import unwrap
from ..evidence import Severity, Subject
from ..evidence.gpu import GpuToolError
from ..footprint import footprint_of
from ..text import Text
from . import Parser
from ._pci import pci_address
from ._snapshot import source

HANGING = (
    r"\b(?:nvidia-smi|dcgmi|rocm-smi)(?: -{1,2}[\w-]{1,20}){0,3}(?::? (?:command |query )?timed out|(?:: ?| {2,10})"
    r"(?:no answer|still hanging|hangs|hung\b|does not (?:return|answer|come back)|never (?:returns?|answers?)))"
    r"|\b(?:[Dd]cgm|DCGM)\w{0,20}\b.{0,80}\bhas not (?:returned|answered) (?:after|for) \d"
)
MISSING = (
    r"(?:modprobe|insmod|nvidia-modprobe)\S{0,20}: (?:FATAL|ERROR): "
    "(?:Module nvidia(?:[-_](?:uvm|modeset|drm|peermem|current))? not found"
    r"|could not insert ['\"‘]nvidia\w{0,20}['\"’]: (?:Exec format error|Invalid argument|Unknown symbol|Required key))"
    r"|nvidia\w{0,12}: (?:version magic '|disagrees about version of symbol)"
)
NOT_READY = (
    r"(?i:\b802\)?[ :(']{1,4}system not yet initialized|\bCUDA failure\b.{0,60}'system not yet initialized'"
    r"|\): system not yet initialized$)|\bCUDA_ERROR_SYSTEM_NOT_READY\b|\bcudaErrorSystemNotReady\b"
)
UNFIT = r"\b(?:CUDA failure|Error) 804: forward compatibility was attempted"
# what is said -> what it is about; the first that is found counts
SAYINGS = (
    ("version-mismatch", r"Driver/library version mismatch"),
    ("version-mismatch", r"API mismatch: the client has the version"),
    ("version-mismatch", r"NVML/RM version mismatch"),
    # fabric manager NVIDIA GPU driver interface version 535.54.03 don't match with driver version 535.104.12.
    ("version-mismatch", r"interface version .{1,60} (?:don't|does not) match with driver version"),
    # Unable to determine the device handle for GPU 0000:03:00.0: GPU is lost.  Reboot the system to recover this GPU
    ("device-lost", r"GPU is lost\b"),
    ("device-lost", r"Unable to determine the device handle for (?:GPU|gpu)"),
    ("device-lost", r"GPU access blocked by the operating system"),
    ("no-device", r"No devices were found"),
    # nvidia-container-cli: requirement error: unsatisfied condition: cuda>=12.4, please update your driver
    ("version-mismatch", r"nvidia-container-cli: requirement error: unsatisfied condition: (?:cuda|driver|brand)"),
    # nvidia-container-cli: initialization error: driver rpc error: timed out
    ("hanging", r"nvidia-container-cli: .{0,60}(?:rpc error: timed out|timed out)"),
    (
        "init-failed",
        "nvidia-container-cli: (?:initialization|detection) error: "
        "(?:load library failed|cuda error|driver rpc error|nvml error: unknown)",
    ),
    ("no-device", r"nvidia-container-cli: (?:device error|initialization error: nvml error).{0,200}"),
    # modprobe: FATAL: Module nvidia not found in directory /lib/modules/6.8.0-45-generic
    ("module-missing", MISSING),
    # NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.
    # n11  up 66 days   nvidia-smi: no answer in 600 s
    ("hanging", HANGING),
    ("init-failed", r"NVIDIA-SMI has failed because"),
    # CUDA failure 804: forward compatibility was attempted on non supported HW ; GPU=-1
    ("version-mismatch", UNFIT),
    # RuntimeError: Error 802: system not yet initialized      Test CUDA failure x.cu:9 'system not yet initialized'
    ("not-ready", NOT_READY),
    # Failed to initialize NVML: Unknown Error
    ("access-refused", r"Failed to initialize NVML: Unknown Error"),
    # CUDA initialization: Unexpected error from cudaGetDeviceCount(). ... Error 803: system has unsupported display
    # driver
    ("version-mismatch", r"CUDA initialization: .{1,300}\bError 80[34]: "),
    ("init-failed", r"CUDA initialization: .{1,300}\bError \d{3}: "),
    # UserWarning: CUDA initialization: CUDA unknown error - this may be due to an incorrectly set up environment
    ("init-failed", r"CUDA initialization: (?:CUDA unknown error|CUDA driver initialization failed)"),
    ("init-failed", r"Failed to initialize NVML: .{1,120}"),
    ("init-failed", r"NVML: (?:Unknown Error|Driver Not Loaded|Insufficient Permissions)"),
)
PATTERNS = tuple((about, re.compile(saying)) for about, saying in SAYINGS)
PCI = re.compile(r"GPU ?([0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.\d)")
# NVML library version: 535.161      Kernel module version 535.154 (continuation lines)
DETAIL = re.compile(r"^NVML library version: ([\d.]+)")
ANY = re.compile(
    "Driver/library version mismatch|NVML/RM version mismatch|API mismatch: the client|GPU is lost"
    "|Unable to determine the device handle"
    r"|access blocked by the operating system|No devices were found|nvidia-container-cli: |NVIDIA-SMI has failed"
    "|interface version .{1,60} match with driver version"
    r"|CUDA initialization: (CUDA (unknown error|driver init)|.{1,300}\bError \d{3}: )"
    rf"|{HANGING}|{MISSING}|{NOT_READY}|{UNFIT}"
    r"|Failed to initialize NVML|NVML: (Unknown Error|Driver Not Loaded|Insufficient)"
)


def read(text: Text) -> Iterator[GpuToolError]:
    for line in text.matching(ANY):
        row = line.text[:2000]
        about = next((about for about, pattern in PATTERNS if pattern.search(row)), None)
        # the kernel's own words are read where kernel logs are
        if about is None or "NVRM:" in row:
            continue
        envelope = unwrap(row)
        device = PCI.search(row)
        version = next((found[1] for each in text.after(line, 1) if (found := DETAIL.match(each.text))), None)
        yield GpuToolError(
            source=source(text, line),
            subject=Subject(host=envelope.host, pci=pci_address(device[1]) if device else None, rank=envelope.rank),
            stamp=envelope.stamp,
            severity=Severity.CRITICAL,
            about=about,
            text=envelope.message.strip() + (f" (library {version})" if version else ""),
        )


PARSER = Parser(tool="nvidia-smi's errors", medium="gpu", footprint=footprint_of(ANY), read=read)
