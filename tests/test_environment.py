"""environment.yml, pyproject.toml, constraints.txt, the set-up script and the README say the same."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def load_setup():  # type: ignore[no-untyped-def]
    spec = importlib.util.spec_from_file_location("project_setup", ROOT / "scripts" / "setup.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def names(requirements: list[str]) -> set[str]:
    return {re.split(r"[<>=!~\[; ]", each)[0].lower().replace("_", "-") for each in requirements}


def test_conda_gets_the_same_environment() -> None:
    environment = yaml.safe_load((ROOT / "environment.yml").read_text())
    pip = next(each["pip"] for each in environment["dependencies"] if isinstance(each, dict))
    assert pip == [load_setup().TORCH, "-c constraints.txt", "-e .[test]"]
    floor = PROJECT["requires-python"].removeprefix(">=")
    assert f"python={floor}" in environment["dependencies"]


def test_every_dependency_has_a_tested_version_and_torch_has_none() -> None:
    pinned = names((ROOT / "constraints.txt").read_text().split())
    wanted = names(PROJECT["dependencies"] + PROJECT["optional-dependencies"]["test"])
    assert wanted <= pinned, f"pin these in constraints.txt: {sorted(wanted - pinned)}"
    assert not {each for each in pinned if each == "torch" or each.startswith(("nvidia-cu", "triton"))}
    assert "torch" not in wanted


def test_readme_starts_with_the_two_commands() -> None:
    readme = (ROOT / "README.md").read_text()
    makefile = (ROOT / "Makefile").read_text()
    for target in ("sample", "test"):
        assert f"make {target}" in readme
        assert re.search(rf"^{target}:", makefile, re.MULTILINE)


def test_a_pods_torch_is_kept(tmp_path: Path) -> None:
    setup = load_setup()
    kept = setup.commands(tmp_path, torch_at=Path("/opt/pod/site-packages"))
    assert not any(word.startswith("torch") for command in kept for word in command)
    assert not any("constraint" in word for command in kept for word in command)
    fresh = setup.commands(tmp_path)
    assert fresh[1][-1] == setup.TORCH


def test_torch_of_another_environment_becomes_visible(tmp_path: Path) -> None:
    """A pod's torch that lives in a virtual environment of its own is seen, not installed again."""
    pod = tmp_path / "pod"
    (pod / "torch").mkdir(parents=True)
    (pod / "torch" / "__init__.py").write_text("__version__ = 'of the pod'\n")
    mine = tmp_path / "mine"
    script = str(ROOT / "scripts" / "setup.py")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(mine)], check=True)
    python = str(mine / "bin" / "python")
    subprocess.run([python, script, "--see", str(pod)], check=True)
    said = subprocess.run([python, "-c", "import torch; print(torch.__version__)"], capture_output=True, text=True)
    assert said.stdout.strip() == "of the pod"
