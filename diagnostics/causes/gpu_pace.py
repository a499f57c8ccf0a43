"""GPU devices that are there and do not do their part: held down, slow, wrong."""

from __future__ import annotations

from . import Cause, Check, Effect, Role
from ._cascade import OF_A_DEAD_RANK
from ._studies import ACME, BLOOM, FT_HSDP, LLAMA, STEPFUN

CAUSES = (
    Cause(
        slug="gpu-thermal-or-power",
        title="heat or power that holds a GPU down",
        what="the device lowers its clocks, or shuts down, because it is too hot or its supply cannot give more",
        prior=0.015,
        source=LLAMA
        + "6 for thermal interface and sensors, 3 for power supplies; "
        + STEPFUN
        + "2 GPUs too hot, 33 fans; "
        + ACME
        + "a hot month stood behind NVLink and ECC errors",
        on=("host",),
        effects=(
            Effect(
                "gpu-throttled",
                0.9,
                "the driver names the reason for as long as it lasts",
                "the GPU was slowed down to stay within its limits",
                Role.INITIATING,
            ),
            Effect(
                "gpu-hot",
                0.6,
                "heat is the more frequent of the two",
                "the GPU was too hot",
                Role.INITIATING,
            ),
            Effect(
                "gpu-slower-than-peers",
                0.2,
                "the clocks that are held down show against the peers, unless all are held down",
                "its clocks were held down",
            ),
            Effect(
                "pace-fell",
                0.5,
                "clocks that are held down cost a part of the pace for as long as they are",
                "every step waited for the throttled device",
            ),
            Effect(
                "slow-wherever-one-host-is",
                0.1,
                "a host whose devices are held down slows all that it takes part in",
                "the host's devices were held down",
            ),
            Effect(
                "throughput-collapsed",
                0.5,
                "a synchronous job runs as fast as its slowest device",
                "every step waited for the throttled device",
            ),
            Effect(
                "gpu-off-bus-report",
                0.1,
                "a supply that trips, or a card that switches itself off for heat, is off the bus",
                "the device lost its power or switched itself off",
            ),
            Effect(
                "gpu-firmware-report",
                0.05,
                "a card that is switched off for heat takes its controllers with it",
                "the controller halted when the card was switched off",
            ),
            Effect(
                "power-lost",
                0.1,
                "a limiter on the card may trip the whole supply",
                "the GPU's load took the supply down",
            ),
            Effect(
                "drives-lost-their-power",
                0.05,
                "a limiter that trips the supply takes the drives' power too, each time",
                "the supply went down with the GPU's load, each time",
            ),
            Effect(
                "dark-under-load",
                0.15,
                "a card's power peaks trip supplies that are rated for its average",
                "the GPU's power peaks tripped the supply",
                Role.INITIATING,
            ),
            Effect(
                "supply-too-small",
                0.05,
                "of the two, the supply is named more often",
                "the supply could not carry all GPUs at once",
            ),
            Effect(
                "power-limit-keeps-it-up",
                0.2,
                "a card's power peaks trip supplies that are rated for its average",
                "the GPU's power peaks tripped the supply",
                Role.INITIATING,
            ),
            Effect(
                "lost-under-load",
                0.2,
                "a supply rail that gives way takes the card off the bus",
                "the card lost its power under load",
            ),
            Effect(
                "acpi-or-firmware-report",
                0.1,
                "the management controller logs a supply's failure",
                "the platform saw its supply fail",
            ),
        ),
        now=("Lower the power limit (nvidia-smi -pl) and check fans, inlet temperature and supplies",),
        for_good=("Repaste or replace the cooler; balance supplies; alert on throttle reasons",),
        mistaken_for=(
            ("gpu-straggler", "only the reason for being slow differs"),
            ("storage-too-slow", "throughput falls with no error in both"),
        ),
        checks=(Check("active reasons", "nvidia-smi -q -d PERFORMANCE,TEMPERATURE,POWER"),),
    ),
    Cause(
        slug="gpu-straggler",
        title="one slow device or host",
        what="one device or host of many does its part slower than the rest, and all wait for it in every step",
        prior=0.02,
        source="Jiang et al., MegaScale (2024): about 0.5 % of machines compute 10 % slower; "
        + BLOOM
        + "one slow GPU took 5 % of the throughput; Lin et al. (2025): stragglers have many reasons "
        "besides failing hardware",
        on=("host", "gpu"),
        effects=(
            Effect(
                "gpu-slower-than-peers",
                0.9,
                "measured alone, it is slower than its like",
                "this device did its part slower than all others",
                Role.INITIATING,
            ),
            Effect(
                "slow-wherever-one-host-is",
                0.8,
                "pairs of hosts, or the job without one, single it out",
                "all that this host took part in went at its speed",
                Role.INITIATING,
            ),
            Effect(
                "gpu-link-degraded",
                0.25,
                "a link that was trained at a lower speed is a common reason why one GPU is fed more slowly",
                "this device was fed over a slower link than the others",
                Role.INITIATING,
            ),
            Effect(
                "pace-fell",
                0.6,
                "a device that slows down in mid-run takes the whole job to its pace and leaves it there",
                "from then on every step waited for the slow device",
            ),
            Effect(
                "throughput-collapsed",
                0.4,
                "the job runs at the speed of the slowest",
                "all devices waited for the slow one in every step",
            ),
            Effect(
                "one-rank-elsewhere",
                0.4,
                "stacks catch the slow rank still computing while the others wait",
                "the slow rank was still computing",
            ),
            Effect(
                "collective-timed-out",
                0.1,
                "only an extreme straggler outlasts a limit of minutes",
                "the straggler outlasted the limit",
            ),
        ),
        now=("Replace the slow node in the job's host list and compare throughput",),
        for_good=("Benchmark every node before a long run and watch per-rank step times",),
        mistaken_for=(
            ("network-misconfigured", "all devices show 100 % while they spin in a collective"),
            ("storage-too-slow", "throughput is low and no error is printed"),
        ),
        checks=(Check("each node alone", "srun -N1 -w NODE python bench.py; compare"),),
    ),
    Cause(
        slug="gpu-device-faulty",
        title="a GPU that fails without a known signature",
        what="the device computes wrongly or fails its tests, and no Xid of a known kind says why",
        prior=0.03,
        source=LLAMA
        + "148 for faulty GPUs, the largest share, and 6 for silent data corruption; "
        + FT_HSDP
        + "7.4 % faulty compute, 5.5 % numerics; "
        + STEPFUN
        + "40 GPUs with an unknown error",
        on=("host", "gpu"),
        effects=(
            Effect(
                "gpu-queues-stuck",
                0.015,
                "a device that computes wrongly may stand still in the middle of a kernel",
                "the device stood still in the middle of a kernel",
            ),
            Effect(
                "gpu-diagnostic-failed",
                0.7,
                "a device that is bad enough to end jobs fails a long test more often than not",
                "the device failed its test",
                Role.INITIATING,
            ),
            Effect(
                "gpu-unspecified-failure",
                0.5,
                "it shows as launches that fail for no reason",
                "the device failed in the middle of a kernel",
                Role.INITIATING,
            ),
            Effect(
                "failures-follow-one-device",
                0.7,
                "the same work fails on this device and runs on others",
                "the fault stayed with the device when the work was moved",
                Role.INITIATING,
            ),
            Effect(
                "fails-on-one-model",
                0.4,
                "whoever has one card of each kind sees the faulty one fail and the others go through",
                "the card failed, and was the only one of its model",
                Role.INITIATING,
            ),
            Effect(
                "power-lost",
                0.1,
                "a card with a short in its power stage trips the supply of any host it is put into",
                "the card had taken its host down",
            ),
            Effect(
                "drives-lost-their-power",
                0.05,
                "a card that trips the supply takes the drives' power too, each time",
                "the card had taken the supply down, each time",
            ),
            Effect(
                "dark-under-load",
                0.1,
                "a card with a short in its power stage trips the supply of any host it is put into",
                "the card took its host down as soon as it was loaded",
            ),
            Effect(
                "gpu-sensors-refused",
                0.1,
                "a board that fails loses sensors with the rest",
                "a part of the board no longer answered",
            ),
            Effect(
                "driver-init-failed",
                0.25,
                "a faulty device may not initialise",
                "the device did not come up",
                Role.INITIATING,
            ),
            Effect(
                "driver-refuses",
                0.2,
                "tools do not find a device that did not come up",
                "the device had not come up, so there was none to open",
            ),
            Effect(
                "gpu-software-xid",
                0.05,
                "a device that computes wrongly computes wrong addresses too",
                "the device had computed a wrong address",
            ),
            Effect(
                "loss-not-finite",
                0.1,
                "wrong results of one device reach the loss through the gradients",
                "one device computed wrong numbers",
            ),
            *OF_A_DEAD_RANK,
        ),
        now=("Take the node out, run `dcgmi diag -r 3` on it, and restart elsewhere",),
        for_good=("Return the card when the test fails twice; keep a list of nodes that lost jobs",),
        mistaken_for=(
            ("gpu-illegal-access", "both end in a launch failure; moved to another device, bad code fails again"),
            ("training-diverged", "wrong numbers of one device look like a bad learning rate"),
        ),
        checks=(
            Check("a long health test", "dcgmi diag -r 3"),
            Check("does the fault stay with the device", "CUDA_VISIBLE_DEVICES=OTHER python train.py"),
        ),
    ),
)
