"""What the discipline costs, as ratios within one run: python -m benchmarks.checkpoints_speed [--gib 2] [--at DIR]

Each writer saves the same torch state; the base is torch.save onto a path followed by fsync. Rounds are
interleaved and the best of each is taken, because a shared disk is noisy. Nothing is cached away between.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import shutil
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from diagnostics.checkpoints import publish, publish_bytes, resume_point, verify
from diagnostics.checkpoints.digest import file_digest
from diagnostics.checkpoints.naming import artefact_name
from diagnostics.checkpoints.tensors import publish_tensors

Writer = Callable[[Path, dict[str, Any]], object]


def sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    os.fsync(descriptor)
    os.close(descriptor)


def bare(folder: Path, state: dict[str, Any]) -> None:
    import torch

    # audit: allow[write-final-name] because this is the careless way that the others are measured against
    torch.save(state, folder / "step_1.pt")
    sync(folder / "step_1.pt")


def bare_without_sync(folder: Path, state: dict[str, Any]) -> None:
    import torch

    # audit: allow[write-final-name] because this is the careless way that the others are measured against
    torch.save(state, folder / "step_1.pt")


def published(algorithm: str) -> Writer:
    def write(folder: Path, state: dict[str, Any]) -> None:
        import torch

        with publish(folder, step=1, algorithm=algorithm) as file:
            torch.save(state, file)

    return write


def published_tensors(folder: Path, state: dict[str, Any]) -> None:
    publish_tensors(folder, state, 1)


def safetensors(folder: Path, state: dict[str, Any]) -> None:
    from safetensors.torch import save_file

    # audit: allow[write-final-name] because this is what it is measured against
    save_file(state, folder / "model.safetensors")
    sync(folder / "model.safetensors")


def distributed(folder: Path, state: dict[str, Any]) -> None:
    import torch.distributed.checkpoint as dcp

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        dcp.save(state, checkpoint_id=folder / "dcp")  # audit: allow[write-final-name] because it is measured


def lightning(folder: Path, state: dict[str, Any]) -> None:
    from lightning.fabric.plugins.io.torch_io import TorchCheckpointIO

    TorchCheckpointIO().save_checkpoint(
        state, folder / "step_1.ckpt"
    )  # audit: allow[write-final-name] because it is measured


WRITERS: dict[str, Writer] = {
    "torch.save + fsync": bare,
    "torch.save, no fsync": bare_without_sync,
    "publish, xxh3_128": published("xxh3_128"),
    "publish, blake3": published("blake3"),
    "publish, sha256": published("sha256"),
    "publish_tensors": published_tensors,
    "safetensors save_file + fsync": safetensors,
    "torch DCP (fsyncs)": distributed,
    "Lightning CheckpointIO": lightning,
}
NEEDS = {"Lightning CheckpointIO": "lightning", "safetensors save_file + fsync": "safetensors"}


def timed(action: Callable[[], object]) -> float:
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def saves(place: Path, gib: float, rounds: int) -> dict[str, float]:
    """Seconds of the best round for each writer that is installed."""
    import torch

    count = 16
    state = {f"layer.{n}.weight": torch.randn(int(gib * 2**30 / 4 / count)) for n in range(count)}
    best: dict[str, float] = {}
    for _ in range(rounds):
        for name, writer in WRITERS.items():
            if name in NEEDS and importlib.util.find_spec(NEEDS[name]) is None:
                continue
            folder = place / "run"
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            os.sync()
            best[name] = min(best.get(name, 1e9), timed(lambda: writer(folder, state)))  # noqa: B023
    return best


def reading(place: Path, gib: float, rounds: int) -> dict[str, float]:
    """Bytes a second of the bare hash and of verify --deep on the same file, in the page cache."""
    folder = place / "verify"
    size = int(gib * 2**30)
    with publish(folder, step=1, name="step_1.bin") as file:
        block = os.urandom(1 << 24)
        for _ in range(size >> 24):
            file.write(block)
    path = folder / "step_1.bin"
    file_digest(path)
    hashing = min(timed(lambda: file_digest(path)) for _ in range(rounds))
    verifying = min(timed(lambda: verify(folder, deep=True)) for _ in range(rounds))
    return {"hash": size / hashing, "verify --deep": size / verifying}


def resuming(place: Path, rounds: int) -> float:
    """Seconds of resume_point in a directory of 1,000 published artefacts."""
    folder = place / "thousand"
    for step in range(1000):
        publish_bytes(folder, b"x" * 100, step, name=artefact_name(step))
    return min(timed(lambda: resume_point(folder)) for _ in range(rounds))


def copying(place: Path, gib: float, rounds: int) -> dict[str, float]:
    """Seconds of the best round of a plain copy and of a published one."""
    from diagnostics.checkpoints import publish_file

    source = place / "source.bin"
    source.write_bytes(os.urandom(1 << 24) * int(gib * 64))
    best = {"shutil.copy2 + fsync": 1e9, "publish_file": 1e9}
    for _ in range(rounds):
        for folder in ("plain", "published"):
            shutil.rmtree(place / folder, ignore_errors=True)
            (place / folder).mkdir()
        os.sync()
        plain = timed(lambda: (shutil.copy2(source, place / "plain" / "x.bin"), sync(place / "plain" / "x.bin")))
        os.sync()
        careful = timed(lambda: publish_file(source, place / "published", 1))
        best = {
            "shutil.copy2 + fsync": min(best["shutil.copy2 + fsync"], plain),
            "publish_file": min(best["publish_file"], careful),
        }
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gib", type=float, default=2.0)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--at", default=None, help="a folder on the volume to measure")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    place = Path(tempfile.mkdtemp(prefix="checkpoints-speed-", dir=options.at))
    try:
        seconds = saves(place, options.gib, options.rounds)
        base = seconds["torch.save + fsync"]
        speeds = reading(place, options.gib, options.rounds)
        resume_s = resuming(place, options.rounds)
        copies = copying(place, options.gib, options.rounds)
    finally:
        shutil.rmtree(place, ignore_errors=True)
    ratios = {name: value / base for name, value in seconds.items()}
    result = {
        "gib": options.gib,
        "seconds": seconds,
        "ratio to torch.save + fsync": ratios,
        "publish_file / copy2 + fsync": copies["publish_file"] / copies["shutil.copy2 + fsync"],
        "verify --deep / hash": speeds["verify --deep"] / speeds["hash"],
        "resume of 1,000 ms": resume_s * 1e3,
    }
    if options.json:
        print(json.dumps(result, indent=2))
        return
    for name in WRITERS.keys() - ratios.keys():
        print(f"{name:32} not installed")
    for name, ratio in ratios.items():
        print(f"{name:32} {seconds[name]:7.2f} s   {ratio:5.2f}")
    print(f"publish_file / copy2 + fsync     {result['publish_file / copy2 + fsync']:.2f}")
    print(f"verify --deep / hash             {result['verify --deep / hash']:.2f}   ({speeds['hash'] / 1e9:.1f} GB/s)")
    print(f"resume of 1,000 artefacts        {resume_s * 1e3:.1f} ms")


if __name__ == "__main__":
    main()
