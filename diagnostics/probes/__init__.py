"""Probes: one file per live question; this folder is the registry.

A probe module has a docstring (what is asked and why), a function that is run in a child (its arguments:
`say`, `folder` the path under test, `stage` a folder of our own in it, and what its rungs add) and one
constant, `PROBE`. The parent touches neither path. Every answer is evidence: answered, refused or silent.
"""

from ._probe import MIB, Plan, Probe, Rung, all_probes
from ._report import ProbeReport, Skipped, answer_from_json, format_answer
from ._session import ProbeProgress, ask, run_probes

__all__ = [
    "MIB", "Plan", "Probe", "ProbeProgress", "ProbeReport", "Rung", "Skipped", "all_probes", "answer_from_json",
    "ask", "format_answer", "run_probes",
]  # fmt: skip
