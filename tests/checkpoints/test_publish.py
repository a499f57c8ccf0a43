"""A checkpoint gets its name only when all of it is there."""

from __future__ import annotations

import stat
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from diagnostics import durable
from diagnostics.checkpoints import publish, publish_bytes, publish_directory, publish_file, publish_path, verify
from diagnostics.checkpoints.manifest import parse_record_name, read_record
from diagnostics.errors import PublishError, UsageError

from .conftest import hidden, names, safetensors_file, torch_file, visible


def test_no_reader_sees_it_before_it_is_whole(tmp_path: Path) -> None:
    with publish(tmp_path, step=810) as file:
        file.write(b"first half")
        assert visible(tmp_path) == []
        file.write(b"second half")
    assert visible(tmp_path) == ["step_00000810.pt"]
    assert hidden(tmp_path, ".part") == []


def test_the_record_says_what_was_published(tmp_path: Path) -> None:
    done = publish_bytes(tmp_path, torch_file(1), 810, algorithm="sha256", metrics={"loss": 2.5})
    assert done
    promised = parse_record_name(hidden(tmp_path, ".manifest")[0])
    assert promised
    record = read_record(tmp_path, promised)
    assert record == done.record
    assert (record.name, record.step, record.size) == ("step_00000810.pt", 810, len(torch_file(1)))
    assert (record.algorithm, len(record.digest), record.metrics) == ("sha256", 64, {"loss": 2.5})


def test_a_real_torch_state(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    state = {"weight": torch.arange(3000.0), "step": 810}
    with publish(tmp_path, step=810) as file:
        torch.save(state, file)
    loaded = torch.load(tmp_path / "step_00000810.pt", weights_only=True)
    assert loaded["step"] == 810 and torch.equal(loaded["weight"], state["weight"])
    assert verify(tmp_path, deep=True).counts == {"complete": 1}


def test_an_error_in_the_block_leaves_the_previous_one(run: Path) -> None:
    before = (run / "step_00000300.pt").read_bytes()
    with pytest.raises(ZeroDivisionError), publish(run, step=300) as file:
        file.write(b"half")
        1 / 0  # noqa: B018
    assert (run / "step_00000300.pt").read_bytes() == before
    assert hidden(run, ".part") == []
    assert verify(run, deep=True).counts == {"complete": 3}


def test_a_name_used_again_keeps_mode_and_forgets_the_old_record(tmp_path: Path) -> None:
    publish_bytes(tmp_path, torch_file(1), 1, name="latest.pt")
    (tmp_path / "latest.pt").chmod(0o604)
    publish_bytes(tmp_path, torch_file(2), 2, name="latest.pt")
    assert stat.S_IMODE((tmp_path / "latest.pt").stat().st_mode) == 0o604
    assert len(hidden(tmp_path, ".manifest")) == 1
    (artefact,) = verify(tmp_path, deep=True)
    assert (artefact.state, artefact.step) == ("complete", 2)


def test_two_writers_of_one_name_do_not_tear_each_other(tmp_path: Path) -> None:
    contents = [bytes([n]) * 300_000 for n in range(1, 9)]
    gate = threading.Barrier(len(contents))

    def write(content: bytes) -> None:
        with publish(tmp_path, step=810) as file:
            file.write(content[:100_000])
            gate.wait(30)
            file.write(content[100_000:])

    threads = [threading.Thread(target=write, args=(each,)) for each in contents]
    for each in threads:
        each.start()
    for each in threads:
        each.join(60)
    assert (tmp_path / "step_00000810.pt").read_bytes() in contents
    assert verify(tmp_path, deep=True).counts == {"complete": 1}


def test_other_ranks_write_nothing_under_the_shared_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RANK", "3")
    with publish(tmp_path, step=810) as file:
        file.write(b"rank 3")
    assert names(tmp_path) == []
    with publish(tmp_path, step=810, name="rank_3.pt") as file:  # a shard of its own is not another rank's business
        file.write(b"rank 3")
    assert visible(tmp_path) == ["rank_3.pt"]


def test_torch_save_on_a_rank_that_stands_aside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch")
    monkeypatch.setenv("RANK", "1")
    with publish(tmp_path, step=810) as file:
        torch.save({"weight": torch.zeros(100_000)}, file)
    assert names(tmp_path) == []


def test_a_symbolic_link_is_not_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside.pt"
    outside.write_bytes(b"precious")
    run = tmp_path / "run"
    run.mkdir()
    (run / "step_00000810.pt").symlink_to(outside)
    with pytest.raises(PublishError, match="symbolic link"):
        publish_bytes(run, b"new", 810)
    assert outside.read_bytes() == b"precious"


@pytest.mark.parametrize("name", ["../out.pt", "a/b.pt", "..", "", ".hidden", "x.pt.part", "n" * 300])
def test_names_that_lead_out_or_look_unfinished(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError):
        publish_bytes(tmp_path, b"", 1, name=name)
    assert names(tmp_path) == []


def test_the_orphan_of_a_dead_writer_goes_and_that_of_a_live_one_stays(tmp_path: Path) -> None:
    me = durable.this_writer()
    dead = tmp_path / f".step_1.pt.{me.host}{me.boot}{me.namespace}-{me.pid}-1-abcdef.part"
    live = tmp_path / durable.staging_name("step_2.pt")
    elsewhere = tmp_path / f".step_3.pt.{'0' * 18}-1-1-abcdef.part"
    foreign = tmp_path / "step_4.pt.part"
    for path in (dead, live, elsewhere, foreign):
        path.write_bytes(b"half")
    publish_bytes(tmp_path, b"whole", 810)
    assert [path.exists() for path in (dead, live, elsewhere, foreign)] == [False, True, True, True]


def test_a_file_is_copied_and_its_link_resolved(tmp_path: Path) -> None:
    blob = tmp_path / "blob"
    blob.write_bytes(safetensors_file(3))
    (tmp_path / "model-42.safetensors").symlink_to(blob)
    done = publish_file(tmp_path / "model-42.safetensors", tmp_path / "run")
    assert done and done.record.step == 42
    assert done.record.tensors == (("weight", "F32", (2000,)),)
    assert done.path.read_bytes() == blob.read_bytes()


def test_a_source_that_is_still_being_written_is_not_published(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from diagnostics.checkpoints import publishing

    source = tmp_path / "growing_1.pt"
    source.write_bytes(torch_file(1))
    real = publishing._read_or_raise

    def and_then_it_grows(descriptor: int, origin: Path) -> Iterator[memoryview]:
        yield from real(descriptor, origin)
        with source.open("ab") as file:
            file.write(b"more")

    monkeypatch.setattr(publishing, "_read_or_raise", and_then_it_grows)
    with pytest.raises(PublishError, match="while it was copied"):
        publish_file(source, tmp_path / "run")
    assert names(tmp_path / "run") == []


def test_a_missing_source_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(PublishError, match="cannot be read"):
        publish_file(tmp_path / "nothing.pt", tmp_path / "run")


def test_large_writes_are_hashed_beside_the_writing(tmp_path: Path) -> None:
    """Above 16 MiB a second thread hashes, above 32 MiB the disk is told to begin; the buffer is used again at once."""
    buffer = bytearray(40 << 20)
    with publish(tmp_path, step=1, name="step_1.bin") as file:
        for filling in (1, 2):
            buffer[:] = bytes([filling]) * len(buffer)
            assert file.write(buffer) == len(buffer)
        file.write(b"tail")
    (artefact,) = verify(tmp_path, deep=True)
    assert (artefact.state, artefact.size) == ("complete", 2 * len(buffer) + 4)
    with (tmp_path / "step_1.bin").open("rb") as written:
        assert {written.read(len(buffer))[0], written.read(len(buffer))[-1]} == {1, 2}


def test_a_library_that_wants_a_path(tmp_path: Path) -> None:
    with publish_path(tmp_path, step=5, name="model-5.safetensors") as path:
        path.write_bytes(safetensors_file(5))
        assert visible(tmp_path) == []
    assert verify(tmp_path, deep=True).counts == {"complete": 1}


def test_what_a_library_wrote_broken_is_not_published(tmp_path: Path) -> None:
    with pytest.raises(PublishError, match="header promises"), publish_path(tmp_path, 5, name="m.safetensors") as path:
        path.write_bytes(safetensors_file(5)[:-100])
    assert names(tmp_path) == []


def test_a_directory_of_shards(tmp_path: Path) -> None:
    with publish_directory(tmp_path, step=7) as folder:
        (folder / "sub").mkdir()
        (folder / "a.bin").write_bytes(b"a" * 1000)
        (folder / "sub" / "b.bin").write_bytes(b"b" * 500)
        assert visible(tmp_path) == []
    (artefact,) = verify(tmp_path, deep=True)
    assert (artefact.state, artefact.size, artefact.step) == ("complete", 1500, 7)


def test_a_directory_with_a_link_in_it_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PublishError, match="plain files only"), publish_directory(tmp_path, step=7) as folder:
        (folder / "passwd").symlink_to("/etc/passwd")
    assert names(tmp_path) == []


def test_only_rank_0_renames_and_only_when_all_have_written(tmp_path: Path) -> None:
    may_finish = threading.Event()
    seen_early: list[list[str]] = []

    def work(rank: int) -> None:
        with publish_directory(tmp_path, step=7, rank=rank, world_size=3, attempt="job-1", timeout_s=30) as folder:
            (folder / f"rank_{rank}.pt").write_bytes(bytes([rank]) * 100)
            if rank == 2:
                may_finish.wait(30)
                seen_early.append(visible(tmp_path))

    threads = [threading.Thread(target=work, args=(rank,)) for rank in range(3)]
    for each in threads:
        each.start()
    may_finish.set()
    for each in threads:
        each.join(60)
    assert seen_early == [[]]
    assert names(tmp_path / "step_00000007") == ["rank_0.pt", "rank_1.pt", "rank_2.pt"]
    assert verify(tmp_path, deep=True).counts == {"complete": 1}


def test_a_rank_that_never_comes_is_named(tmp_path: Path) -> None:
    with (
        pytest.raises(PublishError, match=r"ranks \[1\]"),
        publish_directory(tmp_path, step=7, rank=0, world_size=2, attempt="job-1", timeout_s=0.2) as folder,
    ):
        (folder / "rank_0.pt").write_bytes(b"0")
    assert names(tmp_path) == []


def test_ranks_need_an_attempt(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="attempt"), publish_directory(tmp_path, step=7, rank=0, world_size=2):
        pass
