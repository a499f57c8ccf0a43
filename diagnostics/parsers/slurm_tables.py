"""Slurm's tables: squeue and sacct, by their header, in columns or with `--parsable`.

    JobID           JobName      State ExitCode    Elapsed     MaxRSS        NodeList
    7110              train    TIMEOUT      0:0   12:00:12                    n[01-02]

                 JOBID PARTITION     NAME     USER ST       TIME  NODES NODELIST(REASON)
                  4410    normal     task    u1001  R 2-16:44:51      1 node01

A job that runs or has completed is kept too (info): that it does is an answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ..evidence import Evidence, Severity, Source, Subject
from ..evidence.supervisor import SchedulerEvent
from ..text import Line, Text
from . import Parser

HEADER = re.compile(r"^\s*JobID(?:Raw)?[\s|]|^\s*JOBID[\s|]|^\s*JOBID$")
RULE = re.compile(r"^[- ]{10,}$")
STATES = (
    ("oom-killed", Severity.CRITICAL, ("OUT_OF_ME", "OOM")),
    ("time-limit", Severity.CRITICAL, ("TIMEOUT", "TO", "DEADLINE", "DL")),
    ("preempted", Severity.CRITICAL, ("PREEMPTED", "PR")),
    ("node-failed", Severity.CRITICAL, ("NODE_FAIL", "NF", "BOOT_FAIL", "BF")),
    ("cancelled", Severity.WARNING, ("CANCELLED", "CA", "REVOKED", "RV")),
    ("failed", Severity.CRITICAL, ("FAILED", "F")),
    ("pending", Severity.INFO, ("PENDING", "PD", "CONFIGURI", "CF", "REQUEUED", "RQ", "RESIZING")),
    ("suspended", Severity.WARNING, ("SUSPENDED", "S")),
    ("completed", Severity.INFO, ("COMPLETED", "CD", "COMPLETING", "CG")),
    ("other", Severity.INFO, ("RUNNING", "R", "STOPPED", "ST")),
)
# 88120_4.batch   train  TIMEOUT  0:0     what `sacct -n`, or a filter, leaves of a table
HEADLESS = re.compile(
    r"^\s{0,8}(\d{5,12}(?:_\d{1,6})?(?:\.[\w+]{1,12})?)\s+(?:\S{1,40}\s+){0,6}?"
    r"(TIMEOUT|PREEMPTED|OUT_OF_ME\w{0,4}\+?|NODE_FAIL)(?:\s+(\d{1,3}:\d{1,3})(?:\s|$)|\s{2,}\S|\s{0,8}$)"
)
EXIT = re.compile(r"^(\d{1,3}):(\d{1,3})$")


def read(text: Text) -> Iterator[Evidence]:
    columns: list[tuple[str, int, int]] | None = None
    separator: str | None = None
    for line in text.lines():
        said = line.text[:2000]
        if HEADER.match(said):
            separator = "|" if "|" in said else None
            columns = [(name[0].strip().lower(), name.start(), name.end()) for name in re.finditer(r"[^|\s]+", said)]
        elif columns and said.strip() and not RULE.match(said):
            cells = said.split(separator) if separator else None
            row = (
                {name: cell.strip() for (name, _, _), cell in zip(columns, cells, strict=False)}
                if cells
                else _row(said, columns)
            )
            if (fact := _fact(text, line, row)) is not None:
                yield fact
        elif not RULE.match(said):
            columns = None
        if columns is None and (found := HEADLESS.match(said)):
            row = {"jobid": found[1], "state": found[2], "exitcode": found[3] or ""}
            if (fact := _fact(text, line, row)) is not None:
                yield fact


def _row(said: str, columns: list[tuple[str, int, int]]) -> dict[str, str]:
    """Cells belong to the heading they overlap: sacct and squeue pad on both sides and leave cells empty."""
    row: dict[str, str] = {}
    for cell in re.finditer(r"\S+", said):
        nearest = min(columns, key=lambda column: max(column[1] - cell.end() + 1, cell.start() - column[2] + 1, 0))
        row[nearest[0]] = f"{row[nearest[0]]} {cell[0]}" if nearest[0] in row else cell[0]
    return row


def _fact(text: Text, line: Line, row: dict[str, str]) -> SchedulerEvent | None:
    job = row.get("jobid") or row.get("jobidraw")
    state = (row.get("state") or row.get("st") or "").split(" ")[0].rstrip("+")
    found = next(((about, bad) for about, bad, names in STATES if any(_is(state, name) for name in names)), None)
    if not job or not job[0].isdigit() or not found:
        return None
    known: dict[str, Any] = {"job": job}
    if host := row.get("nodelist") or row.get("nodelist(reason)"):
        known["host"] = None if host.startswith("(") else host
    code = EXIT.match(row.get("exitcode", ""))
    return SchedulerEvent(
        source=Source(text.name, line.number, line.quote),
        subject=Subject(**known),
        severity=found[1],
        system="slurm",
        about=found[0],
        text=" ".join(line.text.split()),
        exit_code=int(code[1]) if code else None,
        signal=int(code[2]) if code and code[2] != "0" else None,
    )


def _is(state: str, name: str) -> bool:
    return state == name or (len(name) > 2 and state.startswith(name[:9]))


PARSER = Parser(
    tool="squeue, sacct",
    medium="scheduler",
    footprint=r"^\s*JobID(Raw)?[ |].*(State|ExitCode)|^\s*JOBID[ |].*\b(ST|STATE)\b|" + HEADLESS.pattern,
    read=read,
)
