"""What nvidia-smi says: its table, queries as csv, throttling and error counters. A wedged driver is silence.

Memory in use is to be held against the sum of the processes that own some: killed runs that wait for a dead
volume keep theirs and are listed by nobody.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence.probe import Outcome
from ..probes import all_probes
from ._collector import Collector, Piece, State, command_piece
from ._scope import Scope

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


def collect(scope: Scope) -> Iterator[Piece]:
    for number, (file, command) in enumerate(COMMANDS.items()):
        piece = command_piece(scope, file, command, deadline_s=10)
        yield piece
        if number == 0 and piece.state is not State.READ and not piece.content:
            yield _nvml(scope)
            return


def _nvml(scope: Scope) -> Piece:
    """Without nvidia-smi the library may answer all the same; its numbers go beside the probes' answers."""
    answer = all_probes()["gpu-memory"].question.ask("", 10, cancel=scope.cancel, folder="", stage="")
    if answer.outcome is not Outcome.ANSWERED:
        state = State.SILENT if answer.outcome is Outcome.SILENT else State.REFUSED
        return Piece("nvml.csv", b"", state, answer.text, answer.elapsed_s)
    lines = ["index, memory.used [MiB], memory.total [MiB]"]
    for number in range(int(answer.values["gpus"])):
        used, total = (answer.values[f"gpu{number}_{what}_bytes"] >> 20 for what in ("used", "total"))
        lines.append(f"{number}, {used} MiB, {total} MiB")
    return Piece("nvml.csv", ("\n".join(lines) + "\n").encode(), elapsed_s=answer.elapsed_s)


COLLECTOR = Collector("the GPUs", collect)
