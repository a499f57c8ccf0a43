"""Software of distributed jobs: ranks that disagree, and ranks that die."""

from __future__ import annotations

from . import Cause, Check, Effect, Role
from ._studies import BLOOM, ESTIMATE, FT_HSDP, LLAMA, PHILLY, STEPFUN, UNICRON

CAUSES = (
    Cause(
        slug="collective-mismatch",
        title="ranks that disagree which collective comes next",
        what="uneven batches, a call that one rank skips, two threads of a rank that race for their turn, or different "
        "shapes make healthy ranks wait for each other for ever",
        prior=0.03,
        source=ESTIMATE
        + "a part of what is counted as time-outs and software bugs; "
        + LLAMA
        + "54 software bugs, 7 NCCL watchdog time-outs; "
        + UNICRON
        + "10.1 % NCCL time-outs; "
        + BLOOM
        + "three evaluations hung",
        on=(),
        effects=(
            Effect(
                "ranks-have-unequal-work",
                0.15,
                "uneven shares are the usual way to come to a different number of calls, where somebody counts them",
                "a rank had batches left when another was done, and waited for it in the collective of the next one",
                Role.INITIATING,
            ),
            Effect(
                "collective-mismatch-detected",
                0.3,
                "the runtime's own check is seldom on",
                "the runtime compared the calls and found two different ones",
                Role.INITIATING,
            ),
            Effect(
                "timed-out-in-different-calls",
                0.5,
                "each rank gives up in its own call",
                "each rank gave up in its own call",
                Role.INITIATING,
            ),
            Effect(
                "sizes-differ-in-one-call",
                0.3,
                "both calls may be of one kind, and then their sizes tell them apart",
                "what the ranks put into the call had different sizes: they were in different parts of the program",
                Role.INITIATING,
            ),
            Effect(
                "collective-on-one-rank",
                0.15,
                "the script is seldom kept with the stacks",
                "one rank called what the others had to call with it",
                Role.INITIATING,
            ),
            Effect(
                "side-work-hangs-several-ranks",
                0.1,
                "somebody tries both with and without it, on one rank and on several",
                "only some of the ranks did the side work, and its collectives waited for the others",
                Role.INITIATING,
            ),
            Effect(
                "ranks-hand-over-different-sizes",
                0.15,
                "somebody who suspects it prints the sizes",
                "the ranks put tensors of different sizes into the same call",
                Role.INITIATING,
            ),
            Effect(
                "calls-counted-differently",
                0.5,
                "the ranks go on past the skipped call, and each counts its own",
                "one rank had made a call more or less than the others, and their calls no longer met",
                Role.INITIATING,
            ),
            Effect(
                "ranks-in-different-collectives",
                0.8,
                "stacks, recorder or the runtime's own check show the two calls",
                "each rank waited in its own call for a partner that was in another one",
                Role.INITIATING,
            ),
            Effect(
                "waits-for-a-rank-that-is-done",
                0.4,
                "the rank with fewer batches leaves the loop and says so",
                "the rank that was waited for had run out of batches and was done",
                Role.INITIATING,
            ),
            Effect(
                "uneven-steps",
                0.5,
                "ranks with fewer batches leave the loop early",
                "one rank had fewer batches and left the loop",
                Role.INITIATING,
            ),
            Effect(
                "ranks-never-joined",
                0.7,
                "the skipped call is recorded on the other ranks only",
                "the rank that did not come had taken another path through the code",
                Role.INITIATING,
            ),
            Effect(
                "collective-timed-out",
                0.85,
                "nothing else ends the wait",
                "ranks waited for a call that the others would never make",
            ),
            Effect(
                "progress-stopped",
                0.6,
                "no step can end",
                "no rank could leave the step",
            ),
            Effect(
                "peer-closed",
                0.4,
                "the first to time out leaves",
                "the rank that timed out first closed its connections",
                Role.TEARDOWN,
            ),
            Effect(
                "rank-failed-first",
                0.3,
                "one rank gives up first, and its error looks like its own where the words are cut off",
                "the rank had given up on a call that no other rank made, and ended before its peers",
                Role.TEARDOWN,
            ),
            Effect(
                "rank-ended-without-reason",
                0.1,
                "the error of the rank that gave up first is mostly kept",
                "the rank had given up on its call; the words of that error were not kept",
                Role.TEARDOWN,
            ),
        ),
        now=("Compare the stacks of all ranks (py-spy dump --nonblocking) or a flight-recorder dump: who is where",),
        for_good=(
            "Use Join or drop_last so that all ranks have the same number of batches; keep collectives out of "
            "rank-only branches",
            "Give each thread that issues collectives (a save in the background) a process group of its own",
            "Run with TORCH_DISTRIBUTED_DEBUG=DETAIL in tests",
        ),
        mistaken_for=(
            ("rank-failed", "a rank that waits elsewhere is alive"),
            ("interconnect-link-fault", "the text is the same collective time-out"),
            ("watchdog-too-short", "no limit is long enough for a call that nobody makes"),
        ),
        checks=(
            Check("where each rank is", "for p in $(pgrep -f train.py); do py-spy dump --nonblocking --pid $p; done"),
            Check(
                "who joined what",
                "TORCH_NCCL_TRACE_BUFFER_SIZE=2000 TORCH_NCCL_DUMP_ON_TIMEOUT=1 torchrun ...; torchfrtrace DIR",
            ),
        ),
    ),
    Cause(
        slug="rank-failed",
        title="a rank that died for a reason the evidence does not show",
        what="one rank ended or raised; the others are its victims, and its own words were not kept",
        prior=0.05,
        source=PHILLY + "1,684 without any known signature; " + FT_HSDP + "1.0 % unknown; " + STEPFUN + "144 unknown",
        on=("rank",),
        effects=(
            Effect(
                "rank-failed-first",
                0.9,
                "launcher or logs show that it was the first to end",
                "this rank ended first; what ended it was not recorded",
                Role.INITIATING,
            ),
            Effect(
                "rank-ended-without-reason",
                0.95,
                "that is what the name means: a rank whose own words were kept has another cause",
                "its own words were not kept",
                Role.INITIATING,
            ),
            Effect(
                "crashed-natively",
                0.3,
                "native code that crashes is a frequent way to end without a word",
                "native code of this rank crashed; what made it crash was not recorded",
                Role.INITIATING,
            ),
            Effect(
                "peer-closed",
                0.6,
                "its connections are closed by its kernel",
                "the peer was gone",
            ),
            Effect(
                "rdma-gave-up",
                0.1,
                "a rank that ends while its peers send leaves them without an acknowledgement",
                "the peer was gone in the middle of a transfer",
            ),
            Effect(
                "collective-timed-out",
                0.5,
                "ranks without a direct connection wait for their limit",
                "the others waited for a rank that no longer existed",
            ),
            Effect(
                "ranks-never-joined",
                0.6,
                "a dead rank joins nothing",
                "the rank that did not come was dead",
            ),
            Effect(
                "peer-refuses",
                0.3,
                "where the dead rank served the store, its peers are refused",
                "the store ended with the rank that served it",
            ),
        ),
        now=("Get that rank's own log, its exit status and the kernel log of its host",),
        for_good=("Keep one log per rank (torchrun --log-dir) and the kernel log of every node",),
        mistaken_for=(
            ("interconnect-link-fault", "survivors speak of lost connections"),
            ("collective-mismatch", "survivors speak of a collective"),
        ),
        checks=(
            Check("how it ended", "sacct -j JOB -o JobID,State,ExitCode; sudo dmesg -T | tail -50"),
            Check("its own words", "torchrun --log-dir logs --tee 3 ..."),
        ),
    ),
)
