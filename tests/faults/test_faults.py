"""The fixtures break what they promise to break, and heal it again."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.faults.faultfs import FaultFS
from tests.faults.local import MIB, MemoryCgroup, SmallDisk
from tests.faults.moosefs import MooseFS
from tests.faults.place import end, wait_for
from tests.faults.sshfs import SSHFS

READ = "import sys; open(sys.argv[1], 'rb').read()"


def reader(path: object) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-ISc", READ, str(path)], cwd="/", stderr=subprocess.DEVNULL)


def state(process: subprocess.Popen[bytes]) -> str:
    with open(f"/proc/{process.pid}/stat", encoding="utf-8") as stat:
        return stat.read().rpartition(")")[2].split()[0]


def drop_cache() -> None:
    os.sync()
    with open("/proc/sys/vm/drop_caches", "w", encoding="ascii") as control:
        control.write("1")


@pytest.mark.fuse
@pytest.mark.root
class TestFaultFS:
    def test_passes_bytes_through(self, faultfs: FaultFS) -> None:
        (faultfs.mount / "a").write_bytes(b"x" * 300_000)
        assert (faultfs.backing / "a").stat().st_size == 300_000

    def test_a_hung_read_waits_until_healed(self, faultfs: FaultFS) -> None:
        (faultfs.backing / "shard.bin").write_bytes(b"x" * 4096)
        faultfs.fail(hang=["read"])
        child = reader(faultfs.mount / "shard.bin")
        try:
            wait_for(lambda: state(child) == "D", "state D")
            assert (faultfs.mount / "shard.bin").stat().st_size == 4096  # metadata lives
            faultfs.heal()
            assert child.wait(timeout=10) == 0
        finally:
            end(child)

    def test_eio_at_close(self, faultfs: FaultFS) -> None:
        faultfs.fail(eio=["flush"])
        with pytest.raises(OSError, match="Input/output"), open(faultfs.mount / "a", "wb") as file:
            file.write(b"x")

    def test_a_dropped_tail_is_reported_by_nobody(self, faultfs: FaultFS) -> None:
        faultfs.fail(drop_after=1000)
        (faultfs.mount / "a").write_bytes(b"x" * 5000)
        assert (faultfs.backing / "a").stat().st_size == 1000

    def test_mtime_zero(self, faultfs: FaultFS) -> None:
        (faultfs.backing / "a").write_bytes(b"")
        faultfs.fail(mtime_zero=True)
        assert (faultfs.mount / "a").stat().st_mtime_ns == 0


@pytest.mark.moosefs
@pytest.mark.root
class TestMooseFS:
    def test_freeze_hangs_data_and_not_metadata(self, moosefs: MooseFS) -> None:
        content = os.urandom(2 * MIB)
        (moosefs.mount / "shard.bin").write_bytes(content)
        drop_cache()
        moosefs.freeze()
        child = reader(moosefs.mount / "shard.bin")
        try:
            wait_for(lambda: state(child) == "D", "state D")
            assert (moosefs.mount / "shard.bin").stat().st_size == 2 * MIB
            moosefs.thaw()
            assert child.wait(timeout=30) == 0
        finally:
            end(child)
        again = (moosefs.mount / "shard.bin").read_bytes()
        assert hashlib.sha256(again).digest() == hashlib.sha256(content).digest()

    @pytest.mark.parametrize("moosefs", [3], indirect=True, ids=["few retries"])
    def test_killed_chunkservers_end_in_an_error(self, moosefs: MooseFS) -> None:
        (moosefs.mount / "shard.bin").write_bytes(os.urandom(2 * MIB))
        drop_cache()
        moosefs.kill()
        child = reader(moosefs.mount / "shard.bin")
        try:
            assert child.wait(timeout=60) == 1
        finally:
            end(child)


@pytest.mark.sshfs
@pytest.mark.root
def test_a_stopped_sftp_server_hangs_even_stat(sshfs: SSHFS) -> None:
    (sshfs.remote / "a").write_bytes(b"x" * 4096)
    sshfs.freeze()
    child = reader(sshfs.mount / "a")
    try:
        wait_for(lambda: Path(f"/proc/{child.pid}/wchan").read_text() == "request_wait_answer", "a FUSE wait")
        sshfs.thaw()
        assert child.wait(timeout=10) == 0
    finally:
        end(child)


@pytest.mark.root
def test_a_full_disk(small_disk: SmallDisk) -> None:
    small_disk.fill(leave=MIB)
    with pytest.raises(OSError, match="No space"):
        (small_disk.mount / "a").write_bytes(b"x" * 2 * MIB)


@pytest.mark.root
def test_the_cgroup_kills(memory_cgroup: MemoryCgroup) -> None:
    hog = [*memory_cgroup.prefix, sys.executable, "-ISc", f"b = b'x' * {512 * MIB}"]
    assert subprocess.run(hog, timeout=60, check=False).returncode == -9


@pytest.mark.root
def test_shared_memory_runs_out(tiny_shm: Callable[[int], list[str]]) -> None:
    script = "open('/dev/shm/diagnostics-test', 'wb').write(b'x' * (2 << 20))"
    done = subprocess.run([*tiny_shm(MIB), sys.executable, "-ISc", script], capture_output=True, text=True, check=False)
    assert "No space left" in done.stderr
