"""A machine stopped without a word and started again: the log of one boot ends in the middle, the next begins.

A new boot in a log whose lines before it show no shutdown, no panic and no lockup; or a trial in which the machine
goes dark. ABSENT where a boot follows an orderly shutdown.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence import Evidence
from ..evidence.job import Trial
from ..evidence.kernel import HardLockup, KernelBoot, KernelFault, ThermalOrPowerMessage
from ..incident import Incident
from . import Finding, Symptom


def rule(incident: Incident) -> Iterator[Finding]:
    words: list[Evidence] = [*incident.of(KernelFault, HardLockup)]
    shutdowns = [fact for fact in incident.of(ThermalOrPowerMessage) if fact.about == "shutdown"]
    boots = [boot for boot in incident.of(KernelBoot) if boot.stamp is not None and boot.source.line > 1]
    for boot in boots:
        if _second_in_its_file(incident, boot) and not words:
            if shutdowns:
                yield Finding(boot.subject, (boot, *shutdowns), "an orderly shutdown came first", present=False)
            else:
                yield Finding(boot.subject, (boot,), "the log stops without a word and a new boot begins")
    for trial in incident.of(Trial):
        if trial.outcome == "off" and "host" in trial.text.lower():
            yield Finding(trial.subject, (trial,), f"{trial.condition}: {trial.text}")


def _second_in_its_file(incident: Incident, boot: KernelBoot) -> bool:
    """True when the same file shows something of an earlier boot."""
    return any(
        fact.source.file == boot.source.file and fact.source.line < boot.source.line
        for fact in incident.evidence
        if fact is not boot
    )


SYMPTOM = Symptom(
    title="a machine went dark and started again",
    rule=rule,
    leak=0.004,
    because="a person who presses the button is the innocent reason",
    tells_apart=("host",),
    command="journalctl --list-boots; journalctl -b -1 -n 50; sudo ipmitool sel elist | tail",
)
