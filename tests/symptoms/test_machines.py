"""Every host has a GPU 0 and every pod a pid 1: what two machines tell is not taken for one machine's."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from diagnostics.chain import attribution
from diagnostics.evidence import Source, Subject
from diagnostics.evidence.gpu import GpuStatus
from diagnostics.evidence.process import ProcessState, ThreadState
from diagnostics.evidence.storage import BlockDeviceSeen
from diagnostics.incident import Incident, open_incident
from diagnostics.machines import Machines
from diagnostics.observation import Observation, State, observe
from diagnostics.symptoms._places import is_remote_disk
from diagnostics.symptoms._ranks import positions
from diagnostics.symptoms._reports import by_device, gpu_subject

SMI = "index, name, temperature.gpu, utilization.gpu [%], clocks.current.sm [MHz]\n"
LOOK = "{}, NVIDIA H100, {}, 90 %, {} MHz\n"
DUMP = """\
Process {0}: python train.py
Python v3.11.7 (/opt/python3.11/bin/python3.11)

Thread {0} (idle): "MainThread"
    {1}
    train (train.py:10)
    <module> (train.py:20)
"""
WAITS, EVALUATES = "all_reduce (torch/distributed/distributed_c10d.py:2000)", "evaluate (eval.py:7)"


def write(folder: Path, files: dict[str, str]) -> Incident:
    for name, text in files.items():
        (folder / name).parent.mkdir(exist_ok=True, parents=True)
        (folder / name).write_text(text)
    return open_incident(folder)


def seen(incident: Incident, symptom: str) -> list[Observation]:
    return [each for each in observe(incident) if each.symptom == symptom and each.state is State.PRESENT]


def row(file: str, host: str | None = None) -> ProcessState:
    return ProcessState(source=Source(file, 1, ""), subject=Subject(pid=1, host=host), state="S", command="")


@pytest.mark.parametrize(
    ("first", "second", "apart"),
    [
        (row("nodeA/ps.txt"), row("nodeB/ps.txt"), True),
        (row("nodeA/logs/ps.txt"), row("nodeB/logs/ps.txt"), True),
        (row("nodeA/ps_1.txt"), row("nodeA/ps_2.txt"), False),
        (row("ps.txt"), row("logs/train.log"), False),
        (row("ps/all.txt"), row("top/top.txt"), False),
        (row("before/ps.txt"), row("after/ps.txt"), False),
        (row("2026-11-29T10-00/ps.txt"), row("2026-11-29T11-00/ps.txt"), False),
        (row("10min/ps.txt"), row("20min/ps.txt"), False),
        (row("epoch_1/ps.txt"), row("epoch_2/ps.txt"), False),
        (row("4711/status"), row("4712/status"), False),
        (row("cluster.log", host="n1"), row("cluster.log", host="n2"), True),
        (row("ps.txt"), row("syslog", host="n1"), False),
        (row("nodeA/ps.txt", host="n1"), row("nodeB/ps.txt", host="n1"), False),
        (row("nodeA/ps.txt"), row("nodeB/ps.txt", host="nodeA"), False),
    ],
)
def test_two_folders_that_hold_the_same_are_two_machines(
    first: ProcessState, second: ProcessState, apart: bool
) -> None:
    machines = Machines([first, second])
    assert (machines.of(first) != machines.of(second)) == apart


def test_a_machine_that_speaks_of_another_one_is_not_that_one() -> None:
    mine, other, said = row("nodeA/ps.txt"), row("nodeB/ps.txt"), row("nodeA/train.log", host="nodeB")
    machines = Machines([mine, other, said])
    assert [machines.of(each) for each in (mine, other, said)] == ["nodeA", "nodeB", "nodeB"]


def test_pods_that_each_have_pid_1(tmp_path: Path) -> None:
    dumps = {f"pod{n}/pyspy.txt": DUMP.format(1, EVALUATES if n == 1 else WAITS) for n in range(4)}
    incident = write(tmp_path, dumps)
    assert len(incident.links.processes) == len(positions(incident)) == 4
    assert len(seen(incident, "one-rank-elsewhere")) == 1


def test_children_and_descriptors_are_of_their_own_machine(tmp_path: Path) -> None:
    table = "  PID  PPID STAT WCHAN               COMMAND\n    1     0 Sl   futex_wait          python train.py\n{}\n"
    child = "    7     1 S    pipe_read           python train.py"
    other = "    7     3 S    pipe_read           python eval.py"
    incident = write(tmp_path, {"podA/ps.txt": table.format(child), "podB/ps.txt": table.format(other)})
    assert incident.links.children["podA", 1] == [("podA", 7)]
    assert ("podB", 1) not in incident.links.children
    blocked = ThreadState(source=Source("podB/ps.txt", 3, ""), subject=Subject(pid=7), state="D", descriptor=3)
    assert incident.links.process_of(blocked) is incident.links.processes["podB", 7]
    assert incident.links.file_of(blocked) is None


def test_a_gpus_owner_is_looked_up_on_its_own_machine(tmp_path: Path) -> None:
    holds = "|    0   N/A  N/A           7      C   python                        41034MiB |\n"
    table = "  PID  PPID STAT COMMAND\n    1     0 Ss   bash run.sh\n    7     1 {}   python train.py\n"
    nodes = {"nodeA/smi.txt": holds, "nodeA/ps.txt": table.format("Rl"), "nodeB/ps.txt": table.format("Z ")}
    assert not seen(write(tmp_path / "two", nodes), "gpu-memory-without-owner")
    assert seen(write(tmp_path / "one", {"smi.txt": holds, "ps.txt": table.format("Z ")}), "gpu-memory-without-owner")


def test_the_gpu_0_of_two_hosts_did_not_grow_hot(tmp_path: Path) -> None:
    cool, hot = LOOK.format(0, 55, 1980), LOOK.format(0, 81, 1400)
    assert not seen(write(tmp_path / "two", {"nodeA/smi.csv": SMI + cool, "nodeB/smi.csv": SMI + hot}), "gpu-throttled")
    assert seen(write(tmp_path / "one", {"smi_1.csv": SMI + cool, "smi_2.csv": SMI + hot}), "gpu-throttled")


def test_a_gpu_that_is_looked_at_often_is_one_device(tmp_path: Path) -> None:
    incident = write(tmp_path, {"smi.csv": SMI + 8 * LOOK.format(0, 55, 1980) + LOOK.format(1, 55, 1980)})
    assert sorted(map(len, by_device(incident, incident.of(GpuStatus)))) == [1, 8]


def test_the_memory_of_several_hosts_does_not_grow(tmp_path: Path) -> None:
    sizes = (10, 20, 40, 80)
    total = "MemTotal:       {} kB\nMemAvailable:   {} kB\n"
    told = [total.format(200 << 20, 200 - size << 20) for size in sizes]
    hosts = {f"node{n}/meminfo.txt": text for n, text in enumerate(told)}
    assert not seen(write(tmp_path / "hosts", hosts), "memory-grows")
    assert seen(write(tmp_path / "one", {f"meminfo_{n}.txt": text for n, text in enumerate(told)}), "memory-grows")


def status(gpu: int | None, pci: str | None, file: str = "smi.csv") -> GpuStatus:
    return GpuStatus(source=Source(file, 1, ""), subject=Subject(gpu=gpu, pci=pci))


def test_both_names_of_a_gpu() -> None:
    incident = Incident("x", [status(0, "0000:1b:00.0"), status(1, "0000:1c:00.0")], [])
    assert gpu_subject(incident, Subject(gpu=1)) == Subject(gpu=1, pci="0000:1c:00.0")
    assert gpu_subject(incident, Subject(pci="0000:1b:00.0", rank=3)) == Subject(gpu=0, pci="0000:1b:00.0", rank=3)
    assert gpu_subject(incident, Subject(gpu=2)) == Subject(gpu=2)
    assert gpu_subject(incident, Subject()) == Subject()


def test_hosts_that_number_their_gpus_otherwise_share_no_name() -> None:
    first, second = status(0, "0000:1b:00.0", "nodeA/smi.csv"), status(1, "0000:1b:00.0", "nodeB/smi.csv")
    incident = Incident("x", [first, second], [])
    assert gpu_subject(incident, second.subject) == second.subject
    assert gpu_subject(incident, Subject(pci="0000:1b:00.0")) == Subject(pci="0000:1b:00.0")


def test_names_of_gpus_are_learned_once() -> None:
    looks = [status(n % 8, f"0000:{n % 8:02x}:00.0") for n in range(80_000)]
    incident = Incident("x", looks, [])
    start = time.process_time()
    assert len(by_device(incident, looks)) == 8
    assert time.process_time() - start < 5


def test_the_affinities_of_one_pod_are_not_those_of_another(tmp_path: Path) -> None:
    bound = "".join(f"pid {pid}'s current affinity mask: 1\n" for pid in (7, 8, 9))
    found = seen(
        write(tmp_path, {"a.txt": bound, "b.txt": bound.replace("mask: 1", "mask: ff")}), "workers-share-one-cpu"
    )
    assert [each.state for each in found] == [State.PRESENT]
    assert {source.file for each in found for source in each.sources} == {"a.txt"}


def test_who_holds_a_gpu_is_looked_up_on_its_own_machine(tmp_path: Path) -> None:
    holds = "gpu_uuid, pid, process_name, used_gpu_memory [MiB]\nGPU-1, 4711, python, 70000 MiB\n"
    head = "  PID  PPID STAT COMMAND\n    1     0 Ss   /sbin/init\n"
    left = head + " 4711     1 S    python -c from multiprocessing.spawn import spawn_main\n"
    has_a_job = head + " 4700     1 Ss   bash\n 4711  4700 R    python train.py\n"
    nodes = {"nodeA/smi.csv": holds, "nodeA/ps.txt": has_a_job, "nodeB/ps.txt": left}
    assert not seen(write(tmp_path / "two", nodes), "gpu-worker-without-parent")
    assert seen(write(tmp_path / "one", {"smi.csv": holds, "ps.txt": left}), "gpu-worker-without-parent")
    named = {"smi.csv": holds, "nodeA/ps.txt": left, "nodeB/ps.txt": head}
    assert seen(write(tmp_path / "of_no_machine", named), "gpu-worker-without-parent")


MOUNTS = "10.0.0.9:/export /workspace nfs4 rw,relatime,vers=4.2,hard,addr=10.0.0.9 0 0\n"
BLOCKED = """== pid 4711 (python) 13:01:28
State:\tD (disk sleep)
PPid:\t4700
-- tid 4711 (python) State: D (disk sleep) cpu_ticks 8
wchan: folio_wait_bit_common
syscall: 0 0xc 0x55ccf5ea58f0 0x80000 0x0 0x0 0x0 0x7ffd3ee78860 0x7f3a58d162ec
"""
DESCRIPTORS = "== pid 4711\nlr-x------ 1 root root 64 Nov 29 13:00 12 -> {}\n"


@pytest.mark.parametrize(
    ("target", "last"),
    [
        ("/workspace/a.bin", "that file lies on /workspace"),
        ("socket:[812345]", None),
        ("/root/local.bin", None),
    ],
)
def test_only_a_file_of_the_volume_is_said_to_lie_on_it(tmp_path: Path, target: str, last: str | None) -> None:
    files = {"mounts.txt": MOUNTS, "stacks.txt": BLOCKED, "fds.txt": DESCRIPTORS.format(target)}
    told = " ".join(link.text for link in attribution(write(tmp_path, files), Subject(mount="/workspace")))
    assert ("that file lies on" in told) == (last is not None)
    assert (target in told) == (last is not None)


def test_a_watchdog_of_another_machine_killed_another_process(tmp_path: Path) -> None:
    fired = "2026-11-29 13:00:00 watchdog: no output for 900 s, killing pid 4711 (python train.py)\n"
    at_work = BLOCKED.replace("D (disk sleep)", "S (sleeping)").replace("folio_wait_bit_common", "futex_wait")
    nodes = {
        "nodeA/watchdog.log": fired,
        "nodeA/stacks.txt": at_work,
        "nodeB/stacks.txt": BLOCKED,
        "nodeB/mounts.txt": MOUNTS,
    }
    told = attribution(write(tmp_path / "two", nodes), Subject(mount="/workspace"))
    assert told
    assert not any("watchdog" in link.text for link in told)
    one = {name.replace("nodeA", "nodeB"): text for name, text in nodes.items() if name != "nodeA/stacks.txt"}
    assert "watchdog" in attribution(write(tmp_path / "one", one), Subject(mount="/workspace"))[0].text


def test_a_folders_name_of_any_length_is_soon_told() -> None:
    start = time.process_time()
    assert Machines([row(f"{'1' * 50_000}-x/ps.txt"), row("y/ps.txt")]).of(row("y/ps.txt")) == "y"
    assert time.process_time() - start < 5


QUEUED = """\
    PID    PPID STAT WCHAN                      ELAPSED COMMAND
   4711       1 D    os_acquire_rwlock_write   01:10:00 python train.py
"""


def test_two_hosts_that_each_wait_once_for_their_driver_are_no_queue(tmp_path: Path) -> None:
    apart = write(tmp_path / "apart", {"nodeA/ps.txt": QUEUED, "nodeB/ps.txt": QUEUED.replace("4711", "9120")})
    assert not seen(apart, "driver-lock-queue")
    row = QUEUED.splitlines()[1].replace("4711", "9120")
    together = write(tmp_path / "together", {"ps.txt": QUEUED + row + "\n"})
    assert seen(together, "driver-lock-queue")


def test_the_limit_of_a_process_is_that_of_its_machine(tmp_path: Path) -> None:
    def limits(most: int) -> str:
        return f"Limit                     Soft Limit           Hard Limit           Units     \nMax open files            {most:<20} {most:<20} files     \n"

    counts = "$ ls /proc/4711/fd | wc -l\n1010\n"
    files = {"nodeA/4711/limits": limits(1048576), "nodeA/fds.txt": counts}
    files |= {"nodeB/4711/limits": limits(1024), "nodeB/fds.txt": counts}
    present = seen(write(tmp_path, files), "too-many-open-files")
    assert [sorted({fact.source.file.partition("/")[0] for fact in each.evidence}) for each in present] == [["nodeB"]]


DISK = "NAME   SIZE ROTA TYPE VENDOR   MODEL            TRAN  MOUNTPOINT\n{}\n"
TURNS = DISK.format("sdb    3.6T    1 disk ATA      ST4000NM0035     sata  /data")
STANDS = DISK.format("sdb    3.6T    0 disk ATA      SAMSUNG MZ7      sata  /data")
BEHIND_A_SERVER = DISK.format("sdb    3.6T    0 disk IET      VIRTUAL-DISK     iscsi /data")


def starving(used: tuple[int, ...]) -> str:
    return SMI + "".join(f"0, NVIDIA H100, 50, {each} %, 1980 MHz\n" for each in used)


def test_a_disk_that_turns_starves_no_gpu_of_another_machine(tmp_path: Path) -> None:
    at_work, in_fits = starving((90, 92, 95)), starving((0, 5, 90))
    apart = {"nodeA/lsblk.txt": TURNS, "nodeA/smi.csv": at_work, "nodeB/lsblk.txt": STANDS, "nodeB/smi.csv": in_fits}
    own = {"nodeA/lsblk.txt": TURNS, "nodeA/smi.csv": in_fits, "nodeB/lsblk.txt": STANDS, "nodeB/smi.csv": at_work}
    assert not seen(write(tmp_path / "apart", apart), "gpus-starve-on-spinning-disk")
    assert seen(write(tmp_path / "own", own), "gpus-starve-on-spinning-disk")


def test_a_disk_is_not_behind_the_server_that_one_of_its_name_on_another_machine_is(tmp_path: Path) -> None:
    nodes = {
        "nodeA/lsblk.txt": STANDS,
        "nodeB/lsblk.txt": BEHIND_A_SERVER,
        "nodeA/dmesg.txt": "",
        "nodeB/dmesg.txt": "",
    }
    incident = write(tmp_path, nodes)
    here, there = incident.of(BlockDeviceSeen)
    assert not is_remote_disk(incident, "sdb", here)
    assert is_remote_disk(incident, "sdb", there)
