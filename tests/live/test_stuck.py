"""Who is stuck on a volume: the call, the descriptor, the file, the mount and the server."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from diagnostics import stuck
from diagnostics.stuck import WAITS, Stuck, format_stuck, who_waits
from tests.faults.faultfs import FaultFS
from tests.faults.moosefs import MooseFS
from tests.faults.place import end, wait_for
from tests.faults.sshfs import SSHFS
from tests.faults.test_faults import drop_cache, reader, state


def waiting(pid: int, mount: object) -> Stuck:
    found = [row for row in who_waits(str(mount)) if row.pid == pid]
    assert len(found) == 1
    return found[0]


@pytest.mark.parametrize(
    "wchan",
    "ptlrpc_set_wait cxiWaitEventWait rpc_wait_bit_killable nfs4_handle_exception cl_sync_io_wait smb2_query_dir_first "
    "wait_on_page_bit io_schedule jbd2_log_wait_commit".split(),
)
def test_a_thread_in_state_s_is_known_by_its_wait(wchan: str, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {"/proc/31/task/31/wchan": wchan, "/proc/32/task/32/wchan": "futex_wait_queue"}
    folders = {"/proc": [31, 32], "/proc/31/task": [31], "/proc/32/task": [32]}
    monkeypatch.setattr(stuck, "read_file", lambda path: files.get(path, ""))
    monkeypatch.setattr(stuck, "numbers_in", folders.__getitem__)
    monkeypatch.setattr(stuck, "stat_fields", lambda base: ["S", "1", *["0"] * 30])
    assert set(stuck.waiting_threads(1, WAITS)) == {(31, 31)}


@pytest.mark.moosefs
@pytest.mark.root
def test_a_read_names_descriptor_file_mount_and_server(moosefs: MooseFS) -> None:
    shard = moosefs.mount / "shard.bin"
    shard.write_bytes(os.urandom(1 << 20))
    drop_cache()
    moosefs.freeze()
    child = reader(shard)
    try:
        wait_for(lambda: state(child) == "D", "state D")
        row = waiting(child.pid, moosefs.mount)
        assert (row.call, row.path, row.server) == ("read", str(shard), moosefs.server)
        assert (row.mount, row.filesystem, row.state) == (str(moosefs.mount), "MooseFS", "D")
        assert row.at_least_s >= 1
        assert f"read of {row.descriptor} -> {shard} on {moosefs.mount} (MooseFS at" in format_stuck(row)
        assert not [row for row in who_waits("/") if row.pid == child.pid]
    finally:
        moosefs.thaw()
        end(child)


@pytest.mark.sshfs
@pytest.mark.root
def test_a_stat_in_state_s_names_its_path(sshfs: SSHFS) -> None:
    sshfs.freeze()
    target = str(sshfs.mount / "absent")
    child = subprocess.Popen([sys.executable, "-ISc", "import os, sys; os.stat(sys.argv[1])", target], cwd="/")
    try:
        wait_for(lambda: any(row.pid == child.pid for row in who_waits(str(sshfs.mount))), "the stat to wait")
        row = waiting(child.pid, sshfs.mount)
        assert (row.state, row.path) == ("S", target)
    finally:
        sshfs.thaw()
        end(child)


@pytest.mark.fuse
@pytest.mark.root
def test_a_close_names_its_file(faultfs: FaultFS) -> None:
    faultfs.fail(hang=["flush"])
    script = "import os, sys; os.close(os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT))"
    child = subprocess.Popen([sys.executable, "-ISc", script, str(faultfs.mount / "a")], cwd="/")
    try:
        wait_for(lambda: any(row.pid == child.pid for row in who_waits(str(faultfs.mount))), "the close to wait")
        row = waiting(child.pid, faultfs.mount)
        assert row.call == "close"
    finally:
        faultfs.heal()
        end(child)
