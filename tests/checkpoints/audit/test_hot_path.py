"""What a configuration keeps on network volumes, and where it should go."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from diagnostics.checkpoints.audit.hot_path import hot_path, paths_in
from diagnostics.cli import main
from tests.faults.faultfs import FaultFS

MOUNTS = """\
22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
36 22 0:45 / /workspace rw,nosuid,relatime shared:2 - fuse mfs#10.0.0.1:9421 rw,user_id=0
37 22 254:1 / /local rw,relatime shared:3 - ext4 /dev/nvme0n1 rw
"""
CONFIG = """\
data:
  train_shards: "/workspace/data/shards"   # 71 GB
  val_shards: /local/data/val
output_dir: /workspace/runs/3b
env:
  HF_HOME: /workspace/.cache/huggingface
python: /workspace/venv/bin/python
learning_rate: 3e-4
url: https://example.org/a/b
"""


def test_roles_and_volumes(tmp_path: Path) -> None:
    (tmp_path / "train.yaml").write_text(CONFIG)
    found = hot_path(tmp_path / "train.yaml", mounts=MOUNTS, measure=False)
    assert [(each.role, each.path, each.is_on_network) for each in found.items] == [
        ("data", "/workspace/data/shards", True),
        ("data", "/local/data/val", False),
        ("checkpoints", "/workspace/runs/3b", True),
        ("caches", "/workspace/.cache/huggingface", True),
        ("code", "/workspace/venv/bin/python", True),
    ]
    assert any("MooseFS" in line and "mfs#10.0.0.1:9421" in line for line in found.plan)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ('"dataset_path": "/mnt/nfs/data",', ("dataset_path", "/mnt/nfs/data")),
        ("export TORCH_HOME=/workspace/torch", ("TORCH_HOME", "/workspace/torch")),
        ("python train.py --ckpt-dir /workspace/ckpt --lr 1", ("ckpt-dir", "/workspace/ckpt")),
        ('CHECKPOINTS = Path("/workspace/ckpt")', ("CHECKPOINTS", "/workspace/ckpt")),
        ("config['out_dir'] = '/workspace/out'", ("out_dir", "/workspace/out")),
    ],
)
def test_where_paths_are_written(line: str, expected: tuple[str, str]) -> None:
    assert [(key, path) for _, key, path in paths_in(line)] == [expected]


def test_a_path_that_is_not_there_gets_no_clean_bill(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every machine has a /mnt: that it holds nothing here says nothing of the pod."""
    (tmp_path / "train.yaml").write_text("data: /no-such-volume/shards/a\noutput_dir: /mnt/no-such-volume\n")
    found = hot_path(tmp_path / "train.yaml")
    assert [(each.path, each.place) for each in found.items] == [
        ("/no-such-volume/shards/a", "unknown"),
        ("/mnt/no-such-volume", "unknown"),
    ]
    assert found.plan[0] == "cannot be judged: not there: /mnt/no-such-volume, /no-such-volume/shards/a"
    assert not any("nothing" in line for line in found.plan)
    assert main(["audit", str(tmp_path / "train.yaml"), "--hot-path", "--json"]) == 0
    assert [each["network"] for each in json.loads(capsys.readouterr().out)["items"]] == [None, None]


def test_what_is_there_is_judged_where_its_links_lead(tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    (tmp_path / "shared").symlink_to("/dev/shm")
    (tmp_path / "train.yaml").write_text(f"output_dir: {tmp_path}/runs\ncache_dir: {tmp_path}/shared\n")
    items = hot_path(tmp_path / "train.yaml").items
    assert [each.place for each in items] == ["local", "local"]
    assert items[1].mount.mount == "/dev/shm"


def test_a_filesystem_that_nobody_knows_is_no_local_disk(tmp_path: Path) -> None:
    (tmp_path / "train.yaml").write_text("data: /fast/shards\noutput_dir: /local/runs\ncode: /src/train\n")
    table = "36 22 0:45 / /fast rw - wekafs nodes/fast rw\n37 22 254:1 / /local rw - ext4 /dev/nvme0n1 rw\n"
    found = hot_path(tmp_path / "train.yaml", mounts=table)
    assert [(each.place, each.doubt) for each in found.items] == [
        ("unknown", "its filesystem is unknown"),
        ("local", ""),
        ("unknown", "no mount of the table holds it"),
    ]


def test_the_table_of_the_machine_that_runs_it_decides(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config, table = tmp_path / "train.yaml", tmp_path / "mountinfo"
    config.write_text(CONFIG)
    table.write_text(MOUNTS)
    assert main(["audit", str(config), "--hot-path", "--mounts", str(table)]) == 0
    assert "checkpoints network output_dir = /workspace/runs/3b  (/workspace, MooseFS)" in capsys.readouterr().out
    table.write_text("none of it\n")
    assert main(["audit", str(config), "--hot-path", "--mounts", str(table)]) == 1


@pytest.mark.fuse
@pytest.mark.root
def test_sizes_are_asked_of_a_real_volume(tmp_path: Path, faultfs: FaultFS, capsys: pytest.CaptureFixture[str]) -> None:
    (faultfs.mount / "data").mkdir()
    (faultfs.mount / "data" / "shard.bin").write_bytes(bytes(3 << 20))
    (tmp_path / "train.yaml").write_text(f"data_dir: {faultfs.mount}/data\nshard: {faultfs.mount}/data/shard.bin\n")
    assert main(["audit", str(tmp_path / "train.yaml"), "--hot-path", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["needed_bytes"] >= 3 << 20
    assert found["needed_bytes"] < 6 << 20  # the shard lies inside the directory and counts once
    assert [each["network"] for each in found["items"]] == [True, True]
