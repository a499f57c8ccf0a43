"""What an audit found, as text, JSON and SARIF 2.1.0 (https://docs.oasis-open.org/sarif/sarif/v2.1.0/)."""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from ... import __version__
from ..health import printable
from .rules import ROWS, RULES, Rule

FAILING = ("error", "warning")
SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


@dataclass(frozen=True, order=True)
class AuditFinding:
    """One line that breaks one rule. `about` names what it is done to."""

    file: str
    line: int
    slug: str
    about: str
    quote: str
    suppressed: str = ""

    @property
    def rule(self) -> Rule:
        return RULES[self.slug]

    def as_json(self) -> dict[str, Any]:
        rule = self.rule
        return {
            "file": self.file,
            "line": self.line,
            "rule": self.slug,
            "level": rule.level,
            "message": f"{self.about}: {rule.title}",
            "why": rule.why,
            "instead": rule.instead,
            "quote": self.quote,
            "suppressed": self.suppressed or None,
        }

    def __str__(self) -> str:
        rule = self.rule
        head = f"{printable(self.file)}:{self.line}: {rule.level} [{self.slug}] {printable(self.about)}: {rule.title}"
        return f"{head}\n    {printable(self.quote)}\n    why: {rule.why}\n    instead: {rule.instead}"


@dataclass(frozen=True)
class AuditReport:
    """All findings, and what could not be read."""

    findings: tuple[AuditFinding, ...]
    read: int
    unread: tuple[tuple[str, str], ...] = ()

    def __iter__(self) -> Iterator[AuditFinding]:
        return iter(self.open)

    @property
    def open(self) -> tuple[AuditFinding, ...]:
        """Those that nobody has suppressed with a reason."""
        return tuple(each for each in self.findings if not each.suppressed)

    @property
    def failing(self) -> tuple[AuditFinding, ...]:
        return tuple(each for each in self.open if each.rule.level in FAILING)

    def as_json(self) -> dict[str, Any]:
        return {
            "schema": "audit/1",
            "read": self.read,
            "unread": [{"file": file, "because": because} for file, because in self.unread],
            "findings": [each.as_json() for each in self.findings],
        }

    def as_sarif(self) -> dict[str, Any]:
        driver = {
            "name": "diagnostics audit",
            "version": __version__,
            "rules": [
                {
                    "id": rule.slug,
                    "shortDescription": {"text": rule.title},
                    "fullDescription": {"text": rule.why},
                    "help": {"text": rule.instead},
                    "defaultConfiguration": {"level": rule.level},
                }
                for rule in ROWS
            ],
        }
        results = [_sarif_result(each) for each in self.findings]
        return {"$schema": SARIF_SCHEMA, "version": "2.1.0", "runs": [{"tool": {"driver": driver}, "results": results}]}

    def __str__(self) -> str:
        lines = [str(each) for each in self.open]
        lines += [f"{printable(file)}: not read: {printable(because)}" for file, because in self.unread]
        return "\n".join([*lines, self.summary])

    @property
    def summary(self) -> str:
        counts = Counter(each.slug for each in self.open)
        held = len(self.findings) - len(self.open)
        what = ", ".join(f"{count} {slug}" for slug, count in counts.most_common()) or "nothing found"
        return f"{self.read} files read: {what}" + (f"; {held} suppressed" if held else "")

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{html.escape(printable(each.file))}:{each.line}</td><td><b>{each.slug}</b></td>"
            f"<td style='text-align:left'><code>{html.escape(printable(each.quote))}</code><br"
            f">{html.escape(each.rule.why)}"
            f"<br><i>{html.escape(each.rule.instead)}</i></td></tr>"
            for each in self.open
        )
        return f"<table><caption>{html.escape(self.summary)}</caption>{rows}</table>"


def _sarif_result(finding: AuditFinding) -> dict[str, Any]:
    rule = finding.rule
    result: dict[str, Any] = {
        "ruleId": finding.slug,
        "ruleIndex": ROWS.index(rule),
        "level": rule.level,
        "message": {"text": f"{finding.about}: {rule.title}; {rule.why}. Instead: {rule.instead}"},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": quote(finding.file, safe="/")},
                    "region": {"startLine": finding.line, "snippet": {"text": finding.quote}},
                }
            }
        ],
    }
    if finding.suppressed:
        result["suppressions"] = [{"kind": "inSource", "justification": finding.suppressed}]
    return result
