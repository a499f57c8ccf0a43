"""What nvidia-smi says: its table, queries as csv, throttling and error counters. A wedged driver is silence.

Memory in use is to be held against the sum of the processes that own some: killed runs that wait for a dead
volume keep theirs and are listed by nobody.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..question import Question
from ._collector import Collector, Piece, command_piece, question_piece
from ._scope import Scope

DRIVER = "/dev/nvidia"  # what a wedged driver leaves behind is counted against it
GPU_FIELDS = (
    "timestamp,index,name,uuid,pci.bus_id,driver_version,utilization.gpu,memory.used,memory.total,temperature.gpu,"
    "power.draw,power.limit,clocks.sm,ecc.errors.uncorrected.volatile.total"
)
COMMANDS = {
    "nvidia_smi.txt": ["nvidia-smi"],
    "nvidia_smi_gpus.csv": ["nvidia-smi", f"--query-gpu={GPU_FIELDS}", "--format=csv"],
    "nvidia_smi_apps.csv": [
        "nvidia-smi", "--query-compute-apps=pid,process_name,gpu_uuid,used_gpu_memory", "--format=csv",
    ],
    "nvidia_smi_errors.txt": ["nvidia-smi", "-q", "-d", "ECC,ROW_REMAPPER,PERFORMANCE,POWER"],
}  # fmt: skip


def show_nvml(say: Any) -> None:
    """The two csv tables of nvidia-smi, from NVML itself."""
    import pynvml

    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError as error:
        raise OSError(19, f"no GPU answers: {error}") from None
    devices = [pynvml.nvmlDeviceGetHandleByIndex(number) for number in range(pynvml.nvmlDeviceGetCount())]
    say(text="index, name, uuid, utilization.gpu [%], memory.used [MiB], memory.total [MiB]\n")
    for number, device in enumerate(devices):
        memory, busy = pynvml.nvmlDeviceGetMemoryInfo(device), pynvml.nvmlDeviceGetUtilizationRates(device).gpu
        name, uuid = pynvml.nvmlDeviceGetName(device), pynvml.nvmlDeviceGetUUID(device)
        say(text=f"{number}, {name}, {uuid}, {busy} %, {memory.used >> 20} MiB, {memory.total >> 20} MiB\n")
    say(text="\npid, process_name, gpu_uuid, used_gpu_memory [MiB]\n")
    for device in devices:
        for process in pynvml.nvmlDeviceGetComputeRunningProcesses(device):
            try:
                with open(f"/proc/{process.pid}/comm") as file:
                    name = file.read().strip()
            except OSError:
                name = "[Not Found]"
            used = "[N/A]" if process.usedGpuMemory is None else f"{process.usedGpuMemory >> 20} MiB"
            say(text=f"{process.pid}, {name}, {pynvml.nvmlDeviceGetUUID(device)}, {used}\n")


NVML = Question(show_nvml, site=True)


def collect(scope: Scope) -> Iterator[Piece]:
    for number, (file, command) in enumerate(COMMANDS.items()):
        piece = command_piece(scope, file, command, deadline_s=10, mount=DRIVER)
        yield piece
        if number == 0 and not piece.answered and not piece.content:
            yield _nvml(scope)
            return


def _nvml(scope: Scope) -> Piece:
    """Without nvidia-smi the library may answer all the same."""
    return question_piece(scope, "nvml.csv", NVML, deadline_s=10, mount=DRIVER)


COLLECTOR = Collector("the GPUs", collect)
