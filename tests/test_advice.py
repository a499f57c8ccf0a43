"""What the table advises, filled in: a placeholder is filled with what it means, or not at all."""

from __future__ import annotations

import re
from itertools import chain
from pathlib import Path

import pytest

from diagnostics import Diagnosis, diagnose, open_incident
from diagnostics.advice import NEVER_KNOWN, WHOSE, checks, command, pid_of
from diagnostics.causes import all_causes
from diagnostics.evidence import NOBODY, Subject
from diagnostics.explanation import explain
from diagnostics.filesystems import FILESYSTEMS, ByFilesystem
from diagnostics.next_probe import next_questions
from diagnostics.symptoms import all_symptoms

DMESG = """\
[  812.100000] nfs: server nas01.corp not responding, still trying
[ 1033.200000] INFO: task python:33178 blocked for more than 122 seconds.
[ 1033.200100] task:python          state:D stack:    0 pid:33178 ppid: 33101 flags:0x00000004
[ 1033.200200] Call Trace:
[ 1033.200300]  rpc_wait_bit_killable+0x24/0xb0 [sunrpc]
[ 1033.200400]  nfs4_do_close+0x25e/0x2f0 [nfsv4]
"""
TABLE = """\
USER         PID %CPU %MEM    VSZ   RSS TTY      STAT START   TIME COMMAND
ubuntu     33178  101  4.2 98127364 11213344 ?   Dl   01:51  29:13 /opt/conda/bin/python -u train.py
"""
MOUNTS = {
    "nfs": "nas01.corp:/export /mnt/nas nfs4 rw,relatime,hard 0 0\n",
    "moosefs": "mfs#10.0.0.1:9421 /mnt/nas fuse.mfs rw,relatime,allow_other 0 0\n",
}


def of_files(folder: Path, **files: str) -> Diagnosis:
    """The diagnosis of an incident of these files: `ps_txt` is ps.txt."""
    for name, text in files.items():
        (folder / name.replace("_", ".")).write_text(text)
    return diagnose(open_incident(folder))


def test_what_is_advised_for_a_server_is_never_done_to_the_job(tmp_path: Path) -> None:
    told = explain(of_files(tmp_path, dmesg_txt=DMESG, ps_txt=TABLE, mounts_txt=MOUNTS["nfs"]))
    assert told.now
    assert not any("33178" in step or "kill -CONT" in step or "fuse" in step for step in told.now), told.now
    assert any("nas01.corp" in step and "another machine" in step for step in told.now)
    assert any("`umount -f /mnt/nas`" in step for step in told.now)


def test_a_server_of_moosefs_may_be_stopped_and_its_pid_is_left_open(tmp_path: Path) -> None:
    complaint = "2026-03-11 02:13:41 node7 mfsmount[812]: master: connection lost (10.0.0.1:9421)\n"
    dump = DMESG.replace("rpc_wait_bit_killable", "request_wait_answer").replace("nfs4_do_close", "fuse_flush")
    told = explain(of_files(tmp_path, dmesg_txt=dump, ps_txt=TABLE, mounts_txt=MOUNTS["moosefs"], syslog_txt=complaint))
    assert any("`kill -CONT SERVER_PID` there" in step for step in told.now), told.now
    assert any("/sys/fs/fuse/connections/N/abort" in step for step in told.now)


STOPPED = """\
  PID  PPID STAT WCHAN                         COMMAND
 4242  4100 S    futex_wait_queue              python train.py
 4300  4242 T    do_signal_stop                pt_data_worker
"""
WAITS = """\
Process 4242: python train.py
Python v3.11.8 (/usr/bin/python3.11)

Thread 4242 (idle): "MainThread"
    wait (threading.py:324)
    get (queue.py:180)
    _try_get_data (torch/utils/data/dataloader.py:1133)
    _get_data (torch/utils/data/dataloader.py:1284)
    _next_data (torch/utils/data/dataloader.py:1325)
    __next__ (torch/utils/data/dataloader.py:631)
    <module> (train.py:88)
"""


def test_the_one_to_go_on_is_the_one_that_is_stopped(tmp_path: Path) -> None:
    diagnosis = of_files(tmp_path, ps_txt=STOPPED, stacks_txt=WAITS)
    assert [each.slug for each in diagnosis.answer] == ["process-stopped"]
    assert any("`kill -CONT 4300`" in step for step in explain(diagnosis).now), explain(diagnosis).now
    assert pid_of("JOB_PID", diagnosis) == 4242


def test_only_placeholders_are_filled_in_a_command(tmp_path: Path) -> None:
    diagnosis = of_files(tmp_path, ps_txt=STOPPED, stacks_txt=WAITS)
    about = Subject(mount="/data/JOB_PID", pid=7, gpu=3)
    assert command("ls MOUNT; cat /proc/JOB_PID/stack", about, diagnosis) == "ls /data/JOB_PID; cat /proc/4242/stack"
    assert command("kill -CONT SERVER_PID", about, diagnosis) == "kill -CONT SERVER_PID"
    assert command("ls MOUNT", NOBODY, diagnosis) == "ls MOUNT"
    assert command("Drain the node and reset the GPU", about, diagnosis) == "Drain the node and reset the GPU"


def test_a_process_is_said_of_the_symptom_whose_it_is(tmp_path: Path) -> None:
    killed = (
        "[99.1] python invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0\n"
        "[99.2] Out of memory: Killed process 4100 (feeder) total-vm:9000kB, anon-rss:8000kB, file-rss:0kB\n"
    )
    told = explain(of_files(tmp_path, dmesg_txt=DMESG + killed, ps_txt=TABLE, mounts_txt=MOUNTS["nfs"]))
    blocked = next(row for row in told.table if row.symptom == "volume-io-blocked")
    assert "feeder" not in blocked.actually


def written() -> dict[str, str]:
    """Every text of the tables that may hold a placeholder of a command, by where it stands."""
    told = [(name, symptom.command) for name, symptom in all_symptoms().items()]
    for cause in all_causes().values():
        steps = chain(cause.now, cause.for_good, (check.command for check in cause.checks))
        told += [(cause.slug, step) for step in steps]
    return {f"{where}: {text}": text for where, step in told for text in texts_of(step)}


def texts_of(step: str | ByFilesystem) -> list[str]:
    return [step] if isinstance(step, str) else [step.otherwise, *dict(step.of).values()]


def test_every_pid_says_whose_it_is() -> None:
    for where, text in written().items():
        assert {*re.findall(r"\b(?:[A-Z]+_)?PID\b", text)} <= {*WHOSE, *NEVER_KNOWN}, where
    assert {name for symptoms in WHOSE.values() for name in symptoms} <= set(all_symptoms())


def test_what_differs_by_filesystem_names_filesystems() -> None:
    known = {each.name for each in FILESYSTEMS} | {"ext4", "ext3", "xfs", "btrfs"}
    told = [symptom.command for symptom in all_symptoms().values()]
    for cause in all_causes().values():
        told += [*cause.now, *cause.for_good, *(check.command for check in cause.checks)]
    for step in told:
        if isinstance(step, ByFilesystem):
            assert set(dict(step.of)) <= known


OTHERS = {
    "nfs": re.compile(r"\b(?:ceph|rbd|lctl|lfs|mfs\w+|nc -vz SERVER (?!2049))\b"),
    "moosefs": re.compile(r"\b(?:ceph|rbd|lctl|lfs|nfsiostat|nfsstat|nc -vz SERVER (?!9421))\b"),
}


def asked(diagnosis: Diagnosis) -> dict[str, str]:
    """The command of each question that is worth asking at all, by its symptom."""
    return {each.symptom: each.command for each in next_questions(diagnosis, limit=1000)}


@pytest.mark.parametrize("filesystem", OTHERS)
def test_a_question_is_asked_as_the_volumes_filesystem_is_asked(tmp_path: Path, filesystem: str) -> None:
    diagnosis = of_files(tmp_path, dmesg_txt=DMESG, mounts_txt=MOUNTS[filesystem])
    told = [*asked(diagnosis).values(), *chain.from_iterable(checks(each, diagnosis) for each in diagnosis.hypotheses)]
    of_volumes = [each for each in told if "grep -i -E 'mfsmount|nfs|ceph" not in each]  # words of a log to look for
    assert not [each for each in of_volumes if OTHERS[filesystem].search(each)]


def test_where_nobody_knows_the_filesystem_it_is_asked_first(tmp_path: Path) -> None:
    told = asked(of_files(tmp_path, dmesg_txt=DMESG))
    by_kind = {name for name, symptom in all_symptoms().items() if isinstance(symptom.command, ByFilesystem)}
    assert by_kind & set(told)
    assert all(told[name].startswith("findmnt -T MOUNT") for name in by_kind & set(told))
    assert not [each for each in told.values() if "ceph " in each or "rbd " in each]
