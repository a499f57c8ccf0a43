"""What fails always has a node with an ill port among its nodes, and what goes through has none.

From a table of trials that names the nodes of each, and from what was seen of the nodes' ports: one that is down, has
not been set up, or counts damaged frames. At least two failures and one success. One node that is in every failure is
told apart without its ports too (see failures_follow_one_device); several nodes are not. ABSENT where nodes with ill
ports took part in what went through.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Coverage, Evidence, Subject
from ..evidence.people import Trial
from ..incident import Incident
from ._registry import findings_of
from ._symptom import Finding, Symptom
from ._trials import BAD

FEWEST_FAILURES = 2


def rule(incident: Incident) -> Iterator[Finding]:
    ill: dict[str, Evidence | Coverage] = {}
    for finding in findings_of(incident, "link-down", "port-not-set-up", "physical-port-errors"):
        if finding.present and finding.subject.host:
            ill.setdefault(finding.subject.host.lower(), finding.evidence[0])
    trials = incident.of(Trial)
    bad = [trial for trial in trials if trial.outcome in BAD]
    well = [trial for trial in trials if trial.outcome == "ok"]
    if not ill or not well or len(bad) < FEWEST_FAILURES:
        return
    in_bad = [_with(trial, ill) for trial in bad]
    in_well = set[str]().union(*(_with(trial, ill) for trial in well))
    if all(in_bad) and not in_well:
        hosts = sorted(set[str]().union(*in_bad))
        note = f"every failure has {' or '.join(hosts)} among its nodes, and a port of theirs is ill"
        subject = Subject(host=hosts[0]) if len(hosts) == 1 else Subject()
        yield Finding(subject, (*(ill[host] for host in hosts), *bad[:3], well[0]), note)
    elif in_well:
        yield Finding(
            Subject(), (*(ill[host] for host in sorted(in_well)), *well[:2]), "it goes through", present=False
        )


def _with(trial: Trial, hosts: dict[str, Evidence | Coverage]) -> set[str]:
    """Those of some hosts that a trial's condition names."""
    words = set(re.findall(r"[\w.-]+", trial.condition.lower()))
    return words & set(hosts)


SYMPTOM = Symptom(
    title="it fails where a node with an ill port takes part",
    rule=rule,
    leak=0.0003,
    because="ports that are idle all their lives do not choose the jobs that fail",
    command="ibstat on every node; the same job on nodes whose ports are all active",
    cost_minutes=15,
)
