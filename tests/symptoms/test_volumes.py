"""What is mounted on /data of one machine says nothing of /data on another, and one server's volume is one anywhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from diagnostics.chain import attribution
from diagnostics.diagnosis import Diagnosis, diagnose
from diagnostics.evidence import Source, Subject
from diagnostics.evidence.job import LogLine
from diagnostics.hypothesis import Verdict, named
from diagnostics.incident import Incident, open_incident
from diagnostics.symptoms._places import on_network, only_network_mount, place

ROOT = "/dev/sda2 / ext4 rw,relatime 0 0\n"
NFS = ROOT + "10.0.0.9:/export /data nfs4 rw,relatime,vers=4.2,hard,addr=10.0.0.9 0 0\n"
DISK = ROOT + "/dev/sdb1 /data ext4 rw,relatime 0 0\n"
FAILED = """\
Traceback (most recent call last):
  File "/app/train.py", line 88, in <module>
    batch = open("/data/shard-0001.bin", "rb").read()
OSError: [Errno 5] Input/output error: '/data/shard-0001.bin'
"""
FULL = """\
Traceback (most recent call last):
  File "/app/train.py", line 91, in <module>
    save(state, "/data/step_100.pt")
OSError: [Errno 28] No space left on device: '/data/step_100.pt'
"""
DF = "Filesystem     1K-blocks      Used Available Use% Mounted on\n"
NO_ROOM = DF + "/dev/sdb1      102400000 102400000         0 100% /data\n"
ROOM = DF + "/dev/sdb1      102400000  10240000  92160000  10% /data\n"


def write(folder: Path, files: dict[str, str]) -> Incident:
    for name, text in files.items():
        (folder / name).parent.mkdir(exist_ok=True, parents=True)
        (folder / name).write_text(text)
    return open_incident(folder)


def line(file: str) -> LogLine:
    return LogLine(source=Source(file, 1, ""), level="WARNING", text="")


def answers(diagnosis: Diagnosis) -> list[str]:
    return [named(each) for each in diagnosis.answer]


@pytest.mark.parametrize("other", ["nodeB", "nodeZ"])
def test_the_volume_of_an_error_is_that_of_its_machine(tmp_path: Path, other: str) -> None:
    files = {"nodeM/proc_mounts.txt": NFS, "nodeM/train.log": FAILED, f"{other}/proc_mounts.txt": DISK}
    found = diagnose(write(tmp_path, files))
    assert answers(found) == ["a fault of the network volume on /data"]
    told = next(each for each in found.finding if each.text.startswith("/data is NFS, served by 10.0.0.9"))
    assert [source.file for source in told.sources] == ["nodeM/proc_mounts.txt"]
    assert found.answer[0].filesystem == "nfs"


def test_files_of_one_machine_share_its_mounts_wherever_they_lie(tmp_path: Path) -> None:
    for n, name in enumerate(("proc_mounts.txt", "host/proc_mounts.txt", "before/proc_mounts.txt")):
        found = diagnose(write(tmp_path / str(n), {name: NFS, "logs/train.log": FAILED}))
        assert [each.about for each in found.answer] == [
            Subject(mount="/data", path="/data/shard-0001.bin", server="10.0.0.9", device="10.0.0.9:/export")
        ]


def test_of_two_looks_at_one_machine_the_later_counts(tmp_path: Path) -> None:
    incident = write(tmp_path, {"1/proc_mounts.txt": DISK, "2/proc_mounts.txt": NFS})
    assert place(incident, "/data/x", line("train.log")).server == "10.0.0.9"


@pytest.mark.parametrize(
    ("other", "known"),
    [(NFS, True), (DISK, None), (ROOT, True)],
    ids=["the same on both", "another on the other", "on one machine alone"],
)
def test_a_machine_without_a_table_has_what_all_tables_agree_on(tmp_path: Path, other: str, known: bool | None) -> None:
    incident = write(tmp_path, {"nodeA/proc_mounts.txt": NFS, "nodeB/proc_mounts.txt": other})
    for fact in (line("train.log"), line("nodeC/train.log")):
        subject = place(incident, "/data/x", fact)
        assert subject.mount == "/data"
        assert on_network(incident, subject, fact) is known
        assert (only_network_mount(incident, fact) is not None) is (known is True)


def test_a_note_of_no_machine_holds_beside_what_the_machines_agree_on(tmp_path: Path) -> None:
    note = "$ sudo mount -t nfs -o vers=4.2,hard nas01:/export/ckpt /mnt/ckpt\n"
    nodes = {f"node{n}/proc_mounts.txt": NFS for n in "AB"}
    incident = write(tmp_path, nodes | {"runbook.md": note})
    assert place(incident, "/data/x", line("train.log")).server == "10.0.0.9"
    assert place(incident, "/mnt/ckpt/x", line("train.log")).server == "nas01"
    assert place(incident, "/mnt/ckpt/x", line("nodeA/train.log")).mount == "/"


def test_a_path_is_on_no_mount_that_df_shows_elsewhere(tmp_path: Path) -> None:
    root = DF + "/dev/sda2      102400000  10240000  92160000  10% /\n"
    incident = write(tmp_path, {"nodeA/df.txt": root, "nodeB/df.txt": ROOM})
    assert place(incident, "/data/x", line("nodeA/train.log")).mount == "/"
    assert place(incident, "/data/x", line("nodeB/train.log")).mount == "/data"
    assert place(incident, "/data/x", line("train.log")).mount == "/data"


@pytest.mark.parametrize("point", ["/data", "/mnt/data"])
def test_a_volume_that_two_machines_mount_is_its_servers(tmp_path: Path, point: str) -> None:
    nodes = {"nodeA/proc_mounts.txt": NFS, "nodeA/train.log": FAILED}
    nodes |= {name.replace("nodeA", "nodeB"): text.replace("/data", point) for name, text in nodes.items()}
    found = diagnose(write(tmp_path, nodes))
    assert (found.verdict, answers(found)) == (Verdict.ROOT_CAUSE, [f"a fault of the network volume on {point}"])
    assert {source.file for source in found.answer[0].explained[0].sources} == {"nodeA/train.log", "nodeB/train.log"}


def test_only_the_full_disk_of_two_nodes_is_full(tmp_path: Path) -> None:
    nodes = {f"node{n}/proc_mounts.txt": DISK for n in "AB"} | {"nodeA/df.txt": NO_ROOM, "nodeA/train.log": FULL}
    found = diagnose(write(tmp_path, nodes | {"nodeB/df.txt": ROOM}))
    assert answers(found) == ["a full disk on /data of nodeA"]
    assert all("nodeB" not in source.file for sentence in found.finding for source in sentence.sources)


def test_the_full_disks_of_two_nodes_are_two(tmp_path: Path) -> None:
    nodes = {"nodeA/proc_mounts.txt": DISK, "nodeA/df.txt": NO_ROOM, "nodeA/train.log": FULL}
    found = diagnose(write(tmp_path, nodes | {name.replace("nodeA", "nodeB"): text for name, text in nodes.items()}))
    assert answers(found) == ["a full disk on /data of nodeA", "a full disk on /data of nodeB"]


def test_the_full_disks_of_many_nodes_are_said_to_be_on_none_of_them(tmp_path: Path) -> None:
    one = {"proc_mounts.txt": DISK, "df.txt": NO_ROOM, "train.log": FULL}
    found = diagnose(write(tmp_path, {f"node{n}/{name}": text for n in range(4) for name, text in one.items()}))
    assert answers(found) == ["a full disk on /data"]


def test_room_on_another_machines_disk_speaks_not_against_a_full_volume(tmp_path: Path) -> None:
    alone = {"nodeA/proc_mounts.txt": NFS, "nodeA/train.log": FULL}
    found = diagnose(write(tmp_path, alone | {"nodeB/proc_mounts.txt": DISK, "nodeB/df.txt": ROOM}))
    assert [(each.slug, each.opposed) for each in found.answer] == [("disk-full", ())]


def test_one_name_for_a_servers_volume_and_a_disk_keeps_two_faults_apart(tmp_path: Path) -> None:
    files = {"nodeA/proc_mounts.txt": NFS, "nodeA/train.log": FAILED}
    files |= {"nodeB/proc_mounts.txt": DISK, "nodeB/df.txt": NO_ROOM, "nodeB/train.log": FULL}
    found = diagnose(write(tmp_path, files))
    assert found.verdict is Verdict.INDEPENDENT_CAUSES
    assert sorted(answers(found)) == ["a fault of the network volume on /data", "a full disk on /data of nodeB"]
    assert not found.unexplained


STUCK = """== pid 4711 (python) 13:01:28
State:\tD (disk sleep)
PPid:\t4700
-- tid 4711 (python) State: D (disk sleep) cpu_ticks 8
wchan: folio_wait_bit_common
syscall: 0 0xc 0x55ccf5ea58f0 0x80000 0x0 0x0 0x0 0x7ffd3ee78860 0x7f3a58d162ec
"""
OPEN = "== pid 4711\nlr-x------ 1 root root 64 Nov 29 13:00 12 -> /data/a.bin\n"


@pytest.mark.parametrize(("waits", "tied"), [("nodeA", True), ("nodeB", False)])
def test_a_thread_is_tied_to_the_volume_of_its_own_machine(tmp_path: Path, waits: str, tied: bool) -> None:
    files = {"nodeA/proc_mounts.txt": NFS, "nodeB/proc_mounts.txt": DISK}
    incident = write(tmp_path, files | {f"{waits}/stacks.txt": STUCK, f"{waits}/fds.txt": OPEN})
    volume = Subject(mount="/data", server="10.0.0.9", owner="10.0.0.9")
    told = [link.text for link in attribution(incident, volume)]
    assert bool(told) is tied
    assert not tied or told[-1] == "that file lies on /data, which is NFS at 10.0.0.9"
    present = [each for each in diagnose(incident).present if each.symptom == "volume-io-blocked"]
    assert [each.subject.server for each in present] == (["10.0.0.9"] if tied else [])
