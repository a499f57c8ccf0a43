"""How long do many small files take? Code and caches on a network volume pay for each open and stat.

300 files of 2 KiB are created, then looked up, opened and read as an `import` of a big package does.
"""

from __future__ import annotations

import os
from typing import Any

from ..question import Question
from ._child import spread
from ._probe import Probe, Rung


def ask_small_files(say: Any, folder: str, stage: str, files: int, seconds: float) -> dict[str, float]:
    import time

    begin = time.perf_counter()
    paths = [os.path.join(stage, f"module_{number}.py") for number in range(files)]
    created, read = [], []
    for number, path in enumerate(paths):
        if number % 50 == 0:
            say(at="create", done=number)
        start = time.perf_counter()
        if start - begin > seconds / 2:
            paths = paths[:number]
            break
        with open(path, "xb") as file:
            file.write(b"#" * 2048)
        created.append(time.perf_counter() - start)
    for number, path in enumerate(paths):
        if number % 50 == 0:
            say(at="import", done=number)
        start = time.perf_counter()
        if start - begin > seconds:
            break
        for absent in (path + "c", path + ".so"):
            os.path.exists(absent)
        with open(path, "rb") as file:
            os.fstat(file.fileno())
            file.read()
        read.append(time.perf_counter() - start)
    for path in paths:
        os.unlink(path)
    return {
        "files": len(paths),
        "create_s": sum(created),
        "import_s": sum(read),
        **{f"import_{name}": value for name, value in spread(read).items()},
    }


def rungs(plan: object) -> list[Rung]:
    return [{"files": 300, "written": 300 * 4096}]


PROBE = Probe(
    "how long do small files take",
    Question(ask_small_files, uses=(spread,)),
    deadline_s=20,
    order=43,
    rungs=rungs,
    paced=True,
)
