"""An incident stays what it was, however its files were written down: the verdict of a capture may not change.

Prefixes that launchers and `ts` put before every line, a log that was rotated, a second machine beside the first.
"""

from __future__ import annotations

import re
import tarfile
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest

from diagnostics.diagnosis import diagnose
from diagnostics.incident import open_incident

TESTS = Path(__file__).parent
CAPTURES = {
    name: (TESTS.parent / "sample_logs" if name in ("healthy", "watchdog_too_short") else TESTS / "captures") / name
    for name in ("healthy", "watchdog_too_short", "too_many_files", "only_a_silent_end")
}
Files = dict[str, bytes]
LOGS = ("train.log", "watchdog.log")
DATE = re.compile(rb"(20\d\d-\d\d-\d\d) (\d\d:\d\d:\d\d)")


def files_of(name: str) -> Files:
    """The artefacts of a capture by their names."""
    return {path.name: path.read_bytes() for path in CAPTURES[name].iterdir() if path.name != "README.md"}


def stamped(files: Files) -> Files:
    """As `trainer 2>&1 | ts` writes a log: Nov 29 12:45:11 line"""
    done = dict(files)
    for name in set(LOGS) & set(files):
        lines, now = [], "Nov 29 12:40:00"
        for line in files[name].splitlines():
            if found := DATE.match(line):
                now = datetime.fromisoformat(found[0].decode()).strftime("%b %d %H:%M:%S")
            lines.append(f"{now} ".encode() + line)
        done[name] = b"\n".join(lines) + b"\n"
    return done


def prefixed(prefix: bytes) -> Callable[[Files], Files]:
    """Every line of every log behind the same prefix."""
    return lambda files: {
        name: b"".join(prefix + line for line in data.splitlines(True)) if name in LOGS else data
        for name, data in files.items()
    }


def rotated(files: Files) -> Files:
    """The first half of the log in train.log.1."""
    lines = files["train.log"].splitlines(True)
    half = len(lines) // 2
    return files | {"train.log.1": b"".join(lines[:half]), "train.log": b"".join(lines[half:])}


def beside_a_healthy_one(files: Files) -> Files:
    """A second machine, on which a run went well."""
    other = {f"nodeB/{name}": data for name, data in files_of("healthy").items()}
    return {f"nodeA/{name}": data for name, data in files.items()} | other


@pytest.mark.parametrize(
    ("name", "way", "verdict"),
    [
        ("too_many_files", stamped, "root-cause open-file-limit"),
        ("healthy", prefixed(b"0: "), "healthy"),
        ("healthy", rotated, "healthy"),
        ("watchdog_too_short", prefixed(b"trainer-1  | "), "root-cause watchdog-too-short"),
        ("watchdog_too_short", beside_a_healthy_one, "root-cause watchdog-too-short"),
        ("only_a_silent_end", beside_a_healthy_one, "insufficient"),
    ],
)
def test_the_verdict_stays(name: str, way: Callable[[Files], Files], verdict: str, tmp_path: Path) -> None:
    for file, data in way(files_of(name)).items():
        path = tmp_path / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    diagnosis = diagnose(open_incident(tmp_path))
    assert [diagnosis.verdict.value, *(each.slug for each in diagnosis.answer)] == verdict.split()


def test_an_archive_is_read_in_the_order_of_its_folder(tmp_path: Path) -> None:
    names = ["ps.txt", "b/ps.txt", "a/z.txt", "a/c/ps.txt", "ps_again.txt"]
    for name in names:
        path = tmp_path / "incident" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("  PID  PPID STAT     ELAPSED     TIME   RSS COMMAND\n 4711     1 S  00:10 00:01 100 python\n")
    with tarfile.open(tmp_path / "incident.tar", "w") as archive:
        for name in names:
            archive.add(tmp_path / "incident" / name, name)
    plain, packed = open_incident(tmp_path / "incident"), open_incident(tmp_path / "incident.tar")
    assert [fact.source.file for fact in packed.evidence] == [fact.source.file for fact in plain.evidence]
    assert len(plain.evidence) == len(names)
