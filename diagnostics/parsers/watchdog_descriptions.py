"""A config file in the incident by which a person describes a watchdog of their own, in a few lines of TOML:

    [[watchdog]]
    name = "babysit"
    fired = "giving up on {pid}: silent for {age}, shooting"
    alive = "tick {pid} *"
    limit = "10 min"
    action = "kill"

`fired` and `alive` are lines as that watchdog prints them, with placeholders: {pid}, {age}, {limit}, {job} and {rank},
and * for anything. They are no regular expressions: an incident may come from anywhere, and its patterns could be
written to take for ever. The incident is looked through once more for such lines.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from typing import Any

from ..durations import DURATION, seconds
from ..evidence import Evidence, Severity, Source
from ..evidence.people import WatchdogDescription
from ..evidence.supervisor import WatchdogFired, WatchdogObservation
from ..footprint import footprint_of
from ..text import Text
from . import Parser
from ._job_lines import Message, messages

SIZE_LIMIT = 64 << 10  # bytes
STARS_LIMIT = 4
ACTIONS = ("kill", "restart", "alert", "abort")
PLACEHOLDER = re.compile(r"\{(pid|age|limit|job|rank)\}|\*")
INSIDE = {"pid": r"\d{1,9}", "rank": r"\d{1,6}", "job": r"[\w.-]{1,80}", "age": DURATION, "limit": DURATION}
HEADER = re.compile(r"^\s{0,8}\[\[watchdog\]\]")


def read(text: Text) -> Iterator[Evidence]:
    line = next(text.matching(HEADER), None)
    if line is None or len(text.data) > SIZE_LIMIT:
        return
    try:
        entries = tomllib.loads(text.plain).get("watchdog")
    except (tomllib.TOMLDecodeError, RecursionError):
        return
    for entry in entries if isinstance(entries, list) else []:
        if isinstance(entry, dict) and isinstance(entry.get("fired"), str) and entry["fired"].strip():
            yield WatchdogDescription(
                source=Source(text.name, line.number, line.quote),
                name=str(entry.get("name", "home-made"))[:80],
                fired=entry["fired"][:500],
                alive=str(entry.get("alive", ""))[:500],
                action=entry["action"] if entry.get("action") in ACTIONS else "kill",
                limit_s=seconds(str(entry.get("limit", ""))),
            )


def describes(fact: Evidence) -> Parser | None:
    return described_parser(fact) if isinstance(fact, WatchdogDescription) else None


def described_parser(description: WatchdogDescription) -> Parser:
    """A parser of the lines that a description describes."""
    fired = line_pattern(description.fired)
    alive = line_pattern(description.alive) if description.alive.strip() else None

    def read_log(text: Text) -> Iterator[Evidence]:
        for message in messages(text):
            if found := fired.search(message.text):
                yield WatchdogFired(
                    **_facts(text, message, found),
                    severity=Severity.CRITICAL,
                    watchdog="home-made",
                    action=description.action,
                    age_s=_seconds(found, "age"),
                    limit_s=_seconds(found, "limit") or description.limit_s,
                    text=message.text,
                )
            elif alive and (found := alive.search(message.text)):
                limit_s = _seconds(found, "limit") or description.limit_s
                yield WatchdogObservation(**_facts(text, message, found), age_s=_seconds(found, "age"), limit_s=limit_s)

    return Parser(
        tool=description.name,
        medium="watchdog-log",
        footprint=footprint_of(fired, *([alive] if alive else [])),
        read=read_log,
    )


def line_pattern(line: str) -> re.Pattern[str]:
    """The pattern of a described line: its text as it stands, but for the placeholders, each named once."""
    parts, at, stars, seen = [], 0, 0, set[str]()
    for found in PLACEHOLDER.finditer(line):
        parts.append(re.escape(line[at : found.start()]).replace(r"\ ", r"\s{1,8}"))
        at, name = found.end(), found[1]
        if name is None:
            stars += 1
            parts.append(".{0,200}?" if stars <= STARS_LIMIT else "")
        else:
            inside = INSIDE[name].replace("(", "(?:", 1) if INSIDE[name] is DURATION else INSIDE[name]
            parts.append(f"(?P<{name}>{inside})" if name not in seen else f"(?:{inside})")
            seen.add(name)
    return re.compile("".join([*parts, re.escape(line[at:]).replace(r"\ ", r"\s{1,8}")]))


def _facts(text: Text, message: Message, found: re.Match[str]) -> dict[str, Any]:
    said = found.groupdict()
    known = {name: int(said[name]) for name in ("pid", "rank") if said.get(name)}
    return message.facts(text, **known, **({"job": said["job"]} if said.get("job") else {}))


def _seconds(found: re.Match[str], name: str) -> float | None:
    written = found.groupdict().get(name)
    return seconds(written) if written else None


PARSER = Parser(
    tool="a description of watchdogs",
    medium="settings",
    footprint=footprint_of(HEADER),
    read=read,
    describes=describes,
)
