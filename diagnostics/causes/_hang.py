"""What a process that waits for ever leaves behind, whatever it waits for, and what a process that ends does.

Many causes share these trails, so they move the odds little; each sentence names what the wait or the end was
really about.
"""

from __future__ import annotations

from . import Effect, Role
from ._cascade import OF_A_DEAD_RANK, OF_A_STUCK_RANK


def hangs(what: str, silent: float = 0.8) -> tuple[Effect, ...]:
    """The trail of a process that waits for ever; `what` names what it waited for."""
    return (
        Effect(
            "progress-stopped",
            silent,
            "a step cannot end without the part of it that is stuck",
            f"the steps ceased because the job waited for {what}",
        ),
        Effect(
            "watchdog-killed",
            0.45,
            "many runs are watched, and silence is what a watchdog sees",
            f"the watchdog ended a run that was already waiting for {what}: it is the messenger",
        ),
        Effect(
            "killed-by-signal",
            0.5,
            "a stuck run ends only when somebody kills it",
            f"the kill came after the wait for {what} had begun",
        ),
        Effect(
            "ended-silently",
            0.3,
            "a process that waits cannot log an error",
            f"nothing was logged because the process was waiting for {what}",
        ),
        Effect(
            "throughput-collapsed",
            0.12,
            "queues of ready work run down before all stops",
            f"the pace fell while the last ready work ran down; then all waited for {what}",
        ),
        *OF_A_STUCK_RANK,
    )


def dies(what: str, silent: float) -> tuple[Effect, ...]:
    """The trail of a process that ends; `silent` is how often it ends without a word, `what` names its end."""
    return (
        Effect(
            "ended-silently",
            silent,
            "a kill leaves no traceback" if silent > 0.2 else "an exception is usually logged",
            f"the log just ends because {what}",
        ),
        Effect(
            "killed-by-signal",
            0.75 if silent > 0.2 else 0.05,
            "the end is a signal" if silent > 0.2 else "launchers kill what is left of the job",
            f"a process of the job was killed: {what}",
            Role.CASCADE if silent > 0.2 else Role.TEARDOWN,
        ),
        *OF_A_DEAD_RANK,
    )
