"""GPU devices that fail: lost to the bus, damaged memory, halted processors, broken links."""

from __future__ import annotations

from . import Cause, Check, Effect, Role
from ._cascade import OF_A_DEAD_RANK, OF_A_STUCK_RANK
from ._studies import ACME, DELTA, FT_HSDP, LLAMA, RSC, STEPFUN, UNICRON

CAUSES = (
    Cause(
        slug="gpu-off-bus",
        title="a GPU that is lost to its PCIe bus",
        what="the processor can no longer reach the device over PCIe, so the driver gives it up (Xid 79)",
        prior=0.03,
        source=LLAMA
        + "part of 148 for faulty GPUs; "
        + FT_HSDP
        + "18 % PCIe devices; "
        + STEPFUN
        + "5 GPUs lost and 25 with a narrow PCIe link; "
        + RSC
        + "PCIe errors are among the four frequent "
        "causes and often come with Xid 79",
        on=("host", "pci"),
        effects=(
            Effect(
                "gpu-queues-stuck",
                0.05,
                "a device that is gone gives up no queue",
                "the device was no longer there to give up its queues",
            ),
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
                "gpu-link-failed",
                0.4,
                "a link that fails while the kernel watches it is reported for the device itself",
                "the device's link lost what was under way, and the driver cannot recover from that",
                Role.INITIATING,
            ),
            Effect(
                "lost-under-load",
                0.6,
                "power and signal of a marginal link, behind a riser or cable most of all, give way under load",
                "the link held in the slot or while idle, and gave way behind the riser or under load",
                Role.INITIATING,
            ),
            Effect(
                "gpu-handle-lost",
                0.6,
                "tools that ask for the device get no handle to it",
                "the device was no longer there to be asked",
            ),
            Effect(
                "gpu-sensors-refused",
                0.02,
                "a lost device answers nothing; a marginal link may lose one answer of several",
                "an answer was lost on the link",
            ),
            Effect(
                "fewer-gpus-than-expected",
                0.4,
                "the next start counts one device fewer",
                "the lost device was missing from the count",
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
                "driver-lock-queue",
                0.05,
                "a call to a lost device fails at once, seldom not at all",
                "programs queued behind a call to the lost device",
            ),
            Effect(
                "driver-unload-hangs",
                0.01,
                "the driver lets a device go that is gone, seldom it waits for it",
                "unloading waited for the lost device",
            ),
            Effect(
                "gpu-diagnostic-failed",
                0.03,
                "a health test that cannot find the device says so rather than fails",
                "the test found one device fewer",
            ),
            *OF_A_DEAD_RANK,
            Effect(
                "gpu-nvlink-report",
                0.1,
                "the peers of a lost GPU lose their links to it, and seldom say so",
                "its peers lost their links to it",
            ),
            Effect(
                "gpu-software-xid",
                0.02,
                "channels that are torn down may fault",
                "the fault was the clean-up of a lost device",
                Role.TEARDOWN,
            ),
            Effect(
                "machine-check-fatal",
                0.01,
                "a fatal error of the link may be raised as a machine check",
                "the processor was told of the lost link",
            ),
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
        what="memory cells of the device returned bits that its error-correcting code could not repair, or repairs "
        "in storms",
        prior=0.05,
        source=LLAMA + "72 for HBM3 and 19 for SRAM; " + FT_HSDP + "24 %; " + STEPFUN + "61; " + ACME + "12",
        on=("host", "pci"),
        effects=(
            Effect(
                "gpu-queues-stuck",
                0.03,
                "a device that stopped at an error it could not correct is reset with its queues in place",
                "the device had stopped at the error",
            ),
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
                0.05,
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
            Effect(
                "gpu-firmware-report",
                0.05,
                "the GPU's own processor may read the damaged memory",
                "its processor had read the damaged memory",
            ),
            Effect(
                "gpu-off-bus-report",
                0.02,
                "a containment that fails may end in a reset that fails",
                "the device did not come back from its reset",
            ),
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
        what="the GPU's own system processor (GSP, which initialises and manages the device) or its power controller "
        "stopped answering",
        prior=0.02,
        source=LLAMA + "17 for the GPU system processor; " + DELTA + "3,857 on A100s, which ended every job that met "
        "one, and 3 on H100s",
        on=("host", "pci"),
        effects=(
            Effect(
                "gpu-queues-stuck",
                0.3,
                "queues are handed out and taken back by a scheduler in the firmware",
                "the scheduler in the firmware did not give the queues back",
                Role.INITIATING,
            ),
            Effect(
                "gpu-firmware-report",
                0.95,
                "the driver times out on its calls to the processor, after 6 to 45 seconds each, and says so",
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
                "driver-lock-queue",
                0.08,
                "the driver gives such a call up after a minute, and may try to reset the device with its lock held",
                "programs queued behind an unanswered call to the GPU's processor",
            ),
            Effect(
                "driver-unload-hangs",
                0.015,
                "unloading asks the processor too, and gives up after a minute for each call",
                "unloading waited for the GPU's processor, call after call",
            ),
            Effect(
                "gpu-handle-lost",
                0.5,
                "tools need the processor for a handle",
                "the processor that answers tools had stopped",
            ),
            Effect(
                "gpu-sensors-refused",
                0.25,
                "power and fan are read through the power controller, the temperature is not",
                "the controller that reads them had stopped",
                Role.INITIATING,
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
            Effect(
                "gpu-off-bus-report",
                0.08,
                "a device whose processor is dead may be given up as lost",
                "the driver gave the silent device up",
            ),
            Effect(
                "gpu-software-xid",
                0.02,
                "channels that are torn down may fault",
                "the fault was the clean-up of a halted device",
                Role.TEARDOWN,
            ),
        ),
        now=("Reset the GPU (nvidia-smi -r) or reboot the node; restart the run elsewhere",),
        for_good=(
            "Update driver and firmware; if it returns, try the driver with GSP switched off "
            "(NVreg_EnableGpuFirmware=0), which only the proprietary kernel modules allow",
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
        source=ACME
        + "54, with more lost GPU time than any other; "
        + UNICRON
        + "4.5 %; "
        + LLAMA
        + "part of 148 for faulty GPUs",
        on=("host",),
        effects=(
            Effect(
                "fabric-not-up",
                0.3,
                "where the manager of the links has died or a link does not train, the GPUs wait for their fabric",
                "the GPUs had not been joined by their links, and CUDA does not start before that",
                Role.INITIATING,
            ),
            Effect(
                "driver-refuses",
                0.05,
                "a tool that makes a context says so too",
                "the GPUs waited for their fabric",
            ),
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
                0.05,
                "link and bandwidth tests fail on a bad link",
                "the test exercised the bad link",
            ),
            Effect(
                "gpu-handle-lost",
                0.2,
                "a fatal error of the switch takes the GPUs behind it out of service until all are reset",
                "the device waited for the reset of the links",
            ),
            *OF_A_DEAD_RANK,
            Effect(
                "gpu-software-xid",
                0.05,
                "peers that read over the broken link fault",
                "a peer read over the broken link",
            ),
            Effect(
                "gpu-firmware-report",
                0.05,
                "the processor waits for a link that does not train",
                "its processor waited for the link",
            ),
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
)
