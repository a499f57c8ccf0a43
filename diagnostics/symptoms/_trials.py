"""What several symptoms make of tables of trials."""

from __future__ import annotations

from ..evidence.job import Trial
from ..incident import Incident


def across_nodes(incident: Incident) -> tuple[list[Trial], list[Trial]]:
    """The trials on one node and those on several; both empty unless one node alone is well."""
    trials = [trial for trial in incident.of(Trial) if trial.nodes is not None]
    alone = [trial for trial in trials if trial.nodes == 1]
    together = [trial for trial in trials if (trial.nodes or 0) > 1]
    if not alone or any(trial.outcome != "ok" for trial in alone):
        return [], []
    return alone, together
