"""What people did and wrote."""

from __future__ import annotations

from dataclasses import dataclass

from . import Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial(Evidence):
    """One row of a table of trials: under this condition it went so. Subject: gpu where the condition names one.

    `outcome` is "ok", "slow", "hang", "fail", "off" (the machine or device went dark) or "varies"; `nodes` is the
    number of nodes where the condition says it.

        3+ nodes x 8 GPU: hang
    """

    condition: str
    outcome: str
    text: str
    nodes: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LoginSession(Evidence):
    """A person's login session that began or ended ("begin", "end"); PAM names none, which is "". Subject: host.

    Jun 23 11:06:52 c07 systemd-logind[1711]: Removed session 41.
    """

    session: str
    edge: str
    user: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchdogDescription(Evidence):
    """What a person says of a watchdog of their own, so that its log can be read.

    `fired` and `alive` are lines with placeholders: {pid}, {age}, {limit}, {job}, {rank}, and * for anything.

        fired = "giving up on {pid}: silent for {age}"
    """

    name: str
    fired: str
    alive: str = ""
    action: str = "kill"
    limit_s: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorNote(Evidence):
    """What a person wrote about the incident: shown, never weighed, since people are sometimes wrong.

    Storage team says the array has plenty of space.
    """

    text: str
