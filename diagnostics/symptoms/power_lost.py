"""A machine stopped without a word and started again: the log of one boot ends in the middle, the next begins.

A boot in a log whose last lines before it show no shutdown, no panic and no lockup. ABSENT where they show an orderly
shutdown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence.kernel import KernelBoot
from ..incident import Incident
from ._symptom import Finding, Symptom

ORDERLY = re.compile(
    r"Reached target.{0,40}(?:Shut ?down|Reboot|Power-Off)|reboot: (?:Restarting|Power down|System halted)"
    r"|systemd-shutdown|systemd-logind.{0,80}(?:rebooting|powering)|Powering [Oo]ff|Stopped target|Stopping "
    r"|Unmounted "
    r"|shutting down|Journal stopped|kexec_core: Starting new kernel"
    r"|^shutdown +system down|\(to lvl [06]\)",
    re.I,
)
WORDS = re.compile(
    r"panic|lockup|Oops|BUG:|Call Trace|Hardware Error|mce:|EDAC|not responding|hung|blocked for more", re.I
)


def rule(incident: Incident) -> Iterator[Finding]:
    for boot in incident.of(KernelBoot):
        said = " | ".join(boot.last_words)
        if ORDERLY.search(said):
            yield Finding(boot.subject, (boot,), "an orderly shutdown came before the boot", present=False)
        elif said and not WORDS.search(said):
            yield Finding(
                boot.subject, (boot,), f"the log stops without a word and a new boot begins; last: {said[:120]}"
            )


SYMPTOM = Symptom(
    title="a machine went dark and started again",
    rule=rule,
    leak=0.003,
    because="a person who presses the button is the innocent reason",
    tells_apart=("host",),
    command="journalctl --list-boots; journalctl -b -1 -n 50; sudo ipmitool sel elist | tail",
)
