"""The command line as a stranger meets it."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

import jsonschema
import pytest

from diagnostics.cli import command_summaries, main

SAMPLES = sorted(path for path in (Path(__file__).parents[1] / "sample_logs").glob("*") if path.is_dir())


def schema(name: str) -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator(json.loads(files("diagnostics").joinpath("schemas", name).read_text()))


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.name)
def test_printed_json_follows_the_schemas(sample: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diagnose", str(sample), "--json"]) == 0
    first = capsys.readouterr().out
    schema("diagnosis.json").validate(json.loads(first))
    assert main(["diagnose", str(sample), "--json"]) == 0
    assert capsys.readouterr().out == first, "the same incident gets the same answer twice"
    assert main(["parse", str(sample), "--json"]) == 0
    facts = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    for fact in facts:
        schema("fact.json").validate(fact)
    assert facts


def test_a_loss_that_is_infinite_is_printed_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = "".join(f"2026-11-28T10:00:{n:02d}Z step {n} loss {'inf' if n > 3 else 2.0}\n" for n in range(9))
    (tmp_path / "train.log").write_text(log)
    assert main(["parse", str(tmp_path), "--json"]) == 0
    out = capsys.readouterr().out
    assert '"training_steps"' in out
    for line in out.splitlines():
        json.loads(line, parse_constant=lambda word: pytest.fail(f"{word} is no JSON"))


@pytest.mark.parametrize("form", [[], ["--json"]], ids=["words", "json"])
def test_a_diagnosis_is_written_where_no_volume_can_be_asked(
    form: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["diagnose", str(SAMPLES[0]), *form]) == 0
    made = capsys.readouterr().out
    monkeypatch.setattr("diagnostics.loop.read_mount_table", list)
    assert main(["diagnose", str(SAMPLES[0]), "--probe", *form]) == 1
    said = capsys.readouterr()
    assert said.out == made
    assert said.err.startswith("error: no volume that the diagnosis names is mounted on this machine")
    assert said.err.count("\n") == 1


@pytest.mark.parametrize("command", command_summaries())
def test_every_command_has_help_that_teaches(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([command, "--help"])
    assert ended.value.code == 0
    assert len(capsys.readouterr().out) > 200


def test_wrong_usage_is_status_2() -> None:
    for arguments in ([], ["no-such-command"], ["diagnose"]):
        with pytest.raises(SystemExit) as ended:
            main(arguments)
        assert ended.value.code == 2


def test_start_up_imports_nothing_heavy() -> None:
    heavy = "{'torch', 'pandas', 'matplotlib', 'ipywidgets', 'numpy', 'polars', 'IPython'}"
    code = f"import sys, diagnostics, diagnostics.cli; diagnostics.cli.command_summaries(); print({heavy} & set(sys.modules))"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == "set()"


def test_an_unknown_kind_is_named_with_its_likely_spelling(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["parse", str(SAMPLES[0]), "--kind", "disk_use"]) == 2
    assert "disk_usage" in capsys.readouterr().err


def test_a_missing_package_is_one_line_that_says_what_to_run(tmp_path: Path) -> None:
    """As on a fresh machine, where nobody ran make yet or the environment is not active."""
    hidden = "import sys; sys.modules['numpy'] = None; from diagnostics.cli import main; sys.exit(main(sys.argv[1:]))"
    (tmp_path / "train.log").write_text("step 1 | loss 2.0\n")
    ran = subprocess.run([sys.executable, "-c", hidden, "diagnose", str(tmp_path)], capture_output=True, text=True)
    assert ran.returncode == 1
    assert "no numpy; run `make setup`" in ran.stderr and len(ran.stderr.splitlines()) == 1


@pytest.mark.parametrize("path", ["-", "/dev/stdin"])
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_standard_input_is_an_artefact(path: str, pack: Callable[[bytes], bytes]) -> None:
    log = b"".join(b"step %d loss 2.0\n" % step for step in range(9)) + b"step 9 loss nan\n"
    command = [sys.executable, "-m", "diagnostics", "parse", path]
    ran = subprocess.run(command, input=pack(log), capture_output=True, cwd=Path(__file__).parents[1])
    assert ran.returncode == 0 and b"stdin:10 " in ran.stdout, ran.stderr


@pytest.mark.parametrize("command", command_summaries())
def test_help_needs_no_package(command: str) -> None:
    """As on a fresh machine: -S hides every installed package."""
    ran = subprocess.run(
        [sys.executable, "-S", "-m", "diagnostics", command, "--help"],
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[1],
    )
    assert ran.returncode == 0 and ran.stdout.startswith("usage: "), ran.stderr
