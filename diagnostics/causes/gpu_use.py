"""GPUs in use: the driver, its versions, and what programs do to a healthy device."""

from __future__ import annotations

from . import Cause, Check, Effect, Role
from ._cascade import OF_A_DEAD_RANK, OF_A_STUCK_RANK
from ._studies import ACME, ESTIMATE, FIRE_FLYER, PHILLY, STEPFUN, TSUBAME, UNICRON

CAUSES = (
    Cause(
        slug="gpu-driver-wedged",
        title="a driver that no longer serves its devices",
        what="the NVIDIA kernel driver hangs or refuses new contexts until it is reloaded or the node rebooted",
        prior=0.015,
        source=TSUBAME + "43 % of the GPU driver; " + UNICRON + "0.6 %; " + STEPFUN + "9 time-outs of nvidia-smi",
        on=("host",),
        effects=(
            Effect(
                "fabric-not-up",
                0.03,
                "a driver that has lost its state of the fabric is seldom seen",
                "the driver had lost the GPUs' place in their fabric",
            ),
            Effect(
                "gpu-access-refused",
                0.15,
                "a container that loses its devices is a frequent way in which a driver stops serving a program",
                "the container may no longer open its devices, until it is made anew",
                Role.INITIATING,
            ),
            Effect(
                "gpu-driver-code-fault",
                0.15,
                "a driver that fails in its own code serves nobody after that",
                "the driver had failed in its own code",
                Role.INITIATING,
            ),
            Effect(
                "gpu-queues-stuck",
                0.4,
                "a driver that cannot take a queue back can give the device to nobody else",
                "the driver waited in vain for the device to give up a queue",
                Role.INITIATING,
            ),
            Effect(
                "job-in-disk-sleep",
                0.3,
                "processes that queue on the driver's locks are in D too",
                "the processes waited inside the driver",
            ),
            Effect(
                "driver-init-failed",
                0.4,
                "a driver that has lost its way cannot bring devices up again",
                "the driver could not bring the device up although it was there",
                Role.INITIATING,
            ),
            Effect(
                "fewer-gpus-than-expected",
                0.1,
                "a device that the driver could not bring up is not counted",
                "the driver had not brought all devices up",
            ),
            Effect(
                "gpu-handle-lost",
                0.2,
                "tools get no answer for one device",
                "the driver gave no answer for the device",
            ),
            Effect(
                "gpu-sensors-refused",
                0.15,
                "a call for a reading that meets the wedged part comes back as an error, the others are served",
                "the driver served some calls and refused others",
            ),
            Effect(
                "driver-refuses",
                0.4,
                "new contexts fail while the hardware is there",
                "the driver did not open the device although it was there",
                Role.INITIATING,
            ),
            Effect(
                "driver-reload-cures-it",
                0.2,
                "a fresh module has none of the state that went wrong",
                "the driver's own state was wrong, and loading it anew made it right",
                Role.INITIATING,
            ),
            Effect(
                "hung-in-gpu-driver",
                0.7,
                "processes queue on the driver's locks",
                "the process waited for a lock inside the driver",
                Role.INITIATING,
            ),
            Effect(
                "driver-lock-queue",
                0.5,
                "whoever asks the driver after the call that does not return waits behind it",
                "a call into the driver did not return, and the next ones waited for its lock",
                Role.INITIATING,
            ),
            Effect(
                "driver-unload-hangs",
                0.1,
                "somebody tries to load the driver anew, and unloading waits for what never ends inside it",
                "the driver could not let go of a device, and its unloading waited for that",
                Role.INITIATING,
            ),
            Effect(
                "kernel-lockup-report",
                0.05,
                "a driver that spins can hold up the rest of the kernel",
                "the driver held a processor in the kernel",
            ),
            Effect(
                "gpu-memory-without-owner",
                0.1,
                "contexts of ended processes are not released",
                "the driver had not released the memory of an ended process",
            ),
            Effect(
                "gpu-unspecified-failure",
                0.2,
                "CUDA has no better word for it",
                "CUDA got no usable answer from the driver",
            ),
            Effect(
                "orphans-unkillable",
                0.3,
                "a kill waits for the call into the driver, and the call for the driver",
                "the killed process stayed inside a call into the driver that never returned",
            ),
            *OF_A_STUCK_RANK,
        ),
        now=("Reload the driver or reboot the node; restart the run elsewhere meanwhile",),
        for_good=("Update the driver; keep persistence mode on; report the stack of the hung task",),
        mistaken_for=(
            ("gpu-off-bus", "nvidia-smi hangs or errs in both; a lost device has Xid 79"),
            ("orphaned-gpu-process", "memory stays in use in both"),
        ),
        checks=(Check("does a new context open", "nvidia-smi; sudo dmesg -T | grep -E 'NVRM|hung|nvidia'"),),
    ),
    Cause(
        slug="gpu-driver-mismatch",
        title="a driver whose parts are of different versions",
        what="the user-space library was changed while the old kernel module stayed loaded (or a container brought "
        "another), "
        "or the kernel was changed and the driver's module was not built for it",
        prior=0.015,
        source=ESTIMATE
        + "the versions diverge after unattended upgrades (Syllo/nvtop#125 and many like it); "
        + PHILLY
        + "49 CUDA version mismatches",
        on=("host",),
        effects=(
            Effect(
                "gpu-access-refused",
                0.01,
                "a library that does not understand what the module answers knows no better word",
                "the library did not understand the module of another version",
            ),
            Effect(
                "fabric-not-up",
                0.25,
                "after an update the fabric manager's version is the usual reason: it refuses another one's driver",
                "the manager of the links was of another version and had not started",
            ),
            Effect(
                "driver-version-mismatch",
                0.97,
                "every new client compares the versions and says so",
                "the library asked a kernel module of another version",
                Role.INITIATING,
            ),
            Effect(
                "driver-module-missing",
                0.15,
                "after a change of the kernel alone the module is there for the old one and missing for the new",
                "the driver's module had not been built for the kernel that runs",
                Role.INITIATING,
            ),
            Effect(
                "driver-init-failed",
                0.3,
                "a fabric manager or service of another version leaves the system uninitialised",
                "a service of another version had not brought the devices up",
            ),
            Effect(
                "package-upgraded-underneath",
                0.8,
                "the package manager's history shows the upgrade",
                "an upgrade had replaced the library while the old module stayed loaded",
                Role.INITIATING,
            ),
            Effect(
                "driver-refuses",
                0.4,
                "clients cannot initialise",
                "the two halves refused to talk to each other",
            ),
        ),
        now=("Reboot, or unload and load the kernel module with no client running; running jobs go on meanwhile",),
        for_good=("Hold the driver's packages (apt-mark hold) and upgrade with the reboot in one step",),
        mistaken_for=(("gpu-device-faulty", "nvidia-smi fails in both; the hardware is well here"),),
        checks=(
            Check(
                "both versions", "cat /proc/driver/nvidia/version; dpkg -l | grep -i nvidia; ls /usr/lib/*/libcuda.so.*"
            ),
        ),
    ),
    Cause(
        slug="gpu-illegal-access",
        title="a kernel that reads or writes outside its memory",
        what="code of the program (an own kernel, a wrong index, a library's bug) touches addresses it does not own",
        prior=0.03,
        source=UNICRON
        + "2.1 % illegal memory access, 1.6 % CUDA errors; "
        + PHILLY
        + "1,484 CUDA failures; "
        + FIRE_FLYER
        + "53 % are Xid 31 and 43",
        on=("host",),
        effects=(
            Effect(
                "fails-on-one-model",
                0.05,
                "a kernel that was built or tuned for one architecture may go out of bounds there alone",
                "the kernel of that architecture was wrong",
            ),
            Effect(
                "gpu-queues-stuck",
                0.02,
                "a queue that has faulted is mostly taken away without trouble",
                "the queue had faulted and was not given up",
            ),
            Effect(
                "gpu-software-xid",
                0.95,
                "the address check of the device catches it, and driver and CUDA both say so",
                "a kernel of the program touched memory that was not its own",
                Role.INITIATING,
            ),
            Effect(
                "loss-not-finite",
                0.03,
                "a read that stays within the program's memory is caught by nobody, and brings in what lies there",
                "the kernel had read other memory than its own tensors",
            ),
            Effect(
                "gpu-unspecified-failure",
                0.3,
                "a library reports its failed kernel in general words",
                "the library's kernel had failed",
            ),
            *OF_A_DEAD_RANK,
        ),
        now=(
            "Run the failing step with CUDA_LAUNCH_BLOCKING=1 and compute-sanitizer on one GPU",
            "Where a kernel asserts, compare the largest label, token or index with the size of what it is looked up "
            "in; on the CPU the same step names it",
        ),
        for_good=("Check index ranges (labels, embeddings, custom kernels) and upgrade the library that is named",),
        mistaken_for=(
            ("gpu-device-faulty", "an Xid looks like hardware; this one follows the code to another GPU"),
            ("nvlink-fault", "the damage may reach peers over NVLink"),
        ),
        checks=(
            Check("which kernel", "compute-sanitizer --tool memcheck python train.py"),
            Check("does it follow the code", "CUDA_VISIBLE_DEVICES=OTHER CUDA_LAUNCH_BLOCKING=1 python train.py"),
        ),
    ),
    Cause(
        slug="gpu-memory-exhausted",
        title="a job that needs more GPU memory than there is",
        what="the job's own tensors, caches and buffers (also NCCL's) filled the device",
        prior=0.05,
        source=ESTIMATE
        + "above the studies, since models have grown to fill the device; "
        + PHILLY
        + "487; "
        + ACME
        + "14",
        on=("host", "gpu"),
        effects=(
            Effect(
                "gpu-out-of-memory",
                0.97,
                "the allocator raises it by name",
                "the device was full when the job asked for more",
                Role.INITIATING,
            ),
            Effect(
                "gpu-taken-before-start",
                0.02,
                "two ranks of one job on one device are in each other's way",
                "two processes of the job shared one device",
            ),
            *OF_A_DEAD_RANK,
        ),
        now=(
            "Lower the micro-batch or sequence length, or shard more; PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True",
        ),
        for_good=("Log peak memory per rank and leave headroom for NCCL and fragmentation",),
        mistaken_for=(
            ("peer-unreachable", "the other ranks only see a closed connection"),
            ("orphaned-gpu-process", "the memory may be somebody else's: see who owns it"),
            ("container-out-of-memory", "host and device memory are two things"),
        ),
        checks=(
            Check("who holds the memory", "nvidia-smi; python -c 'import torch; print(torch.cuda.memory_summary())'"),
        ),
    ),
    Cause(
        slug="orphaned-gpu-process",
        title="GPU memory held by a process that is dead, hidden or not the job's",
        what="a process that was killed but could not be released, lives in another container, or left a child, "
        "keeps its context",
        prior=0.015,
        source=ESTIMATE + "memory in use and no process listed (pytorch#910, #5736); loader workers that outlive "
        "their rank hold it (Megatron-LM#3684)",
        on=("host",),
        effects=(
            Effect(
                "gpu-memory-without-owner",
                0.9,
                "tool and process table disagree for as long as it lasts",
                "a context of a process that could not end still held the memory",
                Role.INITIATING,
            ),
            Effect(
                "gpu-holder-has-living-child",
                0.3,
                "a helper or forked worker that was not ended keeps the inherited context",
                "a child of the dead trainer still held its context",
                Role.INITIATING,
            ),
            Effect(
                "gpu-taken-before-start",
                0.5,
                "the next job finds less memory than it wants before it has taken any",
                "the memory was taken before the job began",
            ),
            Effect(
                "gpu-held-by-another",
                0.4,
                "who looks at the device that was found taken sees who holds it",
                "processes of another start still held the memory",
                Role.INITIATING,
            ),
            Effect(
                "gpu-worker-without-parent",
                0.4,
                "workers outlive a main process or container that was killed",
                "workers of a job that was gone still held the memory",
                Role.INITIATING,
            ),
            Effect(
                "gpu-out-of-memory",
                0.5,
                "the next job finds the device nearly full",
                "the memory was taken before the job began",
            ),
            Effect(
                "orphans-unkillable",
                0.3,
                "a process in D does not release its context",
                "the process waited in the kernel and could not end",
            ),
            Effect(
                "driver-refuses",
                0.1,
                "exclusive devices are busy",
                "the device was still taken",
            ),
        ),
        now=("Find the holder (fuser -v /dev/nvidia*, also its children) and end it; reboot the node if it stays",),
        for_good=("End whole process groups and cgroups, and look at GPU memory before each start",),
        mistaken_for=(
            ("gpu-memory-exhausted", "the next job fails with out of memory in both"),
            ("gpu-device-faulty", "nvidia-smi prints Unknown Error as the process name"),
        ),
        checks=(Check("who holds the device", "sudo fuser -v /dev/nvidia*; ps -eo pid,ppid,stat,wchan:30,comm"),),
    ),
)
