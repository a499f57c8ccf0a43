"""Hosts: their memory, kernel and power."""

from __future__ import annotations

from . import Cause, Check, Effect, Role
from ._cascade import OF_A_DEAD_RANK, OF_A_STUCK_RANK
from ._studies import FT_HSDP, LLAMA, RSC, STEPFUN, TSUBAME

CAUSES = (
    Cause(
        slug="host-memory-error",
        title="an error in the host's memory",
        what="a memory module (DIMM) or the processor's caches returned bits that could not be repaired",
        prior=0.01,
        source=LLAMA + "2 for system memory, 2 for processors; " + RSC + "DIMMs are behind a fifth of the nodes that "
        "fail again and again",
        on=("host",),
        effects=(
            Effect(
                "same-file-reads-differently",
                0.2,
                "a page of the cache lies in the bad module at one reading and elsewhere at the next",
                "the file was read through memory that changed it",
                Role.INITIATING,
            ),
            Effect(
                "checksums-differ",
                0.2,
                "whatever goes through memory without ECC may be changed there",
                "the bytes had been changed in the memory",
                Role.INITIATING,
            ),
            Effect(
                "damage-inside-file",
                0.08,
                "readers that keep a sum for each part find the part that lay in the bad module",
                "a part of the file had been changed in the memory",
                Role.INITIATING,
            ),
            Effect(
                "gpu-driver-code-fault",
                0.01,
                "a flipped bit in a pointer stops whatever kernel code follows it",
                "the driver followed a pointer that had been damaged",
            ),
            Effect(
                "host-memory-error-report",
                0.9,
                "the memory controller reports it with the module's place",
                "a memory module failed",
                Role.INITIATING,
            ),
            Effect(
                "machine-check-fatal",
                0.4,
                "what cannot be corrected stops the machine",
                "the processor met damaged data and stopped",
                Role.INITIATING,
            ),
            Effect(
                "machine-check",
                0.6,
                "the processor raises a machine check with it",
                "the processor was told of the damaged memory",
                Role.INITIATING,
            ),
            Effect(
                "kernel-lockup-report",
                0.02,
                "a processor that waits for the firmware's repair, or runs kernel code that was damaged, comes back "
                "too late",
                "a processor was held up by the damaged memory",
            ),
            Effect(
                "processor-stuck-once",
                0.03,
                "the firmware's repairs hold a processor up",
                "a processor was held up by a repair",
            ),
            Effect(
                "crashed-natively",
                0.15,
                "a flipped bit in a pointer crashes whatever follows it",
                "a process followed a pointer that had been damaged",
            ),
            Effect(
                "power-lost",
                0.2,
                "an uncorrectable error may take the machine down at once",
                "the machine stopped rather than go on with wrong data",
            ),
            Effect(
                "node-failed-report",
                0.2,
                "the scheduler loses the node",
                "the node went down",
            ),
            *OF_A_DEAD_RANK,
        ),
        now=("Drain the node; restart the run elsewhere",),
        for_good=("Replace the module that is named (socket, channel, slot) and test the memory",),
        mistaken_for=(
            ("gpu-memory-error", "ECC of the host and of the GPU are two things"),
            ("silent-data-corruption", "flipped bits without ECC show only as wrong data"),
        ),
        checks=(
            Check("the memory controller's counts", "sudo ras-mc-ctl --errors; sudo dmesg -T | grep -iE 'EDAC|mce'"),
        ),
    ),
    Cause(
        slug="kernel-lockup",
        title="a kernel that is stuck in itself",
        what="a processor spins or a task waits in the kernel for the kernel's own reasons, and takes the machine "
        "with it",
        prior=0.008,
        source=FT_HSDP
        + "5.8 % kernel faults; "
        + TSUBAME
        + "14 % hangs by a kernel panic; "
        + STEPFUN
        + "1 kernel panic",
        on=("host",),
        effects=(
            Effect(
                "network-device-never-freed",
                0.15,
                "a lost reference to a network device is the best known fault of kernels that run many containers",
                "the kernel had lost a reference, and every new container waited behind it",
                Role.INITIATING,
            ),
            Effect(
                "gpu-driver-code-fault",
                0.01,
                "memory that another part of the kernel has damaged may be a driver's",
                "the driver met what another part of the kernel had damaged",
            ),
            Effect(
                "kernel-lockup-report",
                0.95,
                "the kernel's detectors report it within half a minute",
                "a processor did not leave the kernel",
                Role.INITIATING,
            ),
            Effect(
                "processor-stuck-once",
                0.2,
                "where only one line of the report was kept",
                "a processor did not leave the kernel for a while",
                Role.INITIATING,
            ),
            Effect(
                "disk-late-beside-lockup",
                0.15,
                "a stuck processor serves no interrupt of a disk, and neither does one that waits for it",
                "what the disk had answered waited for a processor",
            ),
            Effect(
                "node-failed-report",
                0.3,
                "a node that is stuck stops answering",
                "the node no longer answered",
            ),
            Effect(
                "busy-while-silent",
                0.2,
                "the stuck processor counts as busy",
                "the time was spent in the kernel",
            ),
            Effect(
                "reachability-test-failed",
                0.1,
                "a node that is stuck answers nobody who tries",
                "the stuck node did not answer",
            ),
            Effect(
                "no-route-to-host",
                0.03,
                "a node that is stuck answers no call for its address",
                "the stuck node did not answer",
            ),
            Effect(
                "peer-unreachable-error",
                0.15,
                "a node that is stuck does not answer",
                "the stuck node did not answer",
            ),
            *OF_A_STUCK_RANK,
        ),
        now=("Keep the console's last words (kdump, netconsole), reboot the node",),
        for_good=("Update the kernel or the driver named in the trace; report the trace",),
        mistaken_for=(
            ("gpu-driver-wedged", "when the trace is in the NVIDIA driver, it is the driver's"),
            ("cpu-starved", "a virtual machine that is not scheduled reports soft lockups too"),
        ),
        checks=(Check("the trace", "sudo dmesg -T | grep -A30 -iE 'lockup|rcu.*stall|BUG:'"),),
    ),
    Cause(
        slug="host-power-or-firmware",
        title="the host's power or platform firmware",
        what="a power supply, its limiter, the BIOS, ACPI or the management controller fails or hangs; no software "
        "of the job is involved",
        prior=0.01,
        source=LLAMA
        + "3 for power supplies, 2 for chassis, 2 for IO boards; "
        + FT_HSDP
        + "5.6 % unexpected reboots; "
        + STEPFUN
        + "26 power supplies, 4 boards",
        on=("host",),
        effects=(
            Effect(
                "gpu-window-not-assigned",
                0.1,
                "a BIOS that has no room for them above 4 GB leaves the last cards without addresses",
                "the firmware had assigned the card no addresses: switch on above-4G decoding, or update the BIOS",
                Role.INITIATING,
            ),
            Effect(
                "driver-init-failed",
                0.15,
                "a card without addresses does not come up",
                "the driver could not reach the card",
            ),
            Effect(
                "power-lost",
                0.6,
                "a supply that trips leaves no word in any log",
                "the machine lost its power",
                Role.INITIATING,
            ),
            Effect(
                "drives-lost-their-power",
                0.3,
                "a supply that trips does it again, and the drives lose their power with the rest",
                "the drives lost their power with the machine",
                Role.INITIATING,
            ),
            Effect(
                "power-supply-failed",
                0.4,
                "the management controller logs a supply that fails or loses its input",
                "a power supply had failed",
                Role.INITIATING,
            ),
            Effect(
                "dark-under-load",
                0.4,
                "a weak supply gives way when the load comes",
                "the supply gave way under the load",
                Role.INITIATING,
            ),
            Effect(
                "supply-too-small",
                0.2,
                "a supply that was sized before the GPUs gives way when all of them draw at once",
                "the supply could not carry all GPUs at once",
                Role.INITIATING,
            ),
            Effect(
                "power-limit-keeps-it-up",
                0.4,
                "a supply that is too weak for the load's peaks carries a smaller load",
                "the supply could carry the lower load",
                Role.INITIATING,
            ),
            Effect(
                "hung-in-firmware",
                0.4,
                "calls into hung firmware wait in its driver",
                "the process waited for platform firmware that did not answer",
                Role.INITIATING,
            ),
            Effect(
                "peer-traffic-redirected",
                0.15,
                "whoever looks into copies that go wrong finds it",
                "the platform led what its devices sent each other through the root complex",
            ),
            Effect(
                "peers-fail-where-redirected",
                0.1,
                "a BIOS that switches ACS or the IOMMU on leads copies between GPUs through the root complex",
                "the platform redirected what one GPU wrote to another: switch ACS or the IOMMU off in the BIOS, or "
                "pass it through",
                Role.INITIATING,
            ),
            Effect(
                "acpi-or-firmware-report",
                0.5,
                "firmware that fails is mostly noticed by its driver or the controller's log",
                "the platform complained",
                Role.INITIATING,
            ),
            Effect(
                "node-failed-report",
                0.3,
                "the scheduler loses the node",
                "the node went dark",
            ),
            Effect(
                "machine-is-off",
                0.4,
                "a machine that lost its power stays off where nobody set it to come back",
                "the machine was without power",
                Role.INITIATING,
            ),
            Effect(
                "reachability-test-failed",
                0.1,
                "a machine that is off answers nobody who tries",
                "the machine was off",
            ),
            Effect(
                "gpu-off-bus-report",
                0.05,
                "a failing supply may take only the GPUs down",
                "the GPUs had lost their power",
            ),
            Effect(
                "pcie-error",
                0.1,
                "links fail with their supply",
                "the link failed with its supply",
            ),
            Effect(
                "gpu-link-failed",
                0.03,
                "a failing supply may take the GPUs' links down",
                "the GPU's link failed with its supply",
            ),
        ),
        now=("Read the management controller's event log (ipmitool sel elist); run elsewhere",),
        for_good=(
            "Replace the supply, update BIOS and BMC, balance the load; switch off collectors that read hung sensors",
        ),
        mistaken_for=(
            ("network-filesystem-fault", "a process in D looks like storage; its open file says otherwise"),
            ("gpu-thermal-or-power", "who tripped, the GPU's limit or the host's supply, is often not shown"),
            ("kernel-lockup", "a lockup leaves words in the log, a lost supply none"),
        ),
        checks=(
            Check("the controller's log", "sudo ipmitool sel elist | tail -20"),
            Check("boots and their last words", "journalctl --list-boots; journalctl -b -1 -n 50"),
        ),
    ),
)
