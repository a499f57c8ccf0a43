"""The one marked folder in which probes write: made, removed, and swept up after a run that was killed.

Its name says whose it is: `.diagnostics-probe-HOST-PID-STARTED`. Only a folder of that name, with our mark in
it, whose process is gone, is ever removed; one of another host only after a day, and never when its age is
unknown (a modification time of 0).
"""

from __future__ import annotations

import os
import zlib
from typing import Any

from ..question import Question

MARK = ".diagnostics-probe"
ASK_S = 5.0


def stage_name() -> str:
    """The name of this process's folder."""
    with open("/proc/self/stat", encoding="latin-1") as stat:
        started = stat.read().rpartition(")")[2].split()[19]
    host = zlib.crc32(os.uname().nodename.encode())
    return f"{MARK}-{host:08x}-{os.getpid()}-{started}"


def locate(say: Any, folder: str) -> dict[str, str]:
    """The folder without symbolic links; refused when it is none."""
    say(at="stat", path=folder)
    if not os.path.isdir(folder):
        os.listdir(folder)  # raises what is wrong with it
    return {"folder": os.path.realpath(folder)}


def make_stage(say: Any, stage: str, mark: str) -> None:
    say(at="mkdir", path=stage)
    os.mkdir(stage, 0o700)
    with open(os.path.join(stage, mark), "x") as file:
        file.write("made by `diagnostics probe`; it may be deleted\n")


def remove_stage(say: Any, stage: str) -> None:
    import shutil

    say(at="rmdir", path=stage)
    if os.path.lexists(stage):
        shutil.rmtree(stage)


def sweep(say: Any, folder: str, mark: str, host: str, seconds: float = 3.0) -> dict[str, list[str]]:
    """Remove what earlier runs left; returns what was removed and what was left because it may be in use."""
    import re
    import shutil
    import time

    removed: list[str] = []
    left: list[str] = []
    end = time.monotonic() + seconds
    pattern = re.compile(re.escape(mark) + r"-([0-9a-f]{8})-(\d+)-(\d+)")
    for entry in os.scandir(folder):
        if time.monotonic() > end:  # a folder of millions of names is no reason to call a volume silent
            break
        name = pattern.fullmatch(entry.name)
        if not name or not entry.is_dir(follow_symlinks=False):
            continue
        if name[1] == host:
            try:
                with open(f"/proc/{name[2]}/stat", encoding="latin-1") as stat:
                    old = stat.read().rpartition(")")[2].split()[19] != name[3]
            except OSError:
                old = True
        else:
            modified = entry.stat(follow_symlinks=False).st_mtime
            old = 0 < modified < time.time() - 86400
        if old and set(os.listdir(entry.path)) and mark not in os.listdir(entry.path):
            old = False
        if old:
            say(at="rmdir", path=entry.path)
            shutil.rmtree(entry.path)
        (removed if old else left).append(entry.path)
    return {"removed": removed, "left": left}


LOCATE, MAKE, REMOVE, SWEEP = (Question(each) for each in (locate, make_stage, remove_stage, sweep))
