"""Where something is: which volume a path, a message or a row of df is about."""

from __future__ import annotations

from pathlib import Path

import pytest

from diagnostics.evidence import Source, Subject
from diagnostics.evidence.job import LogLine
from diagnostics.evidence.storage import DiskUsage, VolumeClientMessage
from diagnostics.incident import Incident, open_incident
from diagnostics.symptoms._places import place, volume_of_client
from diagnostics.symptoms._space import real

HERE = Source("a.log", 1, "")
LINE = LogLine(source=HERE, level="WARNING", text="")


def incident_with(folder: Path, *mounts: str) -> Incident:
    (folder / "mounts.txt").write_text("".join(f"{mount} rw,relatime 0 0\n" for mount in mounts))
    return open_incident(folder)


def test_buckets_that_share_a_source_are_volumes_of_their_own(tmp_path: Path) -> None:
    incident = incident_with(tmp_path, "s3fs /data fuse.s3fs", "s3fs /models-long fuse.s3fs")
    assert place(incident, "/data/step_400.pt", LINE).mount == "/data"
    assert incident.volumes.told_apart(Subject(mount="/data"), LINE) == Subject(mount="/data")


def test_a_volume_that_is_mounted_twice_is_one(tmp_path: Path) -> None:
    incident = incident_with(tmp_path, "mfs#10.0.0.1:9421 /data fuse", "mfs#10.0.0.1:9421 /models-long fuse")
    subject = place(incident, "/data/step_400.pt", LINE)
    assert subject.mount == "/data"
    assert incident.volumes.told_apart(subject, LINE).mount == "/models-long"


@pytest.mark.parametrize(
    ("server", "mount"), [("10.0.0.1", "/a"), ("10.0.0.10", "/b"), ("10.0.0.10:9421", "/b"), ("10.0.0", None)]
)
def test_a_clients_server_is_one_host(server: str, mount: str | None, tmp_path: Path) -> None:
    incident = incident_with(tmp_path, "mfs#10.0.0.1:9421 /a fuse", "mfs#10.0.0.10:9421 /b fuse")
    said = VolumeClientMessage(source=HERE, subject=Subject(server=server), filesystem="moosefs", about="slow", text="")
    assert volume_of_client(incident, said, "moosefs").mount == mount


def test_one_of_several_servers_of_a_mount(tmp_path: Path) -> None:
    incident = incident_with(tmp_path, "10.0.0.1:6789,10.0.0.2:6789:/ /a ceph", "10.0.0.3:6789:/ /b ceph")
    said = VolumeClientMessage(
        source=HERE, subject=Subject(server="10.0.0.2:6789"), filesystem="cephfs", about="slow", text=""
    )
    assert volume_of_client(incident, said, "cephfs").mount == "/a"


@pytest.mark.parametrize(
    ("point", "counts"),
    [
        ("/snapshots", True), ("/devel", True), ("/system", True), ("/data", True), ("/", True),
        ("/snap/core20/1", False), ("/dev", False), ("/dev/shm", False), ("/run/user/1000", False),
    ],
)  # fmt: skip
def test_a_volume_that_somebody_could_want_to_write_to(point: str, counts: bool) -> None:
    row = DiskUsage(source=HERE, subject=Subject(mount=point), size=10, used=10, available=0, used_percent=100.0)
    assert real(Incident("x", [row], []), row) == counts
