"""AMD's kernel driver, amdgpu: page faults of a program, memory errors, devices that are reset or lost,
errors of the links between them, queues that it cannot take back.

    amdgpu 0000:83:00.0: amdgpu: [gfxhub0] no-retry page fault (src_id:0 ring:24 vmid:8 pasid:32769, for process python pid 4123)
    amdgpu 0000:c1:00.0: amdgpu: device lost from bus!
    [drm:mes_v11_0_submit_pkt_and_poll_completion.constprop.0 [amdgpu]] *ERROR* MES failed to response msg=3

What is skipped: the registers below a fault, and the lines that announce the driver's parts.
"""  # noqa: E501

from __future__ import annotations

from collections.abc import Iterator

from ..evidence.kernel import GpuDriverMessage
from ..text import Text
from . import Parser
from ._table import CRITICAL, FATAL, WARNING, Row, Table

_DEVICE = r"amdgpu (?P<pci>[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2})\.[0-7]: "
TABLE = Table(
    Row(rf"{_DEVICE}.{{0,60}}page fault \(src_id.{{0,120}}?(?: pid (?P<pid>\d{{1,10}}))?\b", "page-fault", CRITICAL),
    Row(rf"{_DEVICE}.{{0,60}}(?:device lost from bus|GPU has been lost"
        r"|Unable to change power state from \w{1,10} to D0, device inaccessible)", "off-bus", FATAL),
    Row(rf"{_DEVICE}.{{0,80}}uncorrectable hardware errors.{{0,40}}\bxgmi", "link", CRITICAL),
    Row(rf"{_DEVICE}.{{0,80}}uncorrectable hardware errors", "ecc", CRITICAL),
    Row(rf"{_DEVICE}.{{0,60}}(?:PSP|psp|SMU).{{0,60}}(?:timeout|timed out|not done with your previous command)",
        "rpc-timeout", CRITICAL),
    # MES, the scheduler in the device's firmware
    Row(rf"(?:{_DEVICE}|\[amdgpu\]\]).{{0,60}}MES (?:failed to respon|might be in unrecoverable state)",
        "rpc-timeout", CRITICAL),
    Row(rf"{_DEVICE}.{{0,40}}GPU reset(?:\(\d+\) failed| end with ret = -[1-9])", "init-failed", CRITICAL),
    # *ERROR* resume of IP block <psp> failed -62      amdgpu 0000:03:00.0: amdgpu: resume of IP block <smu> failed -5
    Row(rf"(?:{_DEVICE}|\[amdgpu\]\]).{{0,40}}(?:resume|suspend) of IP block <(?:psp|smu|mes\w{{0,8}})> failed -\d",
        "rpc-timeout", CRITICAL),
    Row(rf"(?:{_DEVICE}|\[amdgpu\]\]).{{0,40}}(?:SMC engine is not correctly up|SMU firmware (?:failed|not ready)"
        "|PSP (?:create ring|resume) failed)", "rpc-timeout", CRITICAL),
    Row(rf"(?:{_DEVICE}|\[amdgpu\]\]).{{0,40}}(?:hw_init|sw_init|resume) of IP block <\w{{1,20}}> failed -\d",
        "init-failed", CRITICAL),
    Row(rf"{_DEVICE}.{{0,40}}(?:Fatal error during GPU init|amdgpu_device_ip_(?:init|resume) failed)",
        "init-failed", CRITICAL),
    Row(r"amdgpu: probe of (?P<pci>[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2})\.[0-7] failed with error -\d",
        "init-failed", CRITICAL),
    # the driver asks for a queue and does not get it: kfd's older words, those of today, those of the reset
    Row(rf"(?:{_DEVICE}|\bamdgpu: |\bkfd(?: kfd)?: ).{{0,60}}(?:qcm fence wait loop timeout expired"
        "|[Tt]he cp might be in an unrecoverable state|unmapping queues failed|[Qq]ueue preemption time ?out"
        r"|[Ff]ailed to (?:evict (?:process queues|queue \d)|restore process queues|quiesce KFD"
        "|suspend process 0x|deactivate HQD|remove hardware queue from MES))", "queues", CRITICAL),
    Row(r"(?:amdgpu|\[amdgpu\]\]).{0,80}(?:K[GC]Q disable failed|failed to halt cp gfx"
        r"|ring kiq_\S{1,20} test failed \(-\d|ib ring test failed \(-\d|IB test failed on \w{1,20} \(-\d)",
        "queues", CRITICAL),
    Row(rf"{_DEVICE}.{{0,40}}GPU reset begin", "other", WARNING),
)  # fmt: skip


def read(text: Text) -> Iterator[GpuDriverMessage]:
    for hit in TABLE.hits(text):
        yield GpuDriverMessage(
            source=hit.log.source(hit.line),
            subject=hit.subject,
            stamp=hit.message.stamp,
            severity=hit.row.severity,
            about=hit.row.about,
            text=hit.message.message[:500],
        )


PARSER = Parser(tool="amdgpu", medium="kernel-log", footprint=TABLE.footprint, read=read)
