"""What real writers' formats prove without a manifest, and that nothing in a file makes the reader raise."""

from __future__ import annotations

import contextlib
import json
import shutil
import warnings
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from diagnostics.checkpoints import publish_bytes, resume_point, verify
from diagnostics.checkpoints.finding import Finding, State
from diagnostics.checkpoints.formats.dcp import shard_sizes
from diagnostics.checkpoints.health import is_checkpoint_directory
from diagnostics.checkpoints.naming import is_staging, step_of
from diagnostics.checkpoints.proof import known_formats, prove

from .conftest import safetensors_file, torch_file


@pytest.fixture(scope="module")
def dcp_checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    torch = pytest.importorskip("torch")
    import torch.distributed.checkpoint as dcp

    folder = tmp_path_factory.mktemp("dcp") / "step_5"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        dcp.save({"weight": torch.randn(4000), "bias": torch.zeros(7), "step": 5}, checkpoint_id=folder)
    return folder


def test_torch_save_itself(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    path = tmp_path / "模型_5.pt"
    torch.save({"weight": torch.randn(4000)}, path)
    assert (prove(path).state, prove(path, deep=True).proof) == (State.COMPLETE, "zip CRCs")
    content = path.read_bytes()
    for keep in (len(content) - 1, len(content) // 2, 100):
        path.write_bytes(content[:keep])
        assert prove(path).state is State.TRUNCATED


def test_torch_legacy_files_prove_nothing(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    torch.save({"weight": torch.randn(40)}, tmp_path / "old_5.pt", _use_new_zipfile_serialization=False)
    assert prove(tmp_path / "old_5.pt").state is State.UNLISTED


def test_dcp_is_read_without_unpickling(dcp_checkpoint: Path) -> None:
    sizes = shard_sizes((dcp_checkpoint / ".metadata").read_bytes())
    assert sizes == {"__0_0.distcp": (dcp_checkpoint / "__0_0.distcp").stat().st_size}
    assert prove(dcp_checkpoint, deep=True).state is State.COMPLETE
    assert resume_point(dcp_checkpoint.parent).step == 5


@pytest.mark.parametrize("damage", ["cut shard", "no shard", "no metadata", "cut metadata"])
def test_dcp_damage(dcp_checkpoint: Path, tmp_path: Path, damage: str) -> None:
    folder = tmp_path / "step_6"
    shutil.copytree(dcp_checkpoint, folder)
    shard, metadata = folder / "__0_0.distcp", folder / ".metadata"
    if damage.startswith("no"):
        (shard if "shard" in damage else metadata).unlink()
    else:
        victim = shard if "shard" in damage else metadata
        victim.write_bytes(victim.read_bytes()[:-200])
    finding = prove(folder)
    assert finding.state is State.TRUNCATED
    if damage == "cut shard":
        assert finding.missing == 200


def trainer_checkpoint(folder: Path) -> Path:
    folder.mkdir(parents=True)
    names = [f"model-0000{n}-of-00002.safetensors" for n in (1, 2)]
    for n, name in enumerate(names):
        (folder / name).write_bytes(safetensors_file(n))
    index = {"metadata": {"total_size": 16000}, "weight_map": {"a": names[0], "b": names[1]}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    (folder / "optimizer.pt").write_bytes(torch_file(1))
    (folder / "trainer_state.json").write_text("{}")
    return folder


@pytest.mark.parametrize(
    ("victim", "state"),
    [
        ("", State.COMPLETE),
        ("model-00002-of-00002.safetensors", State.TRUNCATED),
        ("trainer_state.json", State.TRUNCATED),
        ("optimizer.pt cut", State.TRUNCATED),
        ("model.safetensors.index.json cut", State.UNREADABLE),
    ],
)
def test_a_hugging_face_trainer_checkpoint(tmp_path: Path, victim: str, state: State) -> None:
    folder = trainer_checkpoint(tmp_path / "checkpoint-500")
    name, _, how = victim.partition(" ")
    if how:
        (folder / name).write_bytes((folder / name).read_bytes()[:-50])
    elif name:
        (folder / name).unlink()
    assert is_checkpoint_directory(folder)
    (artefact,) = verify(tmp_path)
    assert (artefact.state, artefact.step) == (state, 500)


@pytest.mark.parametrize(
    ("name", "step"),
    [
        ("step_0810.pt", 810), ("checkpoint-1200", 1200), ("epoch=3-step=810.ckpt", 810), ("global_step77", 77),
        ("iter_0000500", 500), ("model_17.safetensors", 17), ("best.pt", None), ("ckpt_v2_step_9.pt", 9),
        ("7" * 40 + ".pt", None),
    ],
)  # fmt: skip
def test_steps_in_names(name: str, step: int | None) -> None:
    assert step_of(name) == step


@pytest.mark.parametrize(
    "name",
    ["step_1.pt.part", "step_1.pt.tmp", ".tmp-checkpoint-5", "tmp-checkpoint-5", "x.incomplete", "rank_0.dirty",
     "step_1.orbax-checkpoint-tmp-17", ".step_1.pt.Xa81bZ"],
)  # fmt: skip
def test_names_of_what_is_being_written(name: str) -> None:
    assert is_staging(name)


@pytest.mark.parametrize("name", ["step_1.pt", "checkpoint-5", "template.pt", "model.tmpl.pt", "tmpl_5.safetensors"])
def test_names_of_what_is_finished(name: str) -> None:
    assert not is_staging(name)


HEADS = [b"", b"PK\x03\x04", b"PK\x05\x06", b"\x80\x02", (64).to_bytes(8, "little") + b"{", b"\x00" * 8]


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    head=st.sampled_from(HEADS), body=st.binary(max_size=400), tail=st.sampled_from([b"", torch_file(1, 200)[-150:]])
)
def test_no_content_makes_a_format_raise(tmp_path: Path, head: bytes, body: bytes, tail: bytes) -> None:
    for name in ("step_1.pt", "model_1.safetensors"):
        (tmp_path / name).write_bytes(head + body + tail)
        assert isinstance(prove(tmp_path / name, deep=True), Finding)


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=300))
def test_no_pickle_makes_the_reader_raise_anything_but_its_own(pickled: bytes) -> None:
    with contextlib.suppress(ValueError):
        shard_sizes(b"\x80\x04" + pickled)


def test_every_format_is_a_module_of_the_folder() -> None:
    assert {module.__name__.rpartition(".")[2] for module in known_formats()} >= {
        "torch_zip",
        "safetensors",
        "dcp",
        "hf_sharded",
    }
    for module in known_formats():
        assert callable(module.recognises) and callable(module.prove)


def deepspeed_checkpoint(folder: Path) -> Path:
    folder.mkdir(parents=True)
    (folder / "mp_rank_00_model_states.pt").write_bytes(torch_file(0))
    for rank in range(3):
        (folder / f"zero_pp_rank_{rank}_mp_rank_00_optim_states.pt").write_bytes(torch_file(rank))
    return folder


def test_deepspeed_ranks(tmp_path: Path) -> None:
    folder = deepspeed_checkpoint(tmp_path / "global_step77")
    (artefact,) = verify(tmp_path)
    assert (artefact.state, artefact.step) == (State.COMPLETE, 77)
    (folder / "zero_pp_rank_1_mp_rank_00_optim_states.pt").unlink()
    assert prove(folder).state is State.TRUNCATED


def test_one_file_or_one_checkpoint_directory_can_be_named(tmp_path: Path) -> None:
    folder = trainer_checkpoint(tmp_path / "checkpoint-500")
    (artefact,) = verify(folder)
    assert (artefact.path, artefact.state, artefact.step) == (folder, State.COMPLETE, 500)
    assert resume_point(folder).step == 500
    (shard,) = verify(folder / "model-00001-of-00002.safetensors")
    assert (shard.state, shard.step) == (State.COMPLETE, None)


def test_weights_beside_published_steps_do_not_hide_them(tmp_path: Path) -> None:
    publish_bytes(tmp_path, torch_file(5), 5)
    (tmp_path / "model.safetensors").write_bytes(safetensors_file(5))
    assert {each.path.name for each in verify(tmp_path)} == {"step_00000005.pt", "model.safetensors"}
    assert resume_point(tmp_path).step == 5
