"""Routine lines of kernels, each as all that is known of an incident: none of them names a cause."""

from __future__ import annotations

from pathlib import Path

from diagnostics.diagnosis import diagnose
from diagnostics.hypothesis import Verdict
from diagnostics.incident import open_incident
from diagnostics.precedents.library import precedents
from tests.parsers.test_harmless_kernel_messages import MESSAGES


def test_a_harmless_line_that_no_precedent_holds_names_no_cause(tmp_path: Path) -> None:
    held = "\n".join(line for each in precedents() for line in each.lines)
    unseen = [message for message in MESSAGES if message not in held]
    assert len(unseen) > 60
    named = []
    for message in unseen:
        (tmp_path / "dmesg.txt").write_text(f"[ 5000.000001] {message}\n")
        if diagnose(open_incident(tmp_path)).verdict is not Verdict.INSUFFICIENT:
            named.append(message)
    assert named == []
