"""What each writer leaves under a finished name when it is killed: python -m benchmarks.checkpoints_crashpoints

Every writer saves step 2 beside a whole step 1 (or over it, with --same-name), and is killed at every system
call that it makes on the folder. A row counts the kills after which a finished name held a broken file, and
those after which no whole checkpoint was left at all. Needs strace.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from diagnostics.checkpoints import publish, publish_file
from diagnostics.checkpoints.tensors import publish_tensors
from tests.checkpoints import crash

Write = Callable[[Path, Path], None]
COUNT = 60_000  # numbers in the state, a quarter of a megabyte


def state(step: int) -> dict[str, Any]:
    return {"weight": torch.full((COUNT,), float(step)), "step": torch.tensor(step)}


def torch_path(target: Path, source: Path) -> None:
    torch.save(state(2), target)  # audit: allow[write-final-name] because it is what is measured


def torch_file(target: Path, source: Path) -> None:
    with target.open("wb") as file:  # audit: allow[write-final-name] because it is what is measured
        torch.save(state(2), file)


def copy2(target: Path, source: Path) -> None:
    shutil.copy2(source, target)  # audit: allow[copy-final-name] because it is what is measured


def safetensors(target: Path, source: Path) -> None:
    from safetensors.torch import save_file

    save_file(state(2), target)  # audit: allow[write-final-name] because it is what is measured


def distributed(target: Path, source: Path) -> None:
    import torch.distributed.checkpoint as dcp

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        dcp.save(state(2), checkpoint_id=target)  # audit: allow[write-final-name] because it is what is measured


def published(target: Path, source: Path) -> None:
    with publish(target.parent, step=2, name=target.name) as file:
        torch.save(state(2), file)


def published_copy(target: Path, source: Path) -> None:
    publish_file(source, target.parent, 2, name=target.name)


def published_tensors(target: Path, source: Path) -> None:
    publish_tensors(target.parent, state(2), 2, name=target.name)


WRITERS: dict[str, tuple[Write, str]] = {
    "torch.save(path)": (torch_path, ".pt"),
    "torch.save(file)": (torch_file, ".pt"),
    "shutil.copy2": (copy2, ".pt"),
    "safetensors save_file": (safetensors, ".safetensors"),
    "torch DCP": (distributed, ""),
    "publish": (published, ".pt"),
    "publish_file": (published_copy, ".pt"),
    "publish_tensors": (published_tensors, ".safetensors"),
}


def whole(path: Path) -> int:
    """The step that a finished name really holds; 0 when it is broken."""
    try:
        if path.is_dir():
            import torch.distributed.checkpoint as dcp

            loaded = state(0)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                dcp.load(loaded, checkpoint_id=path)
        elif path.suffix == ".safetensors":
            from safetensors.torch import load_file

            loaded = load_file(path)
        else:
            loaded = torch.load(path, weights_only=True)
        step = int(loaded["step"])
        return step if torch.equal(loaded["weight"], state(step)["weight"]) else 0
    except BaseException:  # DCP raises one that is no Exception
        return 0


def sweep(name: str, same_name: bool) -> str:
    write, suffix = WRITERS[name]
    place = Path(tempfile.mkdtemp(prefix="checkpoints-crash-"))
    source = place / "source.pt"
    torch.save(state(2), source)  # audit: allow[write-final-name] because it is the source of the copy
    first, second = f"step_{1 if not same_name else 2}{suffix}", f"step_2{suffix}"

    def prepare(folder: Path) -> None:
        folder.mkdir()
        old = state(1)
        if suffix == "":
            distributed_state(old, folder / first)
        elif suffix == ".safetensors":
            publish_tensors(folder, old, 1, name=first)
        else:
            with publish(folder, step=1, name=first) as file:
                torch.save(old, file)

    kills = broken = lost = 0
    for _, folder, ending in crash.every_point(
        lambda folder: write(folder / second, source), prepare, place, kinds=("kill",)
    ):
        if ending.killed:
            steps = [whole(each) for each in folder.iterdir() if not each.name.startswith(".") and _finished(each)]
            kills += 1
            broken += 0 in steps
            lost += not any(steps)
    shutil.rmtree(place)
    return f"| {name} | {kills} | {broken} | {lost} |"


def distributed_state(old: dict[str, Any], folder: Path) -> None:
    import torch.distributed.checkpoint as dcp

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        dcp.save(old, checkpoint_id=folder)  # audit: allow[write-final-name] because it is what is measured


def _finished(path: Path) -> bool:
    """What a reader would take for a checkpoint: a DCP folder counts once it has its .metadata."""
    return path.suffix in (".pt", ".safetensors") or (path / ".metadata").exists()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--same-name", action="store_true", help="overwrite the older checkpoint")
    parser.add_argument("writer", nargs="*", help="only these")
    options = parser.parse_args()
    torch.set_num_threads(1)
    print("| writer | kills | broken under a finished name | nothing whole left |\n|---|---|---|---|")
    for name in options.writer or WRITERS:
        print(sweep(name, options.same_name), flush=True)


if __name__ == "__main__":
    main()
