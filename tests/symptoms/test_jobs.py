"""Which processes are a job's: launchers and workers are, an editor in which somebody has its file open is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from diagnostics.evidence import Source, Subject
from diagnostics.evidence.process import ProcessState, ThreadState
from diagnostics.incident import open_incident
from diagnostics.observation import observe
from diagnostics.symptoms._jobs import is_of_the_job
from diagnostics.symptoms.process_stopped import of_the_job

HERE = Source("ps.txt", 1, "")


def process(command: str) -> ProcessState:
    comm = command.split()[0].rpartition("/")[2][:15]
    return ProcessState(source=HERE, subject=Subject(pid=4300, comm=comm), state="T", command=command)


@pytest.mark.parametrize(
    "command",
    [
        "/opt/conda/bin/python3.11 -u pretrain.py",
        "deepspeed --num_gpus 8 finetune.py",
        "mpirun -np 16 ./bench",
        "pt_data_worker",
        "ray::RayTrainWorker.execute",
        "bash run.sh",
        "julia --project fit.jl",
    ],
)
def test_of_a_job(command: str) -> None:
    assert is_of_the_job(process(command))


@pytest.mark.parametrize(
    "command",
    [
        "vim train.py",
        "/usr/bin/less rank0.log",
        "tail -f logs/train.log",
        "[kworker/u8:2]",
        "kworker/3:1",
        "-bash",
        "sshd: ops",
    ],
)
def test_not_of_a_job(command: str) -> None:
    assert not is_of_the_job(process(command))


def test_a_thread_has_only_its_name() -> None:
    assert is_of_the_job(ThreadState(source=HERE, subject=Subject(pid=4300, comm="pt_main_thread"), state="T"))
    assert not is_of_the_job(ThreadState(source=HERE, subject=Subject(pid=4300), state="T"))


@pytest.mark.parametrize(
    ("command", "counts"),
    [
        ("/usr/bin/mfsmount /data -H mfsmaster", True),
        ("sshfs ops@store:/data /data", True),
        ("mfschunkserver start", False),
    ],
)
def test_a_stopped_client_stops_the_job_and_a_stopped_server_its_volume(command: str, counts: bool) -> None:
    assert of_the_job(process(command)) is counts


@pytest.mark.parametrize("cpus", ["auto", "0-7", "500m", "nan"])
def test_a_setting_that_is_called_cpus_may_be_no_number(tmp_path: Path, cpus: str) -> None:
    (tmp_path / "job.env").write_text(f"cpus={cpus}\nmemory=64G\n")
    (tmp_path / "vmstat.txt").write_text(
        " r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n"
        "40  0      0 1000000  1000 100000    0    0     0     0  100  100 90 10  0  0  0\n"
    )
    assert "cpu-starved-signs" in {each.symptom for each in observe(open_incident(tmp_path))}
