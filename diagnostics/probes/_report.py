"""What a session of probes came back with."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from ..evidence import Clock, Severity, Source, Stamp, Subject
from ..evidence.probe import Outcome, ProbeAnswer
from ..hangproof import LeftBehind
from ..mounttable import MountPoint
from ..question import Answer

# errors of a volume that is ill, as against one that says no to us
ILL = frozenset("EIO ENXIO ENOTCONN ESTALE EROFS ECONNABORTED ETIMEDOUT EHOSTDOWN ESHUTDOWN ENOSPC EDQUOT".split())


@dataclass(frozen=True)
class Skipped:
    """A question that was not asked, and why."""

    mount: str
    probe: str
    reason: str


@dataclass
class ProbeReport:
    """Every answer in the order asked, and everything that is not as it was before.

    `left_behind` are children that nothing could end; `uncleaned` are folders that could not be removed (the
    next run does); `planned` is what would be asked, with the bytes it may write, also after a dry run.
    """

    answers: list[ProbeAnswer] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    left_behind: list[LeftBehind] = field(default_factory=list)
    uncleaned: list[str] = field(default_factory=list)
    planned: list[tuple[str, str, int]] = field(default_factory=list)
    cancelled: bool = False

    @property
    def worst(self) -> Severity:
        """The worst severity among the answers."""
        order = list(Severity)
        return max((answer.severity for answer in self.answers), key=order.index, default=Severity.INFO)

    @property
    def summary(self) -> str:
        """In one line: how many answered, and which ones are a sign of illness."""
        ill = dict.fromkeys(each.probe for each in self.answers if each.severity is Severity.CRITICAL)
        answered = sum(each.outcome is Outcome.ANSWERED for each in self.answers)
        told = f"{answered} of {len(self.answers)} questions answered"
        return f"{told}; ill: {', '.join(ill)}" if ill else f"{told}; none is a sign of an ill volume"

    def json_lines(self) -> str:
        """The answers as `probe.jsonl`, which `diagnose` reads."""
        return "".join(answer.source.quote + "\n" for answer in self.answers)

    def __repr__(self) -> str:
        lines = [format_answer(answer) for answer in self.answers]
        lines += [f"{'not asked':9} {each.probe:18} {each.mount}: {each.reason}" for each in self.skipped]
        lines += [f"left behind: pid {each.pid} ({each.about}) waits for {each.mount}" for each in self.left_behind]
        lines += [f"not removed: {path} (the next run removes it)" for path in self.uncleaned]
        if self.cancelled:
            lines.append("cancelled")
        elif self.answers:
            lines.append(self.summary)
        return "\n".join(lines) or "nothing was asked"


def probe_answer(
    probe: str, mount: MountPoint, folder: str, answer: Answer, control: Mapping[str, float]
) -> ProbeAnswer:
    """An answer as evidence; its source's quote is its line of `probe.jsonl`."""
    now = datetime.now(UTC)
    path = str(answer.progress.get("path") or folder)
    found = {
        "probe": probe, "mount": mount.mount, "path": path, "server": mount.server, "device": mount.source,
        "outcome": answer.outcome.value, "elapsed_s": round(answer.elapsed_s, 4), "error": answer.error,
        "text": answer.text, "at": now.isoformat(timespec="milliseconds"),
        "values": numbers(answer.values), "control": numbers(control),
    }  # fmt: skip
    return answer_from_json(found, Source("probe.jsonl", 0, json.dumps(found)))


def numbers(values: Mapping[str, Any]) -> dict[str, float]:
    """The values that are numbers, at six decimals."""
    return {name: round(value, 6) for name, value in values.items() if isinstance(value, (int, float))}


def answer_from_json(row: Mapping[str, Any], source: Source) -> ProbeAnswer:
    """The evidence in one line of `probe.jsonl`; raises ValueError, KeyError or TypeError when it is none."""
    outcome, values = Outcome(row["outcome"]), numbers(row.get("values") or {})
    at = datetime.fromisoformat(row["at"]) if row.get("at") else None
    return ProbeAnswer(
        source=source,
        subject=Subject(
            mount=_text(row.get("mount")), path=_text(row.get("path")),
            server=_text(row.get("server")), device=_text(row.get("device")),
        ),
        stamp=Stamp(Clock.UTC, at.timestamp()) if at and at.tzinfo else None,
        severity=_severity(outcome, _text(row.get("error")), values),
        probe=str(row["probe"]),
        outcome=outcome,
        elapsed_s=float(row["elapsed_s"]),
        error=_text(row.get("error")),
        text=str(row.get("text") or ""),
        values=values,
        control=numbers(row.get("control") or {}),
    )  # fmt: skip


def _text(value: object) -> str | None:
    return str(value) if value else None


def _severity(outcome: Outcome, error: str | None, values: Mapping[str, float]) -> Severity:
    if outcome is Outcome.SILENT or error in ILL:
        return Severity.CRITICAL
    if any(values.get(name) for name in ("different_bytes", "different_tensors", "torn", "missing")):
        return Severity.CRITICAL
    if values.get("zero"):
        return Severity.WARNING
    return Severity.INFO


def format_answer(answer: ProbeAnswer) -> str:
    """One line for people: the outcome first, then the numbers beside those of the local disk."""
    said = answer.text if answer.outcome is not Outcome.ANSWERED else _format_values(answer)
    error = f"{answer.error}: " if answer.error else ""
    return (
        f"{answer.outcome.value:9} {answer.probe:18} {answer.subject.mount or ''} {answer.elapsed_s:6.2f} s  "
        f"{error}{said}"
    )


def _format_values(answer: ProbeAnswer) -> str:
    shown = []
    for name, value in answer.values.items():
        beside = answer.control.get(name)
        if name == "first_difference" and value < 0:
            continue
        label = name.replace("bytes_per_s", "speed").removesuffix("_bytes").removesuffix("_s")
        text = f"{label} {_format(name, value)}"
        shown.append(text if beside is None or beside == value else f"{text} (local {_format(name, beside)})")
    return ", ".join(shown[:12])


def _bytes(value: float) -> str:
    for unit, size in (("TiB", 1 << 40), ("GiB", 1 << 30), ("MiB", 1 << 20)):
        if value >= size:
            return f"{value / size:,.1f} {unit}"
    return f"{value:,.0f} B"


def _format(name: str, value: float) -> str:
    if name.endswith("bytes_per_s"):
        return f"{value / 1e6:,.0f} MB/s"
    if name.endswith("_bytes"):
        return _bytes(value)
    if name == "modified_s":
        return f"{datetime.fromtimestamp(value, UTC):%F %T}Z" if abs(value) < 1e11 else f"{value:g} s"
    if name.endswith("_s"):
        return f"{value * 1e3:.3g} ms" if abs(value) < 1 else f"{value:.3g} s"
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:.4g}"
