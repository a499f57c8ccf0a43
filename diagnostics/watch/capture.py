"""A capture: what the pod can tell at the moment of a stall, and the diagnosis beside it."""

from __future__ import annotations

import json
import re
import shutil
import sys
from datetime import UTC, datetime
from pathlib import Path

from ..collect import collect
from ..collectors import Scope
from ..durable import write_durably
from ..errors import DiagnosticsError
from ..masking import mask
from ..printable import visible

CAPTURE = re.compile(r"capture-\d{3}-\d{6}(?:\.diagnosis\.(?:json|txt))?")


def capture(folder: Path, scope: Scope, run: str, reason: str, seen: str = "", status: int | None = None) -> None:
    """Collect into a folder and diagnose; whatever goes wrong is said and does not end the watch.

    `run` is the line that says when which command began, `reason` why this is captured, `seen` the silence in the
    words of any watchdog, `status` how the run ended.
    """
    now = datetime.now(UTC)
    say(f"{reason}: collecting into {folder}")
    try:
        collect(folder, scope)
        note = f"{run}\n{now:%FT%T+00:00} watch: pid {scope.pids[0]}: {reason}\n"
        note += f"{now:%FT%T+00:00} watchdog: pid={scope.pids[0]} {seen}\n" if seen else ""
        (folder / "watch.txt").write_text(mask(note), encoding="utf-8")
        if status is not None:
            line = f"{now:%FT%T+00:00} watch: trainer exited with status {status}\n"
            (folder / "exit_status.txt").write_text(line, encoding="utf-8")
        say(_diagnose(folder))
    except DiagnosticsError as error:
        say(str(error))
    except Exception as error:  # a capture that fails must not take the watch down with it
        say(f"the capture failed: {type(error).__name__}: {error}")


def _diagnose(folder: Path) -> str:
    """Write the diagnosis beside the folder; returns the verdict in one line."""
    from ..diagnosis import diagnose
    from ..explanation import explain, format_explanation
    from ..incident import open_incident
    from ..report import diagnosis_as_json

    diagnosis = diagnose(open_incident(folder))
    text = visible(f"{diagnosis.headline}\n\n{format_explanation(explain(diagnosis))}")
    write_durably(_beside(folder, "txt"), text.encode())
    printed = json.dumps(diagnosis_as_json(diagnosis), indent=1, ensure_ascii=False)
    write_durably(_beside(folder, "json"), printed.encode())
    return f"diagnosis: {diagnosis.headline}; read {_beside(folder, 'txt')}"


def _beside(folder: Path, ending: str) -> Path:
    return folder.with_name(f"{folder.name}.diagnosis.{ending}")


def load() -> None:
    """Import all that a capture needs, by diagnosing an incident of nothing."""
    from ..collectors import all_collectors
    from ..diagnosis import diagnose
    from ..explanation import explain, format_explanation
    from ..incident import Incident
    from ..parsers import all_parsers
    from ..probes import all_probes
    from ..report import diagnosis_as_json

    all_collectors(), all_probes(), all_parsers()
    nothing = diagnose(Incident("", (), ()))
    format_explanation(explain(nothing))
    diagnosis_as_json(nothing)


def forget(out: Path, keep: int) -> None:
    """Keep the last captures; only folders and files of our own names go."""
    names = sorted({path.name.split(".")[0] for path in out.iterdir() if CAPTURE.fullmatch(path.name)})
    for name in names[:-keep] if keep else ():
        shutil.rmtree(out / name, ignore_errors=True)
        for ending in ("json", "txt"):
            _beside(out / name, ending).unlink(missing_ok=True)


def say(text: str) -> None:
    """One line on standard error."""
    print(visible(f"{datetime.now():%T} [diagnostics watch] {text}"), file=sys.stderr, flush=True)
