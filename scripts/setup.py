"""Make the project's environment in `.venv`: everything it needs, and no second torch.

Run by `make setup` with the Python to build on. When that Python can import torch (a GPU pod), its packages are
made visible in the environment and win: nothing of theirs is replaced, moved or upgraded, and the versions in
constraints.txt are not applied. Otherwise the pinned torch is installed first and everything else to the
versions that were tested together.
"""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

TORCH = "torch==2.13.0"
ROOT = Path(__file__).resolve().parents[1]


def commands(environment: Path, extras: str = "test", torch_at: Path | None = None) -> list[list[str]]:
    """The commands that make the environment, in order; `torch_at` is where the pod's torch lives, if it has one."""
    python = str(environment / "bin" / "python")
    project = f"{ROOT}[{extras}]"
    if torch_at:
        return [
            [sys.executable, "-m", "venv", "--system-site-packages", str(environment)],
            [python, __file__, "--see", str(torch_at)],
            [python, "-m", "pip", "install", "--quiet", "--editable", project],
        ]
    return [
        [sys.executable, "-m", "venv", str(environment)],
        [python, "-m", "pip", "install", "--quiet", TORCH],
        [
            python,
            "-m",
            "pip",
            "install",
            "--quiet",
            "--editable",
            project,
            "--constraint",
            str(ROOT / "constraints.txt"),
        ],
    ]


def see(packages: Path) -> None:
    """Let this environment import from another site-packages folder, after its own.

    `--system-site-packages` shows the base interpreter's packages only; a pod's torch often lives in a virtual or
    conda environment of its own.
    """
    if find_spec("torch") is None:
        own = Path(sys.prefix) / "lib" / f"python{sys.version_info.major}.{sys.version_info.minor}" / "site-packages"
        (own / "packages_of_the_pod.pth").write_text(f"{packages}\n")


def torch_folder() -> Path | None:
    """The folder that holds the torch which this interpreter would import, or None."""
    spec = find_spec("torch")
    return Path(spec.origin).parents[1] if spec and spec.origin else None


def main(arguments: list[str]) -> int:
    if arguments[:1] == ["--see"]:
        see(Path(arguments[1]))
        return 0
    environment = Path(arguments[0] if arguments else ROOT / ".venv")
    found = torch_folder()
    print(f"using the torch in {found}" if found else f"installing {TORCH} and the tested versions", flush=True)
    for command in commands(environment, torch_at=found):
        status = subprocess.run(command, cwd=ROOT).returncode
        if status:
            print(f"error: {' '.join(command)} failed; see above, then run make setup again", file=sys.stderr)
            return 1
    (environment / ".done").touch()
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
