"""A question to a mount: a function of this package, run in a child that may never come back.

stat = Question(ask_stat)
answer = stat.ask("/workspace", deadline_s=5, path="/workspace")
answer.outcome                            # answered, refused or silent: silent is never "missing"
"""

from __future__ import annotations

import contextlib
import inspect
import json
import os
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .evidence.probe import Outcome
from .hangproof import Finished, process_name, run, waiting_on
from .mounttable import mount_of, read_mount_table

Progress = Callable[[dict[str, Any]], None]


@dataclass(frozen=True, slots=True)
class Answer:
    """What a question came back with.

    `values` is what the question returned, `error` the errno's name when refused, `progress` the last thing
    that the child said it was about to do: of a silent child that is where it hangs.
    """

    outcome: Outcome
    elapsed_s: float
    values: Mapping[str, Any] = field(default_factory=dict)
    error: str | None = None
    text: str = ""
    progress: Mapping[str, Any] = field(default_factory=dict)


def interpreter(mount: str) -> str:
    """A Python that does not live on the mount in question, where there is one."""
    mine = str(Path("/proc/self/exe").readlink())
    table = read_mount_table()
    healthy = (
        path for path in (mine, "/usr/bin/python3", "/usr/local/bin/python3") if mount_of(path, table).mount != mount
    )
    return next((path for path in healthy if path == mine or os.access(path, os.X_OK)), mine)


_CHILD = """from __future__ import annotations
import errno, json, os, sys
with open("/proc/self/comm", "w") as comm:
    comm.write(sys.argv[1])
def say(**progress):
    os.write(1, json.dumps({{"progress": progress}}).encode() + b"\\n")
def end(**said):
    os.write(1, json.dumps(said).encode() + b"\\n")
    os._exit(0)
{source}
try:
    answer = {name}(say, **json.loads(sys.argv[2]))
except OSError as error:
    end(refused=errno.errorcode.get(error.errno, str(error.errno)), text=str(error))
except BaseException as error:
    end(refused=type(error).__name__, text=str(error))
end(answer=answer)
"""


class Question:
    """A function that is run in a child: self-contained, standard library only (unless `site`), JSON out.

    The function's first argument is `say`, a function that announces progress; `uses` are functions that it
    calls. Their source is read now, so that asking touches no file of this package.
    """

    def __init__(self, function: Callable[..., Any], *, uses: Sequence[Callable[..., Any]] = (), site: bool = False):
        self.name = function.__name__
        source = "\n".join(inspect.getsource(each) for each in (*uses, function))
        self.program = _CHILD.format(source=source, name=self.name)
        self.site = site

    def __repr__(self) -> str:
        return f"<Question {self.name}>"

    def command(self, mount: str, **arguments: Any) -> list[str]:
        """The command line of the child."""
        python = [sys.executable, "-I"] if self.site else [interpreter(mount), "-I", "-S"]
        return [*python, "-c", self.program, process_name(mount), json.dumps(arguments)]

    def ask(
        self,
        mount: str,
        deadline_s: float,
        *,
        cancel: threading.Event | None = None,
        on_progress: Progress | None = None,
        **arguments: Any,
    ) -> Answer:
        """Ask about a mount; back within `deadline_s` plus a second. Raises Cancelled."""
        said: dict[str, Any] = {}

        def hear(line: bytes) -> None:
            with contextlib.suppress(ValueError):
                said.update(json.loads(line))
                if on_progress and b'"progress"' in line[:12]:
                    on_progress(said["progress"])

        done = run(
            self.command(mount, **arguments), mount=mount, deadline_s=deadline_s, about=self.name,
            cancel=cancel, on_line=hear,
        )  # fmt: skip
        return _answer(done, said, mount, deadline_s)


def _answer(done: Finished, said: dict[str, Any], mount: str, deadline_s: float) -> Answer:
    progress = said.get("progress", {})
    if "answer" in said:
        return Answer(Outcome.ANSWERED, done.elapsed_s, said["answer"] or {}, progress=progress)
    if "refused" in said:
        doing = f"{progress['at']}: " if "at" in progress else ""
        return Answer(Outcome.REFUSED, done.elapsed_s, {}, said["refused"], doing + said["text"], progress)
    if not done.asked:
        text = f"not asked: {waiting_on(mount)} earlier questions about {mount} still wait and cannot be ended"
        return Answer(Outcome.SILENT, 0.0, text=text)
    if done.status is None:
        doing = f", in {progress['at']}" if "at" in progress else ""
        return Answer(
            Outcome.SILENT, done.elapsed_s, text=f"no answer in {round(deadline_s, 1):g} s{doing}", progress=progress
        )
    text = done.errors.decode(errors="replace").strip().rpartition("\n")[2]
    return Answer(Outcome.REFUSED, done.elapsed_s, {}, f"status {done.status}", text or "the child died", progress)
