"""Threads in the GPU driver, and faults of its code."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence.kernel import GpuDriverMessage, KernelFault
from ..evidence.process import ProcessState, ThreadState
from ..evidence.storage import CommandOutcome
from ..incident import Incident

FRAME = re.compile(
    r"^(?:_?nv\d{5,}rm|nvidia_|nvkms|nv_|uvm_|os_acquire_(?:rwlock|mutex|semaphore)|rm_|osAcquire)|nvidia"
)
SPINS = re.compile(r"spin|acquire|_lock\b|wait_for", re.I)
# they do nothing but ask the driver, as the kernel cuts their names
GPU_TOOLS = ("nvidia-smi", "nvidia-persiste", "nvidia-cuda-mps", "dcgmi")
# rmmod nvidia_uvm      modprobe -r nvidia_drm      modprobe -f --remove amdgpu
UNLOADS = re.compile(
    r"\b(?:rmmod|modprobe(?: -{1,2}[a-z]{1,10}){0,3} (?:-r|--remove))"
    r"(?: -{1,2}\w{1,10}){0,3} (?:nvidia(?:[_-]\w{1,12})?|amdgpu|amdkfd)(?![\w.])"
)
# tee /sys/bus/pci/drivers/nvidia/unbind      sh -c echo 0000:41:00.0 > /sys/bus/pci/drivers/amdgpu/unbind
UNBINDS = re.compile(r"/sys/bus/pci/drivers/(?:nvidia|amdgpu)/(?:unbind|remove_id)\b")
# tee /sys/bus/pci/devices/0000:41:00.0/remove      tee /proc/acpi/bbswitch      (the device may be no GPU)
DETACHES = re.compile(
    r"/sys/bus/pci/devices/\S{1,40}/(?:remove|reset|driver/unbind|driver_override)\b|/proc/acpi/bbswitch\b"
    r"|\bvirsh nodedev-detach\b"
)
FEWEST, LONG_S = 2, 300.0
MODULE = re.compile(r"^(?:nvidia(?:_\w{1,20})?|amdgpu|amdkfd|i915|xe|habanalabs)$")
# the modules that are built into no kernel have names of their own
NAMES = re.compile(r"^(?:_?nv\d{5,}rm|nvidia_|uvm_|nvkms_?|amdgpu_|kfd_)")


def unloads(incident: Incident, row: ProcessState) -> bool:
    """True for a command that takes the driver's module out, or a card from the driver."""
    if UNLOADS.search(row.command) or UNBINDS.search(row.command):
        return True
    taken = any(message.about == "removed-in-use" for message in incident.of(GpuDriverMessage))
    return taken and DETACHES.search(row.command) is not None


def kept_by_driver(incident: Incident) -> Iterator[ThreadState]:
    """The threads that stand inside of the driver in D, spin there, or stay there although they were killed."""
    killed = {
        command.subject.pid
        for command in incident.of(CommandOutcome)
        if command.outcome == "hanging" and command.command.startswith("kill")
    } - {None}
    for thread in incident.of(ThreadState):
        if any(FRAME.search(frame) for frame in thread.frames):
            spins = all(word.search(thread.frames[0]) for word in (FRAME, SPINS))
            if thread.state == "D" or spins or thread.kill_pending or thread.subject.pid in killed:
                yield thread


def is_of_gpu_driver(fault: KernelFault) -> bool:
    """True where the kernel stopped itself in a GPU driver's code."""
    ours = MODULE.match(fault.module) if fault.module else NAMES.match(fault.function or "")
    return fault.about in ("bug", "oops", "panic") and ours is not None
