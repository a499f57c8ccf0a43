"""What the GPU tools say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from . import Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class GpuStatus(Evidence):
    """A GPU as nvidia-smi or NVML shows it; None = not said. Subject: gpu, pci.

    |   0  NVIDIA H200                    On  |   00000000:8B:00.0 Off |                    0 |
    """

    name: str = ""
    uuid: str | None = None
    utilisation_percent: float | None = None
    memory_used_mib: float | None = None
    memory_total_mib: float | None = None
    temperature_c: float | None = None
    memory_temperature_c: float | None = None
    power_w: float | None = None
    power_limit_w: float | None = None
    sm_clock_mhz: float | None = None
    max_sm_clock_mhz: float | None = None
    pcie_generation: float | None = None
    max_pcie_generation: float | None = None
    pcie_width: float | None = None  # lanes
    max_pcie_width: float | None = None
    unreadable: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GpuProcess(Evidence):
    """A process that holds a GPU or its memory. Subject: gpu, pid.

    `name` is "[Not Found]" where the driver knows a pid that no longer exists in this container.

        |    0   N/A  N/A           30506      C   python                        141034MiB |
    """

    name: str
    memory_mib: float | None = None
    uuid: str | None = None  # of the GPU, where the tool names no index


@dataclass(frozen=True, slots=True, kw_only=True)
class GpuProcessesNone(Evidence):
    """The tool listed the processes of its GPUs and there were none. Subject: gpu where it is of one.

    `in_words` is False where the table is merely empty, as old drivers print it, and inside a container always.

    |  No running processes found                                                             |
    """

    in_words: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class GpuErrorCounts(Evidence):
    """ECC and row-remapping counters. Subject: gpu, pci.

    Keys such as "volatile uncorrectable", "aggregate correctable", "remapped pending", "remapping failure".

        DRAM Uncorrectable            : 2
    """

    counts: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class GpuThrottle(Evidence):
    """An active reason why clocks are held down. Subject: gpu.

    `reason` is the tool's own word: "HW Slowdown", "HW Thermal Slowdown", "HW Power Brake Slowdown",
    "SW Power Cap", "SW Thermal Slowdown" ...

        HW Power Brake Slowdown           : Active
    """

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GpuNotThrottled(Evidence):
    """A tool was asked why clocks are held down, and names neither heat nor power. Subject: gpu, pci.

    THROTTLE_STATUS: UNTHROTTLED
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class NvlinkErrors(Evidence):
    """Error counters or state of an NVLink. Subject: gpu.

    Link 4: Replay Errors: 12
    """

    link: int | None
    counter: str
    count: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class GpuToolError(Evidence):
    """A GPU tool or the CUDA runtime could not talk to the driver or a device.

    `about` is "version-mismatch", "device-lost", "no-device", "module-missing", "init-failed", "not-ready" (CUDA waits
    for the GPU's fabric), "access-refused" (a container that may not open its devices), "hanging" or "other".

        Failed to initialize NVML: Driver/library version mismatch
    """

    about: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GpuDiagnostic(Evidence):
    """One test of a GPU health tool (dcgmi diag). Subject: gpu where the result is of one.

    `outcome` is "pass", "fail", "warn" or "skip".

        | Memory                    | Fail - GPU: 3
    """

    test: str
    outcome: str
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class NvidiaDriverVersion(Evidence):
    """A version of one part of the NVIDIA driver: "loaded" (the kernel module), "module" (on disk), "library" or
    "fabric-manager".

    NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.154.05  Thu Dec 28 15:37:48 UTC 2023
    """

    part: str
    version: str
