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


def test_a_path_that_is_not_here_gets_no_clean_bill(tmp_path: Path) -> None:
    (tmp_path / "train.yaml").write_text(f"data: /no-such-volume/shards/a\noutput_dir: {tmp_path}/runs\n")
    found = hot_path(tmp_path / "train.yaml")
    assert [(each.path, each.place) for each in found.items] == [
        ("/no-such-volume/shards/a", "unknown"),
        (f"{tmp_path}/runs", "local"),  # it is made by the run: its folder is there
    ]
    assert "/no-such-volume/shards/a" in found.plan[0] and "run this on the pod" in found.plan[0]


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
