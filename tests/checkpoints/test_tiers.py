"""Three tiers at once: verified at the far end, loud when they fail, never in the way of the save."""

from __future__ import annotations

import logging
import re
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from diagnostics.checkpoints import publish_bytes, publish_directory, verify
from diagnostics.checkpoints.health import Artefact
from diagnostics.checkpoints.pacing import Pace
from diagnostics.checkpoints.tensors import publish_tensors
from diagnostics.checkpoints.tiers import HubTier, SshTier, Tiers, VolumeTier
from diagnostics.checkpoints.tiers.background import Backoff, TierStatus
from tests.faults.sshfs import SSHFS

from .conftest import names, safetensors_file, torch_file, visible
from .hub_server import Hub, running

# huggingface_hub hands bytes to httpx in a way that httpx has deprecated; the uploading thread would stop at it
THEIR_OWN = pytest.mark.filterwarnings("ignore:Use 'content=:DeprecationWarning")
QUICK = Backoff(attempts=4, first_s=0.05, longest_s=0.1)


def wait_for(condition: Callable[[], object], deadline_s: float = 30) -> None:
    end = time.monotonic() + deadline_s
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.01)


def artefact_of(directory: Path, step: int) -> Artefact:
    return next(each for each in verify(directory) if each.step == step)


def status_of(tiers: Tiers, name: str) -> TierStatus:
    return next(each for each in tiers.status() if each.name.startswith(name))


class Far:
    """A far end whose failures and pace the test decides."""

    weights_only = False

    def __init__(self, name: str = "far", failures: int = 0) -> None:
        self.name, self.failures = name, failures
        self.stored: list[int | None] = []
        self.gate = threading.Event()
        self.gate.set()

    def store(self, artefact: Artefact, pace: Pace) -> str:
        assert self.gate.wait(30)
        if self.failures:
            self.failures -= 1
            raise ConnectionResetError("the line went dead")
        self.stored.append(artefact.step)
        return "it said so"


def save(directory: Path, step: int) -> None:
    publish_bytes(directory, torch_file(step), step)


def test_a_tier_tries_again_and_says_so(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    far = Far(failures=2)
    save(tmp_path, 1)
    with caplog.at_level(logging.ERROR), Tiers(tmp_path, [far], backoff=QUICK) as tiers:
        tiers.saved(1)
        wait_for(lambda: far.stored == [1])
        wait_for(lambda: status_of(tiers, "far").state == "idle")
    assert caplog.text.count("the line went dead") == 2
    assert (status_of(tiers, "far").done_step, status_of(tiers, "far").error) == (1, "")


def test_a_tier_that_stays_dead_is_loud_and_the_others_go_on(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    dead, alive = Far("dead", failures=99), Far("alive")
    save(tmp_path, 1)
    with Tiers(tmp_path, [dead, alive], backoff=QUICK) as tiers:
        tiers.saved(1)
        wait_for(lambda: status_of(tiers, "dead").state == "failed")
        wait_for(lambda: alive.stored == [1])
        assert "the line went dead" in str(tiers.status()) and tiers.status().failed
    assert "attempt 4 of 4" in caplog.text


def test_a_slow_tier_holds_one_waiting_step_and_blocks_nobody(tmp_path: Path) -> None:
    far = Far()
    far.gate.clear()
    with Tiers(tmp_path, [far], backoff=QUICK) as tiers:
        for step in range(1, 6):
            save(tmp_path, step)
            start = time.monotonic()
            tiers.saved(step)
            assert time.monotonic() - start < 1
            wait_for(lambda: status_of(tiers, "far").current_step == 1)
        assert status_of(tiers, "far").waiting_step == 5
        assert status_of(tiers, "far").skipped == (2, 3, 4)
        far.gate.set()
        wait_for(lambda: far.stored == [1, 5])


def test_what_a_tier_still_reads_is_not_pruned(tmp_path: Path) -> None:
    from .test_prune import age

    far = Far()
    far.gate.clear()
    with Tiers(tmp_path, [far], keep=2, backoff=QUICK) as tiers:
        for step in range(1, 6):
            save(tmp_path, step)
            age(tmp_path)
            tiers.saved(step)
            wait_for(lambda: status_of(tiers, "far").current_step == 1)
        assert [each.step for each in verify(tmp_path)] == [5, 4, 1]
        far.gate.set()


def test_a_step_that_is_not_whole_is_not_sent_and_raises_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    far = Far()
    with Tiers(tmp_path, [far], backoff=QUICK) as tiers:
        tiers.saved(7)
    assert far.stored == [] and "step 7 is not whole" in caplog.text
    assert status_of(tiers, "local").state == "failed"


def test_a_second_volume(tmp_path: Path) -> None:
    save(tmp_path / "run", 3)
    with Tiers(tmp_path / "run", [VolumeTier(tmp_path / "second")], backoff=QUICK) as tiers:
        tiers.saved(3)
    assert verify(tmp_path / "second", deep=True).counts == {"complete": 1}
    assert status_of(tiers, "volume").done_step == 3


# -- the hub ---------------------------------------------------------------------------------------


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    pytest.importorskip("huggingface_hub")
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_DISABLE_XET", True)
    with running() as server:
        yield server


def hub_tier(hub: Hub) -> HubTier:
    from huggingface_hub import HfApi

    return HubTier("me/model", api=HfApi(endpoint=hub.url, token="hf_test"))


@THEIR_OWN
@pytest.mark.parametrize("count", [2_000, 10])
def test_weights_go_to_the_hub_and_its_hash_is_compared(tmp_path: Path, hub: Hub, count: int) -> None:
    save(tmp_path, 5)
    publish_bytes(tmp_path, safetensors_file(5, count), 5, name="step_5.safetensors")
    with Tiers(tmp_path, [hub_tier(hub)], backoff=QUICK) as tiers:
        tiers.saved(5, weights=tmp_path / "step_5.safetensors")
    status = status_of(tiers, "hub")
    assert (status.done_step, status.error) == (5, "")
    assert list(hub.files) == ["step_5.safetensors"]
    assert status.proof == ("the hub's sha256" if count > 100 else "the hub's git hash")


@THEIR_OWN
def test_a_hub_that_loses_the_tail_is_found_out(tmp_path: Path, hub: Hub) -> None:
    publish_bytes(tmp_path, safetensors_file(5), 5, name="step_5.safetensors")
    hub.lose_tail = True
    with Tiers(tmp_path, [hub_tier(hub)], backoff=QUICK) as tiers:
        tiers.saved(5, weights=tmp_path / "step_5.safetensors")
        wait_for(lambda: status_of(tiers, "hub").state == "failed")
    assert "the hub holds" in status_of(tiers, "hub").error


def test_no_weights_for_a_tier_that_sends_nothing_else(tmp_path: Path, hub: Hub) -> None:
    save(tmp_path, 5)
    with Tiers(tmp_path, [hub_tier(hub)], backoff=QUICK) as tiers:
        tiers.saved(5)
    assert status_of(tiers, "hub").error == "no weights were given"


def test_tensors_become_safetensors_that_others_read(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    load_file = pytest.importorskip("safetensors.torch").load_file
    tensors = {
        "bias": torch.arange(7, dtype=torch.bfloat16),
        "weight": torch.randn(3, 5).T,  # not contiguous
        "empty": torch.zeros(0, 4),
        "scalar": torch.tensor(3, dtype=torch.int64),
    }
    done = publish_tensors(tmp_path, tensors, 9, metadata={"format": "pt"})
    assert done and done.record.step == 9
    loaded = load_file(done.path)
    assert all(torch.equal(loaded[name], tensors[name]) for name in tensors)
    assert verify(tmp_path, deep=True).counts == {"complete": 1}


# -- ssh -------------------------------------------------------------------------------------------


def ssh_tier(sshfs: SSHFS, directory: Path) -> SshTier:
    port = re.search(r"127\.0\.0\.1:(\d+)", (sshfs.folder / "sshd_config").read_text())
    assert port
    options = (
        "-p",
        port[1],
        "-i",
        f"{sshfs.folder}/client",
        "-o",
        "StrictHostKeyChecking=no",
        "-o",
        "UserKnownHostsFile=/dev/null",
    )
    return SshTier("root@127.0.0.1", str(directory), options=options)


@pytest.mark.sshfs
@pytest.mark.root
def test_the_full_file_goes_to_another_machine(tmp_path: Path, sshfs: SSHFS) -> None:
    save(tmp_path / "run", 3)
    with publish_directory(tmp_path / "run", 4) as folder:
        (folder / "sub").mkdir()
        (folder / "sub" / "it's a shard.bin").write_bytes(b"x" * 5000)
    far = sshfs.remote / "with space"
    tier = ssh_tier(sshfs, far)
    with Tiers(tmp_path / "run", [tier], backoff=QUICK) as tiers:
        for step in (3, 4):
            tiers.saved(step)
            wait_for(lambda step=step: status_of(tiers, "ssh").done_step == step)
    assert verify(far, deep=True).counts == {"complete": 2}


@pytest.mark.sshfs
@pytest.mark.root
def test_a_copy_over_ssh_goes_on_where_it_stopped_and_trusts_nothing(tmp_path: Path, sshfs: SSHFS) -> None:
    save(tmp_path, 3)
    artefact = artefact_of(tmp_path, 3)
    assert artefact.record
    part = sshfs.remote / f".step_00000003.pt.{artefact.record.digest[:16]}.mirror.part"
    content = artefact.path.read_bytes()
    sent: list[int] = []

    class Counting(Pace):
        def __call__(self, count: int) -> None:
            sent.append(count)

    part.write_bytes(content[:20_000])
    tier = ssh_tier(sshfs, sshfs.remote)
    assert tier.store(artefact, Counting()) == "sha256 at the far end"
    assert sum(sent) == len(content) - 20_000
    assert visible(sshfs.remote) == ["step_00000003.pt"]
    part.write_bytes(b"x" * 20_000)
    with pytest.raises(Exception, match="other bytes"):
        tier.store(artefact, Counting())
    assert part.name not in names(sshfs.remote)
    tier.store(artefact, Counting())
    assert verify(sshfs.remote, deep=True).counts == {"complete": 1}


def test_a_machine_that_is_not_there(tmp_path: Path) -> None:
    if subprocess.run(["sh", "-c", "command -v ssh"], capture_output=True).returncode:
        pytest.skip("needs ssh")
    save(tmp_path, 3)
    tier = SshTier("nobody@127.0.0.1", "/nowhere", options=("-p", "1"))
    with Tiers(tmp_path, [tier], backoff=Backoff(attempts=1)) as tiers:
        tiers.saved(3)
        wait_for(lambda: status_of(tiers, "ssh").state == "failed")
    assert "127.0.0.1" in status_of(tiers, "ssh").error
