"""GPU devices: lost, damaged, halted, hot, slow."""

from __future__ import annotations

from . import Cause, Check, Effect, Role
from ._cascade import OF_A_DEAD_RANK, OF_A_STUCK_RANK

LLAMA = "Meta, The Llama 3 Herd of Models (2024), table 5, of 419 unexpected interruptions in 54 days: "
XID_CATALOGUE = "NVIDIA, Xid Errors (docs.nvidia.com/deploy/xid-errors)"

CAUSES = (
    Cause(
        slug="gpu-off-bus",
        title="a GPU that is lost to its PCIe bus",
        what="the processor can no longer reach the device over PCIe, so the driver gives it up (Xid 79)",
        prior=0.03,
        source=LLAMA + "148 for faulty GPUs, of which link losses are a part; Kokolis et al. 2024 count PCIe errors "
        "and lost GPUs among the most frequent hardware causes of two research clusters",
        on=("host", "pci"),
        effects=(
            Effect(
                "gpu-off-bus-report",
                0.95,
                "the driver reports a device whose registers read as all ones at its next access",
                "reads of the device returned nothing: the link was gone",
                Role.INITIATING,
            ),
            Effect(
                "pcie-error",
                0.5,
                "the port above the device often reports time-outs before or with the loss",
                "the port above the GPU saw the link fail",
                Role.INITIATING,
            ),
            Effect(
                "lost-under-load",
                0.6,
                "power and signal of a marginal link give way under load",
                "the link held while idle and gave way under load",
                Role.INITIATING,
            ),
            Effect(
                "gpu-handle-lost",
                0.6,
                "tools that ask for the device get no handle to it",
                "the device was no longer there to be asked",
            ),
            Effect(
                "driver-init-failed",
                0.2,
                "a device that comes and goes fails to initialise",
                "the driver could not bring up a device behind a bad link",
            ),
            Effect(
                "driver-refuses",
                0.3,
                "tools that start afterwards do not find the device",
                "the device was no longer there to be opened",
            ),
            Effect(
                "gpu-unspecified-failure",
                0.35,
                "CUDA has no better word for a context whose device is gone",
                "CUDA lost its device in the middle of a call",
            ),
            Effect(
                "gpu-firmware-report",
                0.15,
                "calls to the GPU's processors time out when the device is gone",
                "the GPU's processor could not answer over a dead link",
            ),
            Effect(
                "hung-in-gpu-driver",
                0.1,
                "a call that was under way may wait for the lost device",
                "the driver waited for a device that was gone",
            ),
            Effect(
                "gpu-diagnostic-failed",
                0.1,
                "a health test that cannot find the device says so rather than fails",
                "the test found one device fewer",
            ),
            *OF_A_DEAD_RANK,
        ),
        now=(
            "Drain the node, power-cycle it (a reset does not reach a lost device) and look for the device with lspci",
            "Restart the run without this node",
        ),
        for_good=(
            "Reseat the card and its power cables; try another slot, riser or a lower link speed; update the BIOS",
            "Alert on Xid 79 and AER so that a job does not land on the node again",
        ),
        mistaken_for=(
            ("collective-mismatch", "the other ranks only say that a collective timed out"),
            ("gpu-driver-wedged", "nvidia-smi hangs or errs in both"),
            ("user-code-error", "the traceback ends in whatever CUDA call came next"),
        ),
        checks=(
            Check("is the device still on the bus", "lspci | grep -i nvidia; nvidia-smi -L"),
            Check("what the kernel said at the time", "sudo dmesg -T | grep -iE 'NVRM|Xid|AER|pcieport'"),
        ),
    ),
    Cause(
        slug="gpu-memory-error",
        title="an error in a GPU's memory",
        what="memory cells of the device returned bits that its error-correcting code could not repair, or repairs in storms",
        prior=0.05,
        source=LLAMA + "72 for HBM3 memory and 19 for SRAM",
        on=("host", "pci"),
        effects=(
            Effect(
                "gpu-ecc-uncorrectable",
                0.9,
                "the error is counted and reported as it happens; a storm of corrected ones is the rest",
                "a cell of the GPU's memory failed while the job read it",
                Role.INITIATING,
            ),
            Effect(
                "gpu-ecc-correctable-storm",
                0.5,
                "a failing cell is mostly noticed by corrected errors and a row that waits to be replaced",
                "the memory had marked the row for replacement, which takes effect at the next reset",
                Role.INITIATING,
            ),
            Effect(
                "gpu-memory-test-failed",
                0.6,
                "memory tests and the check of pending repairs fail",
                "the health test saw the damaged memory",
                Role.INITIATING,
            ),
            Effect(
                "gpu-diagnostic-failed",
                0.1,
                "a load test may trip over the damaged memory",
                "the load test read the damaged memory",
            ),
            Effect(
                "gpu-unspecified-failure",
                0.15,
                "some CUDA calls report the lost context only in general words",
                "CUDA lost its context to the memory error",
            ),
            Effect(
                "gpu-software-xid",
                0.02,
                "a wrong bit in an address may be caught as an access out of bounds, where the code has missed it",
                "the damaged bits had become an address",
            ),
            *OF_A_DEAD_RANK,
        ),
        now=("Drain the node and reset the GPU so that the spare row takes effect; restart from the last checkpoint",),
        for_good=(
            "Replace the card when a remapping failed, the spare rows run out or errors come back after the reset",
            "Check `nvidia-smi -q -d ECC,ROW_REMAPPER` before a job is placed",
        ),
        mistaken_for=(
            ("interconnect-link-fault", "the other ranks time out in a collective much later"),
            ("gpu-illegal-access", "both end the context of one process with an Xid"),
        ),
        checks=(Check("counters and pending repairs", "nvidia-smi -q -d ECC,ROW_REMAPPER"),),
    ),
    Cause(
        slug="gpu-firmware-fault",
        title="a halted processor inside a GPU",
        what="the GPU's own system processor (GSP, which runs most of the driver) or its power controller stopped answering",
        prior=0.02,
        source=LLAMA + "17 for the GPU system processor",
        on=("host", "pci"),
        effects=(
            Effect(
                "gpu-firmware-report",
                0.95,
                "the driver times out on its calls to the processor and says so every 45 seconds",
                "the driver asked the GPU's processor and got no answer",
                Role.INITIATING,
            ),
            Effect(
                "hung-in-gpu-driver",
                0.3,
                "every process that asks the driver queues behind the call that is not answered",
                "the process waited behind an unanswered call to the GPU's processor",
            ),
            Effect(
                "gpu-handle-lost",
                0.5,
                "tools need the processor for a handle",
                "the processor that answers tools had stopped",
            ),
            Effect(
                "driver-init-failed",
                0.2,
                "a processor that does not boot fails the initialisation",
                "the GPU's processor did not come up",
            ),
            Effect(
                "driver-refuses",
                0.3,
                "new contexts need the processor too",
                "the processor that makes contexts did not answer",
            ),
            Effect(
                "gpu-unspecified-failure",
                0.2,
                "CUDA reports the reset in general words",
                "CUDA saw only that its device had stopped",
            ),
            *OF_A_STUCK_RANK,
        ),
        now=("Reset the GPU (nvidia-smi -r) or reboot the node; restart the run elsewhere",),
        for_good=(
            "Update driver and firmware; if it returns, try the driver with GSP switched off "
            "(NVreg_EnableGpuFirmware=0) where the GPU allows it",
        ),
        mistaken_for=(
            ("gpu-off-bus", "both end with a device that does not answer"),
            ("user-code-error", "the process named in the report only happened to ask"),
        ),
        checks=(Check("the driver's time-outs", "sudo dmesg -T | grep -E 'Xid.*(119|120)|GSP'"),),
    ),
    Cause(
        slug="nvlink-fault",
        title="a fault of NVLink or an NVSwitch",
        what="the links between the GPUs of one node or rack, or the switch that joins them, corrupt or lose packets",
        prior=0.03,
        source="Hu et al., Characterization of LLM Development in the Datacenter (2024), table 3: NVLink errors are the "
        "most frequent infrastructure failure by count; " + LLAMA + "part of 148 for faulty GPUs",
        on=("host",),
        effects=(
            Effect(
                "gpu-nvlink-report",
                0.95,
                "driver, switch or CUDA name the link",
                "a link between the GPUs failed during a transfer",
                Role.INITIATING,
            ),
            Effect(
                "gpu-unspecified-failure",
                0.2,
                "NCCL and CUDA report a lost transfer in general words",
                "CUDA saw only that a peer's memory did not answer",
            ),
            Effect(
                "gpu-diagnostic-failed",
                0.1,
                "link and bandwidth tests fail on a bad link",
                "the test exercised the bad link",
            ),
            *OF_A_DEAD_RANK,
        ),
        now=("Drain the node or rack; reset GPUs and fabric manager together; restart from the last checkpoint",),
        for_good=("Run a link test before placing jobs; replace cable, tray or board that fails twice",),
        mistaken_for=(
            ("gpu-illegal-access", "CUDA's text speaks of an invalid access of a peer's memory"),
            ("interconnect-link-fault", "both end as a failed collective"),
        ),
        checks=(
            Check("link state and counters", "nvidia-smi nvlink -s; nvidia-smi nvlink -e; sudo dmesg -T | grep SXid"),
        ),
    ),
    Cause(
        slug="gpu-thermal-or-power",
        title="heat or power that holds a GPU down",
        what="the device lowers its clocks, or shuts down, because it is too hot or its supply cannot give more",
        prior=0.015,
        source=LLAMA + "6 for thermal interface and sensors, 3 for power supplies",
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
                0.3,
                "the clocks that are held down show against the peers, unless all are held down",
                "its clocks were held down",
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
                "a supply that trips takes the device off the bus",
                "the device lost its power",
            ),
            Effect(
                "power-lost",
                0.1,
                "a limiter on the card may trip the whole supply",
                "the GPU's load took the supply down",
            ),
            Effect(
                "dark-under-load",
                0.15,
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
        source="Jiang et al., MegaScale (2024), section 6: a few machines that compute 10 % slower hold the whole job; "
        "Lin et al., Understanding Stragglers in LLM Training (2025)",
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
        source=LLAMA + "148 for faulty GPUs, the largest single share; 6 for silent data corruption",
        on=("host", "gpu"),
        effects=(
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
                "driver-init-failed",
                0.15,
                "a faulty device may not initialise",
                "the device did not come up",
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
