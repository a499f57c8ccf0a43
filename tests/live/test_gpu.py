"""The GPU questions against recorded answers of NVML, and against a real GPU where there is one."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from diagnostics.collectors.gpu import show_nvml
from diagnostics.evidence.gpu import GpuProcess, GpuStatus
from diagnostics.evidence.probe import Outcome
from diagnostics.parsers.nvidia_smi_csv import PARSER
from diagnostics.probes import run_probes
from diagnostics.probes.gpu_memory import ask_gpu_memory
from diagnostics.text import Text

GIB = 1 << 30


class NVMLError(Exception):
    """As in pynvml."""


def recorded(processes: list[SimpleNamespace]) -> Any:
    """pynvml as it answered on a pod whose memory was held by runs that nobody could see."""
    return SimpleNamespace(
        NVMLError=NVMLError,
        nvmlInit=lambda: None,
        nvmlDeviceGetCount=lambda: 1,
        nvmlDeviceGetHandleByIndex=lambda number: number,
        nvmlDeviceGetMemoryInfo=lambda device: SimpleNamespace(used=141 * GIB, free=2 * GIB, total=143 * GIB),
        nvmlDeviceGetUtilizationRates=lambda device: SimpleNamespace(gpu=0, memory=0),
        nvmlDeviceGetName=lambda device: "NVIDIA H200",
        nvmlDeviceGetUUID=lambda device: "GPU-00000000-0000-0000-0000-000000000001",
        nvmlDeviceGetComputeRunningProcesses=lambda device: processes,
    )


@pytest.fixture
def nvml(monkeypatch: pytest.MonkeyPatch) -> Callable[[list[SimpleNamespace]], None]:
    def answer(processes: list[SimpleNamespace]) -> None:
        monkeypatch.setitem(sys.modules, "pynvml", recorded(processes))

    return answer


def test_memory_without_an_owner(nvml: Callable[[list[SimpleNamespace]], None]) -> None:
    nvml([])
    values = ask_gpu_memory(lambda **_: None, "", "")
    assert values["gpu0_used_bytes"] - values["gpu0_owned_bytes"] == 141 * GIB


def test_a_process_that_may_not_be_seen_owns_nothing_known(nvml: Callable[[list[SimpleNamespace]], None]) -> None:
    nvml([SimpleNamespace(pid=4242, usedGpuMemory=None)])
    assert ask_gpu_memory(lambda **_: None, "", "")["gpu0_owned_bytes"] == 0


def test_the_tables_are_read_as_those_of_nvidia_smi(nvml: Callable[[list[SimpleNamespace]], None]) -> None:
    nvml([SimpleNamespace(pid=2**22 + 1, usedGpuMemory=140 * GIB)])
    said: list[str] = []
    show_nvml(lambda text: said.append(text))
    facts = list(PARSER.read(Text("nvml.csv", "".join(said).encode())))
    status = next(fact for fact in facts if isinstance(fact, GpuStatus))
    process = next(fact for fact in facts if isinstance(fact, GpuProcess))
    assert (status.memory_used_mib, status.memory_total_mib) == (141 * 1024, 143 * 1024)
    assert (process.name, process.memory_mib) == ("[Not Found]", 140 * 1024)


@pytest.mark.gpu
@pytest.mark.skipif(not Path("/dev/nvidia0").exists(), reason="needs an NVIDIA GPU")
def test_a_real_gpu_takes_a_copy_and_gives_it_back() -> None:
    answers = run_probes(["/tmp"], only=["gpu-memory", "gpu-copy"], control=None).answers
    assert {answer.outcome for answer in answers} == {Outcome.ANSWERED}
    assert answers[1].values["gpu0_different"] == 0
