"""A link that leads onto a dead volume from a healthy folder hangs nobody."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from diagnostics.collect import collect
from diagnostics.errors import DiagnosticsError
from diagnostics.localpath import local, resolved
from diagnostics.mounttable import mount_of, read_mount_table
from diagnostics.watch.tail import DistantTail, LocalTail, follow
from tests.faults.faultfs import FaultFS

TABLE = """\
22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
90 22 0:45 / /workspace rw,nosuid,relatime shared:2 - fuse mfs#10.0.0.1:9421 rw,user_id=0,allow_other
91 22 0:46 / /mnt/with\\040space rw,relatime - nfs4 10.0.0.2:/export rw,hard
92 22 254:0 /local /workspace/local rw - ext4 /dev/vda rw
torn line
"""


def test_the_mount_of_a_path_is_the_longest_that_holds_it() -> None:
    table = read_mount_table(TABLE)
    assert mount_of("/workspace/data/shard.bin", table).server == "10.0.0.1:9421"
    assert mount_of("/workspace/../workspace/local/x", table).source == "/dev/vda"
    assert mount_of("/workspacex", table).mount == "/"
    assert mount_of("/mnt/with space/a", table).type == "nfs4"
    assert len(table) == 4


def test_a_link_is_resolved(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("/var")
    assert resolved(str(tmp_path / "link" / "tmp")) == "/var/tmp"
    assert isinstance(follow(str(tmp_path / "log"), from_start=True), LocalTail)


@pytest.mark.fuse
@pytest.mark.root
def test_a_link_onto_a_volume_counts_as_the_volume(faultfs: FaultFS, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(faultfs.mount)
    with pytest.raises(DiagnosticsError, match="may be what is ill"):
        local(str(tmp_path / "link" / "out"))
    (faultfs.backing / "train.log").write_text("step 1\n")
    tail = follow(str(tmp_path / "link" / "train.log"), from_start=True)
    try:
        assert isinstance(tail, DistantTail)
    finally:
        tail.close()


@pytest.mark.fuse
@pytest.mark.root
def test_a_link_onto_a_dead_volume_is_told_in_time(faultfs: FaultFS, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(faultfs.mount)
    faultfs.fail(hang=["getattr"])
    start = time.monotonic()
    with pytest.raises(DiagnosticsError):
        collect(tmp_path / "link" / "out")
    assert time.monotonic() - start < 7
