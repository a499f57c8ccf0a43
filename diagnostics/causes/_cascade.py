"""What the rest of a distributed job shows when one rank is stuck or dead, whatever the reason.

These effects are shared by many causes, so they tell hardly one from another; they are here that no such symptom stays
unexplained, and that none of them is taken for the fault.
"""

from __future__ import annotations

from . import Effect, Role

OF_A_STUCK_RANK = (
    Effect(
        "collective-timed-out",
        0.4,
        "the other ranks wait until their limit, where there are others and nobody ends the job before",
        "the other ranks had waited for the stuck one until their time limit",
    ),
    Effect(
        "ranks-never-joined",
        0.5,
        "a flight recorder shows the stuck rank as the one that did not come",
        "the rank that did not come was stuck before it reached the call",
    ),
    Effect(
        "one-rank-elsewhere",
        0.5,
        "stacks of all ranks show the stuck one outside the collective",
        "the ranks in the collective waited for this one; they were well",
    ),
    Effect(
        "peer-closed",
        0.15,
        "the first rank that gives up closes its connections",
        "a rank that had given up waiting closed its connections",
        Role.TEARDOWN,
    ),
)

OF_A_DEAD_RANK = (
    Effect(
        "rank-failed-first",
        0.6,
        "launcher and logs show which rank ended first, where all of them were kept",
        "this rank was ended by the fault; its peers only noticed",
    ),
    Effect(
        "peer-closed",
        0.5,
        "the dead rank's connections are closed by its kernel",
        "the peer was gone because the fault had ended it",
    ),
    Effect(
        "collective-timed-out",
        0.25,
        "a launcher that sees the death ends the others within seconds; only unsupervised ones live to their limit",
        "the others waited for a rank that no longer existed",
    ),
    Effect(
        "ranks-never-joined",
        0.2,
        "a dead rank joins nothing, but the others seldom live to record it",
        "the rank that did not come was already dead",
    ),
)
