"""`fio --output-format=json`.

    {"fio version": "fio-3.33", "global options": {"directory": "/mnt/ckpt"},
     "jobs": [{"jobname": "ckpt", "error": 0, "write": {"bw": 10290, "iops": 10.04, "clat_ns": {...}}}]}

One fact a job: bandwidth in bytes per second, the latencies of completion in seconds. An error number of a job
is a fact of its own.
"""

from __future__ import annotations

import errno
import json
import re
from collections.abc import Iterator
from typing import Any

from ..evidence import Clock, Evidence, Severity, Stamp, Subject
from ..evidence.storage import IoStatistics, ToolError
from ..text import Line, Text
from . import Parser
from ._snapshot import source

JOB = re.compile(r'"jobname"\s*:')
DIRECTIONS = ("read", "write", "trim")


def read(text: Text) -> Iterator[Evidence]:
    report = report_in(text.plain)
    if report is None:
        return
    lines = [line for line in text.lines() if JOB.search(line.text)]
    first = next(text.lines(), Line(1, "", ""))
    seconds = report.get("timestamp")
    stamp = Stamp(Clock.UTC, float(seconds)) if isinstance(seconds, int) and 0 < seconds < 1 << 40 else None
    shared = mapping(report.get("global options"))
    jobs = report["jobs"]
    for number, job in enumerate(jobs):
        if isinstance(job, dict):
            line = lines[number] if len(lines) == len(jobs) else first
            yield from told(text, line, job, {**shared, **mapping(job.get("job options"))}, stamp)


def report_in(content: str) -> dict[str, Any] | None:
    """The report; fio may print warnings before it."""
    try:
        report = json.loads(content[content.index("{") :].strip())
    except (ValueError, RecursionError):
        return None
    return report if isinstance(report, dict) and isinstance(report.get("jobs"), list) else None


def told(
    text: Text, line: Line, job: dict[str, Any], options: dict[str, Any], stamp: Stamp | None
) -> Iterator[Evidence]:
    place = options.get("directory") or options.get("filename")
    subject = Subject(path=place if isinstance(place, str) and place.startswith("/") else None)
    code = job.get("error")
    if isinstance(code, int) and code:
        yield ToolError(
            source=source(text, line),
            subject=subject,
            stamp=stamp,
            severity=Severity.CRITICAL,
            tool="fio",
            error=errno.errorcode.get(code),
            text=f"job {job.get('jobname')} ended with error {code}",
        )
    values: dict[str, float] = {}
    for direction in DIRECTIONS:
        part = mapping(job.get(direction))
        if number(part.get("io_bytes")) or number(part.get("total_ios")):
            values |= rates(direction, part)
    if values:
        yield IoStatistics(source=source(text, line), subject=subject, stamp=stamp, values=values)


def rates(direction: str, part: dict[str, Any]) -> dict[str, float]:
    """One direction's numbers with their units in the names."""
    latency = mapping(part.get("clat_ns")) or mapping(part.get("lat_ns"))
    percentiles = mapping(latency.get("percentile"))
    found = {
        f"{direction}_bytes_per_s": number(part.get("bw")) * 1024,
        f"{direction}_iops": number(part.get("iops")),
        f"{direction}_latency_mean_s": number(latency.get("mean")) / 1e9,
        f"{direction}_latency_max_s": number(latency.get("max")) / 1e9,
        f"{direction}_latency_p50_s": number(percentiles.get("50.000000")) / 1e9,
        f"{direction}_latency_p99_s": number(percentiles.get("99.000000")) / 1e9,
    }
    return {name: value for name, value in found.items() if value}


def mapping(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def number(value: object) -> float:
    return (
        float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < 1e300 else 0.0
    )


PARSER = Parser(tool="fio", medium="io-statistics", footprint=r'"fio version"[ \t]*:', read=read)
